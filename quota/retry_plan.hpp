#pragma once
/// What follows a failed attempt, and whether another round over the pool is worth a wait.
/// Pure; jitter is a parameter in [0, 1). Rules: spec/quota.md 2.2, 2.7, 4.4 and 4.5.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "quota/options.hpp"
#include "quota/outcome.hpp"
#include "quota/verdict.hpp"

namespace tidegate::quota {

/// Least wait for a candidate whose 429 ended this request's last round.
inline constexpr std::chrono::seconds rest_after_429{10};
/// Jitter adds up to a quarter of the wait, never more than this.
inline constexpr std::chrono::seconds jitter_max{2};

enum class after_failure : std::uint8_t {
  answer_now,       ///< relay this error; nobody else would do better
  next_credential,  ///< go on inside this round
};
after_failure plan_after(const outcome& failed);

/// Whether the status or class of the round's last error allows another round.
bool allows_another_round(const outcome& last);

/// How long to wait before round `round` (1, 2, ...): nullopt = no further round. `pool` is the
/// candidates' own account at `now`. A candidate takes part when it is selectable, allows that many
/// rounds, and is free or blocked by something that passes (block_state::round_eligible). Zero when
/// one of them is free, unless nobody is blocked at all (cooling is off) and the last error named
/// its own end: then that is honoured. A caller in usage-limit mode asks decide() first: a final
/// answer is not worth a wait.
std::optional<std::chrono::nanoseconds> wait_before_round(std::span<const candidate> pool,
                                                          const outcome& last, int round,
                                                          const retry_options& options,
                                                          double jitter, instant now);

/// The candidate that may be tried once although its quota block stands: one whose probe is due,
/// when no candidate is free. Rule: spec/quota.md 8 P1, docs/decisions/0008.
std::optional<credential_id> probe_target(std::span<const candidate> pool);

}  // namespace tidegate::quota
