#pragma once
/// Google's statement that a quota is used up, as `google.rpc.Status` carries it; also found on
/// Google's OpenAI-compatible endpoints. RATE_LIMIT_EXCEEDED is not such a statement.
/// Source: Google Cloud API design guide, error details (ErrorInfo, RetryInfo).

#include "provider/error_body.hpp"
#include "provider/provider.hpp"

#include <optional>

namespace tidegate::provider {

struct google_quota {
  bool exhausted = false;        ///< 429, RESOURCE_EXHAUSTED and an ErrorInfo with QUOTA_EXHAUSTED
  std::optional<instant> reset;  ///< RetryInfo.retryDelay, else a positive Retry-After
};

google_quota read_google_quota(int status, const error_body& body, const header_lookup& header,
                               instant now);

/// When Google's internal services say that they reopen, in whatever place: a future
/// `quotaResetTimeStamp`, else `retryDelay`, else `quotaResetDelay`, else words: `after 37s`,
/// `Resets in 1h2m3s`. What cannot be read is passed over.
std::optional<instant> read_google_hint(const error_body& body, instant now);

/// True when some ErrorInfo detail gives this reason.
bool has_google_reason(const error_body& body, std::string_view reason);

}  // namespace tidegate::provider
