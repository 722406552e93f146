#pragma once
/// One complete client request as a handler sees it. Owner: the session; valid until the handler's
/// coroutine ends. Bodies are already bounded and have their Content-Encoding undone.

#include <boost/beast/http/fields.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/snapshot.hpp"
#include "http/net/asio.hpp"
#include "http/net/watchdog.hpp"
#include "http/server/routes.hpp"

namespace tidegate::http {

struct request {
  std::string method;                    ///< upper case
  std::string path;                      ///< percent-decoding not applied, no query
  std::string query;                     ///< without `?`
  route_match route;                     ///< what method and path mean; views into `path`
  boost::beast::http::fields headers;
  std::string body;                      ///< has simdjson padding behind its end as spare capacity
  std::string peer;                      ///< client address without port
  bool peer_is_loopback = false;
  config::snapshot_ptr config;           ///< taken when the head was read, kept to the end

  /// Case-insensitive; nullopt when absent.
  std::optional<std::string_view> header(std::string_view name) const;
};

/// What the session lends to a handler besides request and responder.
struct session_context {
  strand on;             ///< the session's strand
  watchdog& timeouts;    ///< free for the handler while it runs
};

}  // namespace tidegate::http
