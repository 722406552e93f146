#pragma once
/// The simulated provider on a socket of 127.0.0.1. Everything inside runs on one strand of the
/// given io_context, whatever the number of its threads. `port` and `stop` may be called from any
/// thread. `requests`, `reset` and `use` answer at once before `start` and inside the io_context's
/// only thread's handlers of this server; from elsewhere they wait for the strand, so another
/// thread must be running the context (`local_server` has its own). They give up after
/// `answer_wait_max` with `errc::unavailable`.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/sim/journal.hpp"
#include "app/sim/script.hpp"
#include "base/error.hpp"
#include "base/time.hpp"

namespace boost::asio {
class io_context;
}

namespace tidegate::sim {

inline constexpr std::size_t connections_max = 20'000;
inline constexpr std::size_t request_head_bytes_max = 256 * 1024;
inline constexpr std::size_t request_body_bytes_max = 160 * 1024 * 1024;
inline constexpr std::chrono::seconds answer_wait_max{10};

class server {
 public:
  /// `clock` and `io` outlive the server and every handler it left in `io`.
  server(boost::asio::io_context& io, script plan, const wall_clock& clock, std::uint16_t port = 0);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Binds and listens; `errc::io_failure` when the port is taken.
  result<void> start();
  /// Stops listening and closes every connection; safe to repeat.
  void stop();
  /// 0 before `start`.
  std::uint16_t port() const;
  /// `http://127.0.0.1:PORT`.
  std::string url() const;

  result<journal_view> requests(std::size_t last = entries_max) const;
  result<void> reset();
  result<void> use(script plan);

 private:
  struct core;
  std::shared_ptr<core> core_;
};

/// A server with its own io_context and thread, for tests; runs from construction to destruction.
class local_server {
 public:
  explicit local_server(script plan, const wall_clock& clock);
  ~local_server();

  server& operator*();
  server* operator->();

 private:
  struct host;
  std::unique_ptr<host> host_;
};

}  // namespace tidegate::sim
