#pragma once
/// The listener: accepts, reads requests under limits, checks nothing but HTTP itself, asks one
/// function whether a request is let in and hands it to another. HTTP/1.1 with keep-alive;
/// pipelined requests are answered in order. Owner: app/wiring; start, drain and stop are called
/// from one thread, the rest runs on the io_context's threads.

#include <functional>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "config/snapshot.hpp"
#include "http/net/asio.hpp"
#include "http/server/admission.hpp"
#include "http/server/body_budget.hpp"
#include "http/server/request.hpp"
#include "http/server/responder.hpp"

namespace tidegate::http {

/// Answers one request. Ends when the answer is finished or the client is gone; must not throw.
using handler = std::function<awaitable<void>(request&, responder&, session_context&)>;
/// What stands behind a listener.
struct service {
  admission_check admit = nullptr;  ///< null: everything is let in
  handler serve = nullptr;          ///< of what was let in
  std::size_t bodies_bytes_max = default_bodies_bytes_max();
};
/// The configuration in force now; called once per request. Thread-safe.
using snapshot_source = std::function<config::snapshot_ptr()>;

class server {
 public:
  server(asio::io_context& io, snapshot_source config, service answers);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Binds and listens by the present configuration. errc::io_failure names address and reason;
  /// errc::tls_failure the certificate problem.
  result<void> start();
  /// The bound port, also when the configuration says 0.
  std::uint16_t port() const;
  std::string host() const;

  /// Stops accepting and closes idle connections; running requests go on with `Connection: close`.
  void begin_drain();
  bool draining() const;
  /// Requests being answered and open connections now; thread-safe.
  std::size_t active_requests() const;
  std::size_t open_connections() const;
  /// Closes every connection; sessions end on their strands. `done` is called (on some io thread)
  /// once none is left.
  void stop(std::function<void()> done);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace tidegate::http
