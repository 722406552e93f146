#include "provider/google_quota.hpp"

#include "base/time_text.hpp"
#include "provider/instants.hpp"
#include "provider/text_match.hpp"

#include <re2/re2.h>

namespace tidegate::provider {
namespace {

using nlohmann::json;

const json* details_of(const error_body& body) {
  const json* details = member_of(body.error(), "details");
  return details != nullptr && details->is_array() ? details : nullptr;
}

bool is_detail(const json& detail, std::string_view type) {
  return string_of(&detail, "@type").ends_with(type);
}

std::optional<duration> retry_delay(const error_body& body) {
  const json* details = details_of(body);
  if (details == nullptr) return std::nullopt;
  for (const json& detail : *details) {
    const auto text = string_of(&detail, "retryDelay");
    if (!is_detail(detail, "google.rpc.RetryInfo") || text.empty()) continue;
    const auto delay = parse_go_duration(text);
    return delay && *delay > duration::zero() ? delay : std::nullopt;
  }
  return std::nullopt;
}

const json* metadata_of(const error_body& body) {
  const json* details = details_of(body);
  if (details == nullptr) return nullptr;
  for (const json& detail : *details) {
    if (!is_detail(detail, "google.rpc.ErrorInfo")) continue;
    if (const json* metadata = member_of(&detail, "metadata")) return metadata;
  }
  return nullptr;
}

std::optional<duration> positive(std::optional<duration> wait) {
  return wait && *wait > duration::zero() ? wait : std::nullopt;
}

std::optional<duration> delay_in_words(std::string_view text) {
  static const RE2 words{R"((?i)\b(?:resets in|after)\s+((?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+))"};
  re2::StringPiece found;
  if (!RE2::PartialMatch(re2::StringPiece{text.data(), text.size()}, words, &found)) {
    return std::nullopt;
  }
  return parse_go_duration({found.data(), found.size()});
}

std::optional<duration> positive_retry_after(const header_lookup& header, instant now) {
  const auto text = header("retry-after");
  const auto wait = text ? parse_retry_after(trimmed(*text), now) : std::nullopt;
  return wait && *wait > duration::zero() ? wait : std::nullopt;
}

}  // namespace

google_quota read_google_quota(int status, const error_body& body, const header_lookup& header,
                               instant now) {
  google_quota out;
  out.exhausted = status == 429 && string_of(body.error(), "status") == "RESOURCE_EXHAUSTED" &&
                  has_google_reason(body, "QUOTA_EXHAUSTED");
  if (!out.exhausted) return out;
  auto wait = retry_delay(body);
  if (!wait) wait = positive_retry_after(header, now);
  if (wait) out.reset = instant_after(now, *wait);
  return out;
}

std::optional<instant> read_google_hint(const error_body& body, instant now) {
  const json* metadata = metadata_of(body);
  const auto at = parse_rfc3339(string_of(metadata, "quotaResetTimeStamp"));
  if (at && *at > now) return at;
  auto wait = retry_delay(body);
  if (!wait) wait = positive(parse_go_duration(string_of(metadata, "quotaResetDelay")));
  if (!wait) wait = positive(delay_in_words(body.message()));
  return wait ? instant_after(now, *wait) : std::nullopt;
}

bool has_google_reason(const error_body& body, std::string_view reason) {
  const json* details = details_of(body);
  if (details == nullptr) return false;
  for (const json& detail : *details) {
    if (is_detail(detail, "google.rpc.ErrorInfo") && string_of(&detail, "reason") == reason) {
      return true;
    }
  }
  return false;
}

}  // namespace tidegate::provider
