#pragma once
/// The bytes of one client connection: buffered input, gathered output, and the watch for a client
/// that goes away. Owner: one session, on its strand; at most one read and one write at a time.
///
/// While a handler runs, the read of the next request is already under way: it costs nothing that
/// the next request would not cost, and it ends at once when the client disconnects.
///
/// The end of the client's direction alone proves nothing: a client may send its request, shut
/// down its sending side and wait for the answer, and a client that vanished looks the same. So it
/// is asked: `100 Continue`, which every client must take and pass over, is answered with a reset
/// by the system of a client that is gone. This goes on until the answer begins. A TLS or HTTP/1.0
/// client, and one in the middle of an answer, cannot be asked: its end counts as gone.

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "http/net/asio.hpp"
#include "http/net/stream.hpp"
#include "http/net/watchdog.hpp"

namespace tidegate::http {

/// Time from one question to a client that ended its direction to the next, and for its system to
/// acknowledge one.
inline constexpr std::chrono::seconds probe_interval{5};

/// Up to three pieces that leave in one write.
class gathered {
 public:
  gathered(std::string_view a, std::string_view b = {}, std::string_view c = {})
      : parts_{asio::buffer(a), asio::buffer(b), asio::buffer(c)} {}
  const std::array<asio::const_buffer, 3>& parts() const { return parts_; }
  std::size_t size() const { return parts_[0].size() + parts_[1].size() + parts_[2].size(); }
  void consume(std::size_t count);

 private:
  std::array<asio::const_buffer, 3> parts_;
};

class connection {
 public:
  connection(stream transport, const strand& on);

  stream& transport() { return stream_; }
  boost::beast::flat_buffer& input() { return input_; }
  std::string_view buffered() const {
    return {static_cast<const char*>(input_.data().data()), input_.size()};
  }

  /// Adds at least one byte to input(), asking for up to `room` of them; answers the error of the
  /// stream otherwise, end of file included.
  awaitable<error_code> receive(std::size_t room);
  /// Ends a pending receive with operation_aborted; the connection can still be written.
  void cancel_receive();

  /// Sends everything; false when the client is gone. A client that takes no byte for `stall`
  /// counts as gone. The usual write needs no suspension: send_now answers true when it was done.
  bool send_now(gathered& pieces);
  awaitable<bool> send(gathered pieces, std::chrono::milliseconds stall);

  /// Calls `gone` once when the client disconnects; `keep` lives until the read has ended. A
  /// client with 16 KiB of next requests here already is not watched. `may_ask`: the client takes interim
  /// answers, and nothing of the final one was sent.
  void watch(std::function<void()> gone, std::shared_ptr<void> keep, bool may_ask);
  void unwatch() { gone_ = nullptr; }
  bool client_gone() const { return client_gone_; }

  /// Waits until no read is pending; used after close().
  awaitable<void> settle();
  void close() noexcept;
  /// Closes, and tells the watcher: the owner gives up the connection.
  void abort();
  /// Makes close() reset the connection, so that what was sent cannot look complete.
  void reset_on_close() noexcept;

 private:
  struct ahead;
  void read_ahead(std::shared_ptr<void> keep);
  void ahead_done(error_code ec, std::size_t count, std::shared_ptr<void> keep);
  awaitable<void> ahead_ended();
  void input_ended(std::shared_ptr<void> keep);
  void ask();
  void reset_seen(error_code ec);
  void lose_client();

  stream stream_;
  strand on_;
  boost::beast::flat_buffer input_;
  error_code read_error_;  ///< of a read ahead; final
  bool reading_ = false;   ///< a read ahead is under way
  bool may_ask_ = false;   ///< until the final answer begins
  bool asking_ = false;    ///< the wait for a reset is under way
  bool client_gone_ = false;
  std::move_only_function<void()> waiter_;  ///< receive() waiting for the read ahead
  std::function<void()> gone_;
  std::optional<watchdog> stalled_;   ///< made by the first write that must wait
  std::optional<watchdog> next_ask_;  ///< made by the first client that ends its direction
};

}  // namespace tidegate::http
