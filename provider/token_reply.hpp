#pragma once
/// What token endpoints answer: RFC 6749 section 5, and the vendors' own error shapes. Every body
/// is bounded and hostile; no reason repeats a part of it but a short error code.

#include <string>
#include <string_view>

#include "provider/token.hpp"

namespace tidegate::provider {

inline constexpr std::size_t token_reply_bytes_max = 128 * 1024;
inline constexpr std::size_t token_bytes_max = 16 * 1024;

/// Tokens of a 2xx answer; their end from `expires_in`, else from the access token's own claims,
/// else unknown. A lifetime of zero, below, or beyond ten years says nothing. The others:
/// - 429 is `limited`, with its wait (at most an hour);
/// - a void grant is `rejected`: `invalid_grant`, a refresh token that was used, revoked or has
///   expired, and a 401 for whatever reason but a wrong client;
/// - everything else is `unavailable`, also a wrong client id, which the operator can correct.
refresh_reply read_token_reply(int status, const header_lookup& header, std::string_view body,
                               instant now);

/// The code in an error body, `{"error":"code"}` or `{"error":{"code" or "type":...}}`; empty when
/// there is none that is a short word.
std::string token_error_code(std::string_view body);

/// `Retry-After-Ms`, else `Retry-After`, from zero to an hour.
std::optional<std::chrono::seconds> token_retry_after(const header_lookup& header, instant now);

/// Only visible ASCII and not too long: may stand in a header.
bool is_token_text(std::string_view text);

}  // namespace tidegate::provider
