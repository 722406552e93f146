#include "protocol/error_shape.hpp"

#include "base/text.hpp"
#include "base/time_text.hpp"

#include <algorithm>

namespace tidegate::protocol {
namespace {

constexpr std::chrono::minutes five_hours{300};
constexpr std::chrono::minutes one_day{1440};

std::string_view or_unknown(std::string_view text) { return text.empty() ? "unknown" : text; }

std::string cooldown_message(const failure& what) {
  std::string text = "All credentials for ";
  text += what.model.empty() ? "requested model" : "model " + what.model;
  text += " are cooling down";
  if (const auto provider = single_provider(what); !provider.empty()) {
    text += " via provider ";
    text += provider;
  }
  if (!what.last_error.empty()) text += " (last error: " + what.last_error + ")";
  return text;
}

std::string busy_message(const failure& what) {
  if (!what.message.empty()) return what.message;
  return "All credentials for model " + std::string{or_unknown(trimmed(what.model))} +
         " are busy with as many requests as they may have; try again shortly";
}

std::string no_credential_message(std::string_view code, std::string_view sentence,
                                  const failure& what) {
  std::string text{code};
  text += ": ";
  text += sentence;
  text += " (providers=";
  text += or_unknown(trimmed(what.providers));
  text += ", model=";
  text += or_unknown(trimmed(what.model));
  if (!what.last_error.empty()) text += "; last upstream error: " + what.last_error;
  return text + ')';
}

std::int64_t seconds_up(duration d) {
  return std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::seconds>(d).count());
}

bool says_when_to_retry(const failure& what) {
  switch (what.kind) {
    case failure_kind::busy:
    case failure_kind::model_cooldown:
    case failure_kind::draining: return true;
    case failure_kind::auth_unavailable: return what.reset_at.has_value();
    case failure_kind::invalid_request:
    case failure_kind::unsupported_encoding:
    case failure_kind::missing_key:
    case failure_kind::invalid_key:
    case failure_kind::forbidden:
    case failure_kind::model_not_found:
    case failure_kind::route_not_found:
    case failure_kind::method_not_allowed:
    case failure_kind::body_too_large:
    case failure_kind::upgrade_not_served:
    case failure_kind::not_supported:
    case failure_kind::usage_limit:
    case failure_kind::auth_not_found:
    case failure_kind::auth_required:
    case failure_kind::upstream_failure:
    case failure_kind::upstream_timeout:
    case failure_kind::internal: return false;
  }
  return false;
}

/// Asking again changes nothing.
bool is_final(failure_kind kind) {
  return kind == failure_kind::usage_limit || kind == failure_kind::auth_required ||
         kind == failure_kind::not_supported;
}

/// The exhausted window as Codex clients read it.
void add_codex_window(std::vector<header>& out, const failure& what, const reset_view& reset) {
  if (!what.window || *what.window <= std::chrono::minutes{0}) return;
  const std::string stem = *what.window < one_day ? "X-Codex-Primary-" : "X-Codex-Secondary-";
  out.emplace_back(stem + "Used-Percent", "100");
  out.emplace_back(stem + "Window-Minutes", std::to_string(what.window->count()));
  out.emplace_back(stem + "Reset-At", std::to_string(reset.at));
}

/// The exhausted window as Claude Code reads it when it is signed in to an account.
void add_unified_limit(std::vector<header>& out, const failure& what, const reset_view& reset) {
  out.emplace_back("anthropic-ratelimit-unified-status", "rejected");
  out.emplace_back("anthropic-ratelimit-unified-reset", std::to_string(reset.at));
  if (!what.window) return;
  if (*what.window == five_hours) {
    out.emplace_back("anthropic-ratelimit-unified-representative-claim", "five_hour");
  } else if (*what.window >= one_day) {
    out.emplace_back("anthropic-ratelimit-unified-representative-claim", "seven_day");
  }
}

}  // namespace

