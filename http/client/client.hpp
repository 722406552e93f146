#pragma once
/// The upstream side: keep-alive connection pools per origin and proxy, TLS with verification and
/// session reuse, HTTP CONNECT and SOCKS5 proxies. Thread-safe; each call runs on its caller's strand.
/// errc: timed_out (names the phase), connection_closed, tls_failure, io_failure (DNS, connect,
/// proxy), limit_exceeded (oversized head), unavailable (no connection was free in time, or the
/// client is stopped: nothing was asked of the peer), cancelled.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"
#include "http/net/asio.hpp"
#include "http/net/watchdog.hpp"
#include "http/options.hpp"
#include "provider/provider.hpp"

namespace tidegate::http {

/// A response whose head has arrived. Destroying it before the end of the body closes the
/// connection; after a complete body the connection goes back to its pool.
class upstream_response {
 public:
  virtual ~upstream_response() = default;
  virtual int status() const = 0;
  /// Case-insensitive; nullopt when absent. Views live as long as the response.
  virtual std::optional<std::string_view> header(std::string_view name) const = 0;
  /// Calls `visit(name, value)` for every header in order.
  virtual void each_header(
      const std::function<void(std::string_view, std::string_view)>& visit) const = 0;
  virtual std::optional<std::uint64_t> content_length() const = 0;
  /// Next piece of the body with the transfer coding undone, valid until the next call; an empty
  /// view is the proper end. A connection cut before it is errc::connection_closed.
  virtual awaitable<result<std::string_view>> read() = 0;
};

/// One attempt's use of the client: at most one request, cancellable from its strand.
class upstream_call {
 public:
  virtual ~upstream_call() = default;
  /// Sends the request and waits for the response head. The views in `request.body` must stay
  /// valid until this returns. A connection taken from the pool that turns out dead before any
  /// response byte is replaced once by a new one.
  virtual awaitable<result<std::unique_ptr<upstream_response>>> send(
      const provider::upstream_request& request) = 0;
  /// Ends whatever is pending with errc::cancelled; idempotent.
  virtual void cancel() = 0;
};

struct client_stats {
  std::size_t open = 0;    ///< connections in use or idle
  std::size_t idle = 0;
  std::uint64_t dialled = 0;
  std::uint64_t reused = 0;
};

class client {
 public:
  explicit client(asio::io_context& io);
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// `proxy`: http://, https://, socks5://, socks5h:// with optional user:password, or empty/`direct`.
  /// `options` and `timeouts` outlive the call.
  std::unique_ptr<upstream_call> prepare(const request_options& options, secret_string proxy,
                                         watchdog& timeouts, const strand& on);

  /// For calls that belong to no session.
  strand new_strand() const;

  client_stats stats() const;
  /// Drops idle connections and refuses new calls; used at shutdown.
  void stop();

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace tidegate::http
