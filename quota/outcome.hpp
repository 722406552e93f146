#pragma once
/// The typed outcome of one attempt: what `provider/` makes of a reply and what everything
/// downstream decides on. Nothing after this type parses an error text again.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace tidegate::quota {

/// Why an attempt ended as it did. The class alone decides cooldown, rotation and wording.
enum class outcome_class : std::uint8_t {
  success,               ///< served
  quota,                 ///< 429: rate limit or used-up quota
  unauthorized,          ///< 401
  payment_required,      ///< 402 and 403
  invalid_grant,         ///< the refresh token is dead
  model_not_supported,   ///< this credential cannot use this model
  not_found,             ///< 404 that names neither model nor item
  cloudflare_challenge,  ///< a challenge page instead of an answer
  transient,             ///< 408, 5xx, any other status, an empty stream
  transport,             ///< no reply at all: DNS, connect, TLS, reset, timeout
  lifecycle,             ///< the connection ended by its own life cycle, not by a fault
  request_fault,         ///< the request's own fault: same everywhere, nobody cools
  cancelled,             ///< the client left or the gateway drains: says nothing about anybody
};

/// What a cooldown covers.
enum class scope : std::uint8_t {
  model,       ///< one upstream model of the credential
  credential,  ///< every model of the credential
};

/// What an operator's request-scoped-errors rule wants instead of the built-in behaviour.
enum class rule_action : std::uint8_t {
  none,                   ///< no rule matched
  stop,                   ///< answer now, cool nothing
  stop_and_cooldown,      ///< answer now, cool even where cooling is disabled
  next,                   ///< try the next credential, cool nothing
  next_and_cooldown,      ///< try the next credential, cool even where cooling is disabled
};

struct outcome {
  outcome_class kind = outcome_class::success;
  scope covers = scope::model;          ///< what a cooldown from this outcome covers
  int status = 0;                       ///< HTTP status, as the provider normalised it; 0 = none
  std::string cause;                    ///< `code: message`, redacted, at most 256 characters
  std::optional<instant> deadline;      ///< when the provider says it reopens, before any floor
  std::optional<instant> quota_reset;   ///< only usage-limit mode may use it as the deadline
  bool exhausted = false;               ///< the provider called a quota window used up
  std::optional<std::chrono::minutes> window;  ///< its length; none = unknown
  rule_action rule = rule_action::none; ///< the operator rule that matched
  instant started_at{};                 ///< when the attempt began
  instant observed_at{};                ///< when its end was seen
};

/// Lower-case name for logs, management and `.cds` reasons.
std::string_view to_string(outcome_class kind);

}  // namespace tidegate::quota
