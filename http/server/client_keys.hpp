#pragma once
/// Client authentication: a call is let in when any of the five places holds a configured key.
/// Every candidate is compared with every key in constant time. Pure; any thread.
/// Wire facts: spec/http.md 1.3. Without keys the listener fails closed: it is open only on a
/// loopback address or when the configuration says so.

#include <string>
#include <string_view>

#include "http/options.hpp"
#include "http/server/request.hpp"

namespace tidegate::http {

enum class key_check {
  ok,       ///< a configured key, or no keys are configured and anonymous calls are allowed
  missing,  ///< none of the five places holds anything
  invalid,  ///< something, but no configured key
};

/// `127.0.0.0/8`, `::1`, `localhost`; the empty host means every interface and is not.
bool is_loopback_host(std::string_view host);

/// `bound_host` is where the listener really listens: a changed `host` needs a restart.
bool serves_anonymous(const server_options& options, std::string_view bound_host);

/// The places in order: Authorization (with or without `Bearer `), X-Goog-Api-Key, X-Api-Key,
/// query `key`, query `auth_token`.
key_check check_client_key(const request& call, const access_options& access, bool anonymous);

/// The query without the members that may hold a key, however their names are encoded; everything
/// else keeps its bytes and order. Only this form is logged or forwarded.
std::string without_keys(std::string_view query);

}  // namespace tidegate::http
