#pragma once
/// The write side of one request. Owner: the session; used by the handler's coroutine on the
/// session's strand. Every write is awaited before the next; a client that takes no bytes for
/// `write_timeout` counts as gone. All operations answer false once the client is gone.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "http/net/asio.hpp"
#include "protocol/failure.hpp"

namespace tidegate::http {

class responder {
 public:
  virtual ~responder() = default;

  /// A whole answer: head and body in one gathered write.
  virtual awaitable<bool> send(protocol::reply reply) = 0;

  /// Starts an answer whose body follows in pieces. The head goes out with the first piece.
  /// `content_length` empty: chunked framing.
  virtual void begin(int status, std::vector<protocol::header> headers,
                     std::optional<std::uint64_t> content_length) = 0;
  /// One piece of the body; `bytes` must stay valid until this returns.
  virtual awaitable<bool> write(std::string_view bytes) = 0;
  /// Ends the body. Without it the connection is cut, so that a broken answer looks broken.
  virtual awaitable<bool> finish() = 0;

  /// True once any byte of the answer may have reached the client.
  virtual bool committed() const = 0;

  /// Calls `gone` at most once, on the strand, when the client disconnects while the handler
  /// waits for something else. Replaces the previous watcher; nullptr ends the watch.
  virtual void watch_client(std::function<void()> gone) = 0;
};

}  // namespace tidegate::http
