#include "provider/openai_limit.hpp"

#include "base/time_text.hpp"
#include "provider/instants.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider {
namespace {

/// Tokens-per-minute limits name no reset; they reopen within the minute.
constexpr std::chrono::seconds tokens_per_minute_wait{60};

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

}  // namespace

openai_limit read_openai_limit(const error_body& body, const header_lookup& header, instant now) {
  openai_limit out;
  out.deadline = retry_after(header, now);
  out.exhausted = out.deadline && states_used_up_quota(body);
  if (!out.deadline && body.text().find("TPMRateLimitExceeded") != std::string_view::npos) {
    out.deadline = instant_after(now, tokens_per_minute_wait);
  }
  return out;
}

}  // namespace tidegate::provider
