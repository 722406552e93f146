#pragma once
/// Makes a connection ready for requests: name, TCP, proxy, TLS. No timer of its own over the
/// whole: the caller bounds it and ends it by closing the connection's socket.
/// errc: io_failure (name, connect, proxy), tls_failure, limit_exceeded (proxy answer), or whatever
/// the caller makes of an interruption.

#include <memory>

#include "http/client/connection.hpp"
#include "http/client/names.hpp"
#include "http/client/proxy.hpp"
#include "http/client/tls.hpp"
#include "http/client/url.hpp"
#include "http/options.hpp"

namespace tidegate::http::upstream {

struct dial_plan {
  const url& to;
  const proxy* via = nullptr;  ///< null = straight to the origin
  const request_options& options;
  const strand& on;
  interruption& stop;
};

/// Fills `into`, whose socket is still closed.
awaitable<result<void>> dial(connection& into, const dial_plan& plan, names& resolver,
                             tls_contexts& trust);

}  // namespace tidegate::http::upstream
