#include "provider/classify.hpp"
#include "provider/codex/provider.hpp"
#include "provider/codex/windows.hpp"
#include "provider/instants.hpp"
#include "provider/openai_limit.hpp"
#include "provider/responses_frame.hpp"
#include "provider/text_match.hpp"

#include <utility>
#include <vector>

namespace tidegate::provider::codex {
namespace {

using nlohmann::json;

constexpr std::string_view usage_limit = "usage_limit_reached";
constexpr std::size_t frame_headers_max = 64;
/// The longest windows are weeks.
constexpr std::chrono::days reset_max{60};

bool names_usage_limit(const error_body& body) {
  return equal_ignoring_case(string_of(body.error(), "type"), usage_limit) ||
         equal_ignoring_case(string_of(&body.root(), "type"), usage_limit);
}

bool names_capacity(const error_body& body) {
  return contains_any(lower(body.message()),
                      {"selected model is at capacity", "model is at capacity, try a different"});
}

int normalised(int status, const error_body& body) {
  return names_usage_limit(body) || names_capacity(body) ? 429 : status;
}

/// Only the error object counts; past and present instants do not, nor those that no window has.
std::optional<instant> stated_reset(const json* error, instant now) {
  const auto at = whole_number_of(error, "resets_at");
  if (at && *at <= unix_seconds_max && from_unix(*at) > now && from_unix(*at) - now <= reset_max) {
    return from_unix(*at);
  }
  const auto wait = whole_number_of(error, "resets_in_seconds");
  if (wait && *wait > 0 && *wait <= std::chrono::seconds{reset_max}.count()) {
    return instant_after(now, std::chrono::seconds{*wait});
  }
  return std::nullopt;
}

/// Whether the reply is one of the ChatGPT backend's own, which says in its own fields when it
/// reopens, or does not know. Its Retry-After is not about the quota.
bool is_from_chatgpt(const error_body& body, const header_lookup& header, instant now) {
  return names_usage_limit(body) || names_capacity(body) ||
         member_of(body.error(), "resets_at") != nullptr ||
         member_of(body.error(), "resets_in_seconds") != nullptr || windows(header, now);
}

/// Telemetry behind the reply's head is newer than the head.
std::optional<std::chrono::minutes> window_of(std::optional<instant> reset,
                                              const header_lookup& header,
                                              const attempt_view& attempt) {
  if (attempt.windows != nullptr) {
    if (const auto found = exhausted_window(*attempt.windows, reset)) return found;
  }
  return exhausted_window(windows(header, attempt.observed_at), reset);
}

quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  if (out.kind == quota::outcome_class::quota && names_usage_limit(body)) {
    if (!attempt.codex_model_level) out.covers = quota::scope::credential;
    // Other spellings still mean 429, but only the exact type carries a reset.
    if (string_of(body.error(), "type") == usage_limit) {
      out.deadline = stated_reset(body.error(), attempt.observed_at);
      out.exhausted = true;
      out.window = window_of(out.deadline, header, attempt);
    }
  }
  if (out.kind == quota::outcome_class::quota &&
      !is_from_chatgpt(body, header, attempt.observed_at)) {
    const auto limit = read_openai_limit(body, header, attempt.observed_at);
    out.deadline = limit.deadline;
    out.exhausted = limit.exhausted;
  }
  if (out.kind == quota::outcome_class::quota &&
      body.first("code") == "websocket_connection_limit_reached") {
    out.deadline = attempt.observed_at;
  }
  apply_surface_rules(out, attempt.surface);
  return out;
}

using frame_headers = std::vector<std::pair<std::string, std::string>>;

/// The `headers` object that stands for the reply's headers inside a frame.
frame_headers headers_of(const error_body& body) {
  frame_headers out;
  const json* object = member_of(&body.root(), "headers");
  if (object == nullptr || !object->is_object()) return out;
  for (const auto& [name, value] : object->items()) {
    if (out.size() == frame_headers_max) break;
    if (value.is_string()) out.emplace_back(name, value.get_ref<const std::string&>());
    if (value.is_number_integer()) {
      out.emplace_back(name, std::to_string(value.get<std::int64_t>()));
    }
  }
  return out;
}

}  // namespace

quota::outcome classify(const reply_view& reply, const attempt_view& attempt) {
  const error_body body{reply.body};
  return conclude(normalised(reply.status, body), body, reply.header, attempt);
}

quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt) {
  const error_body body{frame.data};
  const int status = normalised(status_of_responses_frame(body), body);
  const auto inner = headers_of(body);
  if (inner.empty()) return conclude(status, body, header, attempt);
  const header_lookup own = [&](std::string_view name) -> std::optional<std::string_view> {
    for (const auto& [key, value] : inner) {
      if (equal_ignoring_case(key, name)) return value;
    }
    return std::nullopt;
  };
  auto seen = attempt;
  if (windows(own, attempt.observed_at)) seen.windows = nullptr;
  return conclude(status, body, own, seen);
}

}  // namespace tidegate::provider::codex
