#include "config/channels.hpp"
#include "config/groups.hpp"
#include "config/oauth_clients.hpp"
#include "config/payload.hpp"
#include "config/schema.hpp"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <type_traits>
#include <utility>

namespace tidegate::config {
namespace {

using enum applies;
using quota::response_mode;
using quota::strategy;

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t day_ms = day_s * second_ms;
constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

template <class At, class V>
codec<snapshot> at(At field, value_codec<V> how) {
  return bind<snapshot>(field, std::move(how));
}

/// A duration in the unit of its field.
template <class At>
codec<snapshot> wait(At field, std::int64_t min_ms, std::int64_t max_ms,
                     repair below = repair::reject) {
  using duration = std::remove_cvref_t<decltype(field(std::declval<snapshot&>()))>;
  const std::int64_t unit = std::chrono::milliseconds{duration{1}}.count();
  return at(field, duration_text({.min = min_ms, .max = max_ms, .below = below, .unit = unit}));
}

void append(std::vector<key_row>& rows, std::vector<key_row> more) {
  std::ranges::move(more, std::back_inserter(rows));
}

// A row stays together.
// clang-format off
std::vector<key_row> server_rows() {
  return {
      {"server.host", {"host"}, restart,
       "Address to listen on; empty listens on all interfaces.",
       at(TG_FIELD(server.host), line_text()), {}},
      {"server.port", {"port"}, restart, "Port to listen on; 0 takes any free port.",
       at(TG_FIELD(server.port), integer({.min = 0, .max = 65'535})), {}},
      {"server.tls.enable", {"tls.enable"}, restart,
       "Serve HTTPS; needs server.tls.cert and server.tls.key.",
       at(TG_FIELD(server.tls.enable), boolean()), {}},
      {"server.tls.cert", {"tls.cert"}, restart,
       "PEM file with the certificate chain; a changed file is read again.",
       at(TG_FIELD(server.tls.cert), line_text()), {}},
      {"server.tls.key", {"tls.key"}, restart, "PEM file with the private key.",
       at(TG_FIELD(server.tls.key), line_text()), {}},
      {"server.limits.head-bytes", {}, restart, "Longest request line and headers together.",
       at(TG_FIELD(server.head_bytes_max), integer({.min = kib, .max = mib})), {}},
      {"server.limits.header-count", {}, restart, "Most headers in one request.",
       at(TG_FIELD(server.header_count_max), integer({.min = 8, .max = 10'000})), {}},
      {"server.limits.body-bytes", {}, restart,
       "Longest request body, also after its Content-Encoding is undone.",
       at(TG_FIELD(server.body_bytes_max), integer({.min = kib, .max = 1024 * mib})), {}},
      {"server.limits.connections", {}, restart, "Most client connections at one time.",
       at(TG_FIELD(server.connections_max), integer({.min = 1, .max = 1'000'000})), {}},
      {"server.timeouts.idle", {}, restart,
       "Longest pause between two requests on one connection.",
       wait(TG_FIELD(server.idle_timeout), second_ms, day_ms), {}},
      {"server.timeouts.read", {}, restart, "Longest silence of a client inside a request.",
       wait(TG_FIELD(server.read_timeout), second_ms, day_ms), {}},
      {"server.timeouts.write", {}, restart, "Longest time a client may refuse response bytes.",
       wait(TG_FIELD(server.write_timeout), second_ms, day_ms), {}},
      {"server.timeouts.drain", {}, restart,
       "How long running requests may continue after the request to stop.",
       wait(TG_FIELD(server.drain_timeout), 0, day_ms), {}},
  };
}

std::vector<key_row> access_rows() {
  return {
      {"access.api-keys", {"api-keys"}, live,
       "Keys that clients present. Without any, only a loopback address or "
       "access.allow-anonymous is accepted.",
       at(TG_FIELD(access.api_keys), client_keys()), {}},
      {"access.allow-anonymous", {}, live, "Serve clients without a key on any address.",
       at(TG_FIELD(server.allow_anonymous), boolean()), {}},
      {"management.secret-key", {"remote-management.secret-key"}, live,
       "Management key, plain or a bcrypt hash; empty means that management does not exist.",
       at(TG_FIELD(management.secret_key), secret_text()), {}},
      {"management.allow-remote", {"remote-management.allow-remote"}, live,
       "Accept management requests from other machines.",
       at(TG_FIELD(management.allow_remote), boolean()), {}},
  };
}

std::vector<key_row> routing_rows() {
  const std::vector<std::pair<std::string, strategy>> strategies{
      {"round-robin", strategy::round_robin},
      {"weighted-round-robin", strategy::weighted_round_robin},
      {"fill-first", strategy::fill_first},
      {"", strategy::round_robin},
      {"rr", strategy::round_robin},
      {"roundrobin", strategy::round_robin},
      {"wrr", strategy::weighted_round_robin},
      {"weightedroundrobin", strategy::weighted_round_robin},
      {"ff", strategy::fill_first},
      {"fillfirst", strategy::fill_first}};
  return {
      {"routing.strategy", {}, live,
       "How the next credential is picked; rr, wrr and ff are accepted as short names.",
       at(TG_FIELD(routing.selection), choice(strategies)), {}},
      {"routing.session-affinity", {}, live, "Keep a conversation on the credential it began with.",
       at(TG_FIELD(routing.session_affinity), boolean()), {}},
      {"routing.session-affinity-ttl", {}, live, "How long an unused conversation is remembered.",
       wait(TG_FIELD(routing.session_affinity_ttl), second_ms, 30 * day_ms, repair::fallback),
       {}},
      {"routing.force-model-prefix", {"force-model-prefix"}, live,
       "A model name without a prefix reaches only credentials without a prefix.",
       at(TG_FIELD(routing.force_model_prefix), boolean()), {}},
      {"routing.concurrency-wait", {}, live,
       "Longest wait in seconds for room when every usable credential is at its max-concurrency; "
       "then 429 with Retry-After.",
       at(TG_FIELD(routing.concurrency_wait),
          integer({.min = 0, .max = 600, .below = repair::accept})),
       {}},
      {"routing.retry.request-retry", {"request-retry"}, live,
       "Extra rounds over the credentials after the first round.",
       at(TG_FIELD(routing.retry.request_retry),
          integer({.min = 0, .max = 100, .below = repair::raise})),
       {}},
      {"routing.retry.max-retry-credentials", {"max-retry-credentials"}, live,
       "Most credentials tried in one round; 0 tries all.",
       at(TG_FIELD(routing.retry.max_retry_credentials),
          integer({.min = 0, .max = 100'000, .below = repair::accept})),
       {}},
      {"routing.retry.max-retry-interval", {"max-retry-interval"}, live,
       "Longest wait in seconds for a credential to come back between rounds; 0 never waits.",
       at(TG_FIELD(routing.retry.max_retry_interval),
          integer({.min = 0, .max = day_s, .below = repair::accept})),
       {}},
  };
}

std::vector<key_row> cooldown_rows() {
  const std::vector<std::pair<std::string, response_mode>> modes{
      {"retryable", response_mode::retryable},
      {"usage-limit", response_mode::usage_limit},
      {"", response_mode::retryable}};
  return {
      {"routing.cooldown.disable-cooling", {"disable-cooling"}, live,
       "Record no cooldown for any credential.",
       at(TG_FIELD(routing.cooldown.disable_cooling), boolean()), {}},
      {"routing.cooldown.save-cooldown-status", {"save-cooldown-status"}, live,
       "Keep cooldowns in .cds files beside the credentials, so that a restart remembers them.",
       at(TG_FIELD(routing.cooldown.save_cooldown_status), boolean()), {}},
      {"routing.cooldown.transient-error-cooldown-seconds", {"transient-error-cooldown-seconds"},
       live, "Cooldown after a server error; 0 means 60 seconds, -1 means none.",
       at(TG_FIELD(routing.cooldown.transient_error_cooldown_seconds),
          integer({.min = -1, .max = day_s, .below = repair::accept})),
       {}},
      {"routing.cooldown.quota-response-mode", {"quota-cooldown-response-mode"}, live,
       "Final error when every credential is out of quota: a retryable 429, or a usage limit with "
       "its reset time.",
       at(TG_FIELD(routing.cooldown.mode), choice(modes)), {}},
      {"routing.cooldown.quota-retry-interval-seconds", {"quota-retry-interval-seconds"}, live,
       "When no credential is free, one request tests a used-up one this long after its last word; "
       "0 waits for the reset, 1 to 9 count as 10.",
       at(TG_FIELD(routing.cooldown.quota_retry_interval),
          integer({.min = 0, .max = 30 * day_s, .below = repair::accept,
                   .smallest_positive = 10})),
       {}},
      {"upstream.codex.model-level-cooling",
       {"oauth.providers.codex.model-level-cooling", "codex.model-level-cooling"}, live,
       "A Codex usage limit blocks the requested model only, not the whole credential.",
       at(TG_FIELD(routing.cooldown.codex_model_level), boolean()), {}},
      {"upstream.claude.model-level-cooling",
       {"oauth.providers.claude.model-level-cooling", "claude.model-level-cooling"}, live,
       "A Claude usage limit blocks the requested model only, not the whole credential.",
       at(TG_FIELD(routing.cooldown.claude_model_level), boolean()), {}},
  };
}

std::vector<key_row> request_rows() {
  return {
      {"requests.proxy-url", {"proxy-url"}, live,
       "Proxy for upstream connections unless an entry names its own; the proxy resolves names, "
       "with socks5 as with socks5h.",
       at(TG_FIELD(requests.proxy_url), proxy_url()), {}},
      {"requests.passthrough-headers", {"passthrough-headers"}, live,
       "Copy the harmless upstream response headers to the client.",
       at(TG_FIELD(requests.passthrough_headers), boolean()), {}},
      {"requests.streaming.hold-seconds", {}, live,
       "Longest time that a stream's opening events are held back, so that another credential can "
       "still take over; 0 passes them on at once.",
       at(TG_FIELD(requests.stream_hold), integer({.min = 0, .max = 3600})), {}},
      {"requests.streaming.keepalive-seconds", {"streaming.keepalive-seconds"}, live,
       "Send a comment on a stream that was silent this long; 0 sends none.",
       at(TG_FIELD(requests.stream_keepalive),
          integer({.min = 0, .max = 3600, .below = repair::accept})),
       {}},
      {"requests.timeouts.connect", {}, live,
       "Name lookup, TCP, proxy and TLS of an upstream connection together.",
       wait(TG_FIELD(requests.connect_timeout), 100, day_ms), {}},
      {"requests.timeouts.header", {}, live, "From the sent request to the upstream response head.",
       wait(TG_FIELD(requests.header_timeout), 100, day_ms), {}},
      {"requests.timeouts.first-byte", {}, live,
       "From the upstream response head to the first byte of its body.",
       wait(TG_FIELD(requests.first_byte_timeout), 100, day_ms), {}},
      {"requests.timeouts.idle", {}, live, "Longest silence inside an upstream response body.",
       wait(TG_FIELD(requests.idle_timeout), 100, day_ms), {}},
      {"requests.connections.per-origin", {}, live,
       "Most connections to one upstream address at one time.",
       at(TG_FIELD(requests.connections_per_origin_max), integer({.min = 1, .max = 100'000})), {}},
      {"requests.connections.idle-per-origin", {}, live,
       "Most unused connections kept open to one upstream address.",
       at(TG_FIELD(requests.idle_per_origin_max), integer({.min = 0, .max = 100'000})), {}},
      {"requests.connections.idle-lifetime", {}, live,
       "How long an unused upstream connection is kept.",
       wait(TG_FIELD(requests.idle_connection_lifetime), second_ms, day_ms), {}},
      {"requests.ca-file", {}, live,
       "PEM file with additional certificate authorities for upstream connections.",
       at(TG_FIELD(requests.ca_file), line_text()), {}},
  };
}

std::vector<key_row> payload_rows() {
  using enum payload_form;
  return {
      {"requests.payload.default", {"payload.default"}, live,
       "Values for request members that the client left out (payload-rules.md).",
       at(TG_FIELD(requests.payload.fill), payload_rules(value)), {}},
      {"requests.payload.default-raw", {"payload.default-raw"}, live,
       "The same with values in JSON text.",
       at(TG_FIELD(requests.payload.fill_raw), payload_rules(raw)), {}},
      {"requests.payload.override", {"payload.override"}, live,
       "Values for request members, whatever the client sent.",
       at(TG_FIELD(requests.payload.override_all), payload_rules(value)), {}},
      {"requests.payload.override-raw", {"payload.override-raw"}, live,
       "The same with values in JSON text.",
       at(TG_FIELD(requests.payload.override_raw), payload_rules(raw)), {}},
      {"requests.payload.filter", {"payload.filter"}, live, "Request members to remove.",
       at(TG_FIELD(requests.payload.filter), payload_rules(path)), {}},
  };
}

std::vector<key_row> credential_rows() {
  return {
      family_row(provider::kind::codex, "Groups of keys for the Codex Responses protocol."),
      family_row(provider::kind::openai_compatibility,
                 "Providers that speak the OpenAI Chat Completions protocol."),
      family_row(provider::kind::claude, "Groups of keys for the Anthropic Messages protocol."),
      family_row(provider::kind::gemini, "Groups of keys for the Gemini protocol."),
      family_row(provider::kind::vertex,
                 "Groups of express keys for Vertex AI; service accounts are credential files."),
      family_row(provider::kind::xai, "Groups of keys for xAI's Responses protocol."),
      family_row(provider::kind::kimi, "Groups of keys for Kimi."),
      {"oauth.auth-dir", {"auth-dir"}, restart,
       "Directory of credential files and .cds files; ~ is the home directory.",
       at(TG_FIELD(credentials.auth_dir), directory_text()), {}},
      {"oauth.model-alias", {"oauth-model-alias"}, live,
       "Client-visible model names of account credentials: channel to list of {name, alias, fork, "
       "force-mapping, display-name, max-context-length} (models.md).",
       at(TG_FIELD(credentials.oauth_model_aliases), channel_aliases()), {}},
      {"oauth.excluded-models", {"oauth-excluded-models"}, live,
       "Models that account credentials do not serve: channel to list of x, x*, *x or *x*.",
       at(TG_FIELD(credentials.oauth_excluded_models), channel_exclusions()), {}},
      {"oauth.request-scoped-errors", {"oauth-request-scoped-errors"}, live,
       "Error rules of account credentials: channel to list of {status, match, match-regexr, "
       "action}.",
       at(TG_FIELD(credentials.oauth_error_rules), channel_error_rules()), {}},
      {"observability.logs.debug", {"debug"}, live, "Log details of every request.",
       at(TG_FIELD(log.debug), boolean()), {}},
  };
}

// clang-format on

}  // namespace

std::vector<key_row> key_table() {
  auto rows = server_rows();
  append(rows, access_rows());
  append(rows, routing_rows());
  append(rows, cooldown_rows());
  append(rows, request_rows());
  append(rows, payload_rows());
  append(rows, credential_rows());
  append(rows, oauth_client_rows());
  return rows;
}

const schema& gateway_schema() {
  static const schema all{key_table(), entry_table(), entry_ignored_table(), retired_table()};
  return all;
}

}  // namespace tidegate::config
