#include "http/management/management.hpp"

#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/version.hpp"
#include "http/management/endpoint.hpp"
#include "http/management/state.hpp"

#include <boost/beast/core/string.hpp>

#include <array>

namespace tidegate::http {
namespace {

/// One handler under its two names: that of `/v0/management/` and that of `/v8/management/`. Either
/// base takes either.
struct row {
  std::string_view method;
  std::string_view path;
  std::string_view alias;  ///< empty = none
  management::endpoint serve;
  std::size_t body_bytes_max = management::body_bytes_max;
  bool open = false;  ///< asks for no key: what it takes proves itself
};

constexpr std::array endpoints{
    row{"GET", "auth-files", "credentials", management::list_credentials},
    row{"POST", "auth-files", "credentials", management::upload_files,
        management::upload_bytes_max},
    row{"DELETE", "auth-files", "credentials", management::delete_files},
    row{"GET", "auth-files/download", "credentials/download", management::download_file},
    row{"GET", "auth-files/models", "credentials/models", management::list_models_of},
    row{"PATCH", "auth-files/status", "credentials/status", management::switch_credential},
    row{"PATCH", "auth-files/fields", "credentials/fields", management::change_fields},
    row{"POST", "auth-files/refresh", "credentials/refresh", management::renew_credentials},
    row{"POST", "api-call", "requests/api-call", management::call_api, management::upload_bytes_max},
    row{"POST", "reset-quota", "routing/cooldown/reset", management::reset_quota},
    row{"GET", "codex-auth-url", "", management::begin_login},
    row{"GET", "kimi-auth-url", "", management::begin_login},
    row{"GET", "xai-auth-url", "", management::begin_login},
    row{"GET", "anthropic-auth-url", "", management::begin_login},
    row{"GET", "antigravity-auth-url", "", management::begin_login},
    row{"GET", "oauth/auth-url", "", management::begin_login},
    row{"GET", "get-auth-status", "oauth/status", management::show_login},
    row{"DELETE", "oauth-session", "oauth/session", management::cancel_login},
    row{"GET", "oauth-callback", "oauth/callback", management::take_callback,
        management::body_bytes_max, true},
    row{"POST", "oauth-callback", "oauth/callback", management::take_callback,
        management::body_bytes_max, true},
    row{"POST", "vertex/import", "oauth/import", management::import_key,
        management::upload_bytes_max},
    row{"GET", "config", "", management::show_config},
    row{"GET", "reload", "", management::show_reload},
    row{"POST", "reload", "", management::run_reload},
    row{"GET", "actors", "", management::show_actors},
    row{"GET", "explain", "", management::explain_model},
    row{"GET", "version", "", management::show_version},
};

/// Authorization with or without `Bearer `, then X-Management-Key.
secret_string presented_key(const request& in) {
  constexpr std::string_view scheme = "bearer";
  auto text = trimmed(in.header("Authorization").value_or(""));
  const auto head = text.substr(0, scheme.size());
  const bool names_scheme =
      boost::beast::iequals({head.data(), head.size()}, {scheme.data(), scheme.size()}) &&
      (text.size() == scheme.size() || text[scheme.size()] == ' ');
  if (names_scheme) text = trimmed(text.substr(scheme.size()));
  if (text.empty()) text = trimmed(in.header("X-Management-Key").value_or(""));
  return secret_string{std::string{text}};
}

protocol::reply wait_first(int status, const std::string& text, std::chrono::seconds wait) {
  auto reply = management::mistake(status, text);
  reply.headers.emplace_back("Retry-After", std::to_string(wait.count()));
  return reply;
}

std::optional<protocol::reply> refusal_of(const gate_answer& gate) {
  switch (gate.what) {
    case gate_result::open:
      return std::nullopt;
    case gate_result::locked_out:
      return wait_first(
          403,
          "IP banned due to too many failed attempts. Try again in " + format_reset_time(gate.wait),
          gate.wait);
    case gate_result::remote_refused:
      return management::mistake(403, "remote management disabled");
    case gate_result::missing:
      return management::mistake(401, "missing management key");
    case gate_result::wrong:
      return management::mistake(401, "invalid management key");
    case gate_result::busy:
      return wait_first(429, "too many attempts", gate.wait);
  }
  return management::mistake(500, "internal error");
}

bool names(const row& known, std::string_view path) {
  return known.path == path || (!known.alias.empty() && known.alias == path);
}

const row* find(std::string_view method, std::string_view path) {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const auto& known : endpoints) {
    if (known.method == wanted && names(known, path)) return &known;
  }
  return nullptr;
}

protocol::reply no_endpoint(std::string_view path) {
  std::string allow;
  for (const auto& known : endpoints) {
    if (!names(known, path)) continue;
    if (!allow.empty()) allow += ", ";
    allow += known.method == "GET" ? "GET, HEAD" : known.method;
  }
  if (allow.empty()) return management::mistake(404, "unknown management endpoint");
  auto reply = management::mistake(405, "method not allowed");
  reply.headers.emplace_back("Allow", std::move(allow));
  return reply;
}

protocol::reply marked(protocol::reply reply) {
  reply.headers.emplace_back("X-Tidegate-Version", version);
  reply.headers.emplace_back("Cache-Control", "no-store");
  return reply;
}

awaitable<std::optional<protocol::reply>> check(services& with, const request& in) {
  const auto& options = in.config->management;
  const auto* serving = find(in.method, in.route.tail);
  if (serving && serving->open) {
    if (in.peer_is_loopback || options.allow_remote) co_return std::nullopt;
    co_return marked(management::mistake(403, "remote management disabled"));
  }
  key_offer offer;
  offer.peer = in.peer;
  offer.loopback = in.peer_is_loopback;
  offer.remote_allowed = options.allow_remote;
  offer.configured = options.secret_key;
  offer.presented = presented_key(in);
  offer.now = with.plane.now();
  const auto gate = co_await with.management->gate.check(std::move(offer));
  if (auto refused = refusal_of(gate)) co_return marked(std::move(*refused));
  if (serving == nullptr) co_return marked(no_endpoint(in.route.tail));
  co_return std::nullopt;
}

}  // namespace

admission admit_management(services& with, const request& in) {
  admission out;
  if (!with.management || in.config->management.secret_key.empty()) {
    out.refusal.emplace().status = 404;
    return out;
  }
  out.question = check(with, in);
  const auto* serving = find(in.method, in.route.tail);
  out.body_bytes_max = serving ? serving->body_bytes_max : management::body_bytes_max;
  out.too_large = marked(management::mistake(413, "the request body is too large"));
  return out;
}

awaitable<protocol::reply> serve_management(services& with, const request& in) {
  const auto* serving = find(in.method, in.route.tail);
  TG_ASSERT(serving != nullptr);
  auto reply = co_await serving->serve(with, in);
  co_return marked(std::move(reply));
}

}  // namespace tidegate::http