int status_of(failure_kind kind) {
  switch (kind) {
    case failure_kind::invalid_request:
    case failure_kind::model_not_found: return 400;
    case failure_kind::missing_key:
    case failure_kind::invalid_key: return 401;
    case failure_kind::forbidden: return 403;
    case failure_kind::route_not_found: return 404;
    case failure_kind::method_not_allowed: return 405;
    case failure_kind::body_too_large: return 413;
    case failure_kind::unsupported_encoding: return 415;
    case failure_kind::upgrade_not_served: return 426;
    case failure_kind::busy:
    case failure_kind::model_cooldown:
    case failure_kind::usage_limit: return 429;
    case failure_kind::internal: return 500;
    case failure_kind::not_supported: return 501;
    case failure_kind::upstream_failure: return 502;
    case failure_kind::auth_unavailable:
    case failure_kind::auth_not_found:
    case failure_kind::auth_required:
    case failure_kind::draining: return 503;
    case failure_kind::upstream_timeout: return 504;
  }
  return 500;
}

std::string message_of(const failure& what) {
  switch (what.kind) {
    case failure_kind::missing_key: return "Missing API key";
    case failure_kind::invalid_key: return "Invalid API key";
    case failure_kind::unsupported_encoding:
      return "Invalid request: unsupported request content encoding: " + what.message;
    case failure_kind::model_not_found: return "unknown provider for model " + what.model;
    case failure_kind::busy: return busy_message(what);
    case failure_kind::model_cooldown:
    case failure_kind::usage_limit: return cooldown_message(what);
    case failure_kind::auth_unavailable:
      return no_credential_message("auth_unavailable", "no auth available", what);
    case failure_kind::auth_not_found:
      return no_credential_message("auth_not_found", "no auth available", what);
    case failure_kind::auth_required:
      return no_credential_message("auth_required", "every login must be renewed", what);
    case failure_kind::invalid_request:
    case failure_kind::forbidden:
    case failure_kind::route_not_found:
    case failure_kind::method_not_allowed:
    case failure_kind::body_too_large:
    case failure_kind::upgrade_not_served:
    case failure_kind::not_supported:
    case failure_kind::upstream_failure:
    case failure_kind::upstream_timeout:
    case failure_kind::internal:
    case failure_kind::draining: break;
  }
  return what.message.empty() ? std::string{reason_phrase(status_of(what.kind))} : what.message;
}

std::string coded_message_of(const failure& what) {
  return what.code.empty() ? message_of(what) : what.code + ": " + message_of(what);
}

std::string_view single_provider(const failure& what) {
  const std::string_view one = trimmed(what.providers);
  return one.find(',') == std::string_view::npos ? one : std::string_view{};
}

std::optional<reset_view> reset_of(const failure& what, instant now) {
  if (!what.reset_at) return std::nullopt;
  const std::int64_t at = to_unix_ceil(*what.reset_at);
  const bool final = what.kind == failure_kind::usage_limit;
  return reset_view{at, seconds_up((final ? from_unix(at) : *what.reset_at) - now),
                    format_reset_time(*what.reset_at - now)};
}

std::vector<header> headers_of(wire form, const failure& what, instant now) {
  std::vector<header> out{{"Content-Type", "application/json"}};
  const auto reset = reset_of(what, now);
  if (says_when_to_retry(what)) {
    const std::int64_t seconds = std::max<std::int64_t>(1, reset ? reset->seconds : 0);
    out.emplace_back("Retry-After", std::to_string(seconds));
  }
  if (is_final(what.kind)) {
    out.emplace_back("X-Should-Retry", "false");
  }
  if (what.kind == failure_kind::usage_limit && reset) {
    add_codex_window(out, what, *reset);
    if (form == wire::anthropic_messages) add_unified_limit(out, what, *reset);
  }
  return out;
}

}  // namespace tidegate::protocol
