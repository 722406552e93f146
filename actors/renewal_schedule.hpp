#pragma once
/// When one credential's access token is renewed next, and what the last tries came to. Pure
/// arithmetic; owner: the credential actor. Rules: spec/config-management.md 5.3, quota.md 2.12.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "provider/credential.hpp"
#include "provider/token.hpp"

namespace tidegate::actors {

/// A token this close to its end is not sent any more; at most a fifth of its lifetime.
inline constexpr std::chrono::seconds expiry_margin{30};
/// Pause after a failed renewal, doubled for each further one up to the longest.
inline constexpr std::chrono::seconds renewal_pause{60};
inline constexpr std::chrono::seconds renewal_pause_max{30 * 60};
/// Pause after a renewal whose token ends no later than the old one did.
inline constexpr std::chrono::seconds renewal_pause_idle{30};
/// Renewals fall due up to this part of the lead time earlier, so that many do not come together.
inline constexpr double renewal_spread = 0.25;

enum class renewal_state : std::uint8_t {
  none,     ///< nothing to renew: an API key, or a token without a way to a new one
  waiting,  ///< for `next`
  running,
  failed,    ///< the last try failed, `next` says when the next one is
  rejected,  ///< the login is void: a person must act
};

std::string_view to_string(renewal_state of);

/// Whether `who` can be used now without renewing it first.
bool token_usable(const provider::credential& who, instant now);

class renewal_schedule {
 public:
  /// A record that was not renewed here: start, or a changed file. Forgets earlier failures.
  void adopt(const provider::credential& who, instant now, double random);
  void began() { running_ = true; }
  void succeeded(const provider::credential& renewed, instant now, double random);
  void failed(const provider::refresh_failure& why, instant now);

  renewal_state state() const;
  bool running() const { return running_; }
  /// nullopt: not by itself.
  std::optional<instant> next() const { return next_; }
  bool due(instant now) const { return !running_ && next_ && *next_ <= now; }
  /// Whether a request that needs the token may have it renewed now: not while a failure rests.
  bool may_try(instant now) const;

  std::optional<instant> last_success() const { return last_success_; }
  const std::string& reason() const {
    return reason_;
  }  ///< of the last failure; empty after success
  std::uint64_t successes() const { return successes_; }
  std::uint64_t failures() const { return failures_; }

 private:
  void plan(const provider::credential& who, instant now, double random);

  bool renewable_ = false;
  bool running_ = false;
  bool rejected_ = false;
  int failed_in_row_ = 0;
  std::optional<instant> next_;
  std::optional<instant> last_success_;
  std::string reason_;
  std::uint64_t successes_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace tidegate::actors
