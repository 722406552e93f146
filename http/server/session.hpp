#pragma once
/// One client connection from its first byte to its end: one coroutine that reads a request, lets
/// the handler answer it, and goes on while HTTP allows. Owner: its own pending operations; the
/// listener holds it weakly. Everything happens on the session's strand.

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "http/server/answer.hpp"
#include "http/server/connection.hpp"
#include "http/server/core.hpp"
#include "http/server/request_reader.hpp"

namespace tidegate::http {

class session : public std::enable_shared_from_this<session> {
 public:
  /// `tls` null: plain HTTP. `socket` belongs to `on`.
  session(std::shared_ptr<server_core> core, tcp::socket socket, const strand& on,
          std::shared_ptr<asio::ssl::context> tls);

  /// Runs to the end of the connection, then calls `ended` on the strand.
  void start(std::function<void()> ended);

  const strand& executor() const { return on_; }
  /// Ends the connection if it waits for a request; on the strand.
  void drain();
  /// Ends the connection whatever it does: I/O fails, the handler's watcher is told, and its
  /// pending operation is cancelled; on the strand.
  void stop();

 private:
  awaitable<void> run();
  awaitable<bool> handshake();
  awaitable<bool> exchange();
  awaitable<bool> serve();
  awaitable<void> end_connection();
  awaitable<void> linger();
  void expect_answer();

  const std::shared_ptr<server_core> core_;
  const strand on_;
  const std::shared_ptr<asio::ssl::context> tls_;  ///< outlives a reload of the certificate
  connection connection_;
  watchdog timeouts_;
  request_reader reader_;
  answer answer_;
  request request_;
  asio::cancellation_signal cancel_;
  bool stopped_ = false;
  bool broken_ = false;  ///< the last answer stopped short: no orderly end
};

}  // namespace tidegate::http
