#pragma once
/// What OpenAI's own API, and whoever speaks like it, says about a 429: how long to wait, and
/// whether the quota is used up. Read by every provider of that family.
/// Source: OpenAI API reference, error codes and rate limits; RFC 9110 10.2.3 (`Retry-After`).

#include "provider/error_body.hpp"
#include "provider/provider.hpp"

#include <optional>

namespace tidegate::provider {

struct openai_limit {
  /// `Retry-After-Ms`, else `Retry-After` (seconds or HTTP date), else one minute for a
  /// tokens-per-minute limit. `x-ratelimit-reset-*` is not read: it rides on every reply and does
  /// not say which limit refused.
  std::optional<instant> deadline;
  bool exhausted = false;  ///< `insufficient_quota` with one of the two headers
};

/// For a reply whose class is quota.
openai_limit read_openai_limit(const error_body& body, const header_lookup& header, instant now);

}  // namespace tidegate::provider
