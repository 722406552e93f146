#pragma once
/// One connection: reads requests, carries out their plans. Lives on the server's strand; the
/// coroutine `run` keeps it alive. Knows nothing of rules.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <memory>
#include <string_view>

#include "app/sim/simulator.hpp"

namespace tidegate::sim {

class session : public std::enable_shared_from_this<session> {
 public:
  session(boost::asio::ip::tcp::socket socket, simulator& brain);

  boost::asio::awaitable<void> run();
  /// Ends whatever the connection is doing.
  void abort();

 private:
  boost::asio::awaitable<bool> read(incoming& out);
  boost::asio::awaitable<outcome> perform(const plan& what, std::uint64_t id);
  boost::asio::awaitable<bool> write(const step& what, std::uint64_t id);
  boost::asio::awaitable<bool> pause(std::chrono::milliseconds wait);
  boost::asio::awaitable<void> wait_for_departure();
  bool peer_closed();
  void reset();

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  simulator& brain_;
  bool left_ = false;
  bool aborted_ = false;
};

}  // namespace tidegate::sim
