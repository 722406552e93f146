#pragma once
/// New access tokens: how a provider is asked for one and what its answer means. Pure. Sources of
/// the wire facts are named in each provider's folder.

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"
#include "base/time.hpp"
#include "provider/options.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider {

/// What a token endpoint gave out.
struct fresh_tokens {
  secret_string access_token;
  secret_string refresh_token;       ///< empty = the one that was used stays valid
  secret_string id_token;            ///< empty = none came
  std::optional<instant> expires_at; ///< of the access token
};

enum class refresh_fault : std::uint8_t {
  rejected,     ///< the grant is void (`invalid_grant`, `refresh_token_reused`): a person must log in
  limited,      ///< 429: later
  unavailable,  ///< 5xx, network, an answer that cannot be understood
};

struct refresh_failure {
  refresh_fault kind = refresh_fault::unavailable;
  std::string reason;                ///< for people: short, without secrets
  std::optional<std::chrono::seconds> retry_after{};
};

using refresh_reply = std::expected<fresh_tokens, refresh_failure>;

/// One provider's renewal of account tokens. The client's empty fields stand for the defaults.
struct token_rules {
  std::chrono::seconds lead;  ///< how long before its end a token is renewed
  /// errc::invalid_input: the record lacks what it takes, with what is missing.
  result<upstream_request> (*build)(const credential& who, const oauth_client& client, instant now);
  refresh_reply (*read)(int status, const header_lookup& header, std::string_view body, instant now);
};

/// Null for providers whose credentials are not renewed.
const token_rules* token_rules_of(kind k);

bool same_tokens(const credential& a, const credential& b);
/// What a renewal brings, and nothing else of the record.
void copy_tokens(const credential& from, credential& to);

/// Whether this record can be renewed at all.
bool renewable(const credential& who);

/// When the record's token is due for renewal: its provider's lead before the end, at most a fifth of
/// a lifetime that is known; with a `refresh_interval` so long after the last renewal. 1970 when there
/// is no token yet; nullopt: never by itself, also for a disabled one. Jitter is the caller's.
std::optional<instant> renewal_due(const credential& who);

}  // namespace tidegate::provider
