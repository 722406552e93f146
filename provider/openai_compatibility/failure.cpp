#include "base/time_text.hpp"
#include "provider/classify.hpp"
#include "provider/google_quota.hpp"
#include "provider/instants.hpp"
#include "provider/openai_compatibility/provider.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::openai_compatibility {
namespace {

/// Tokens-per-minute limits name no reset; they reopen within the minute.
constexpr std::chrono::seconds tokens_per_minute_wait{60};

/// Retry-After-Ms wins over Retry-After when both can be read.
std::optional<instant> retry_after(const header_lookup& header, instant now) {
  if (const auto text = header("retry-after-ms")) {
    const auto wait = number_from(*text);
    if (const auto at = wait ? instant_after_seconds(now, *wait / 1000) : std::nullopt) return at;
  }
  const auto text = header("retry-after");
  const auto wait = text ? parse_retry_after(trimmed(*text), now) : std::nullopt;
  return wait ? instant_after(now, *wait) : std::nullopt;
}

bool states_used_up_quota(const error_body& body) {
  return string_of(body.error(), "type") == "insufficient_quota" ||
         string_of(body.error(), "code") == "insufficient_quota";
}

quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  if (out.kind == quota::outcome_class::quota) {
    const auto google = read_google_quota(status, body, header, attempt.observed_at);
    out.deadline = retry_after(header, attempt.observed_at);
    out.exhausted = google.exhausted || (out.deadline && states_used_up_quota(body));
    out.quota_reset = google.reset;
    if (!out.deadline && body.text().find("TPMRateLimitExceeded") != std::string_view::npos) {
      out.deadline = instant_after(attempt.observed_at, tokens_per_minute_wait);
    }
  }
  apply_surface_rules(out, attempt.surface);
  return out;
}

int status_of_frame(const error_body& body) {
  if (const auto stated = stated_status(body)) return *stated;
  // Some endpoints put the HTTP status where OpenAI has a word.
  const auto code = whole_number_of(body.error(), "code");
  return code && *code >= 400 && *code <= 599 ? static_cast<int>(*code) : 502;
}

}  // namespace

quota::outcome classify(const reply_view& reply, const attempt_view& attempt) {
  return conclude(reply.status, error_body{reply.body}, reply.header, attempt);
}

quota::outcome classify_frame(const protocol::sse_frame& frame, const attempt_view& attempt) {
  const error_body body{frame.data};
  return conclude(status_of_frame(body), body, no_headers(), attempt);
}

std::optional<quota::window_report> windows(const header_lookup&, instant) {
  return std::nullopt;
}

std::optional<quota::window_report> frame_windows(const protocol::sse_frame&, instant) {
  return std::nullopt;
}

}  // namespace tidegate::provider::openai_compatibility
