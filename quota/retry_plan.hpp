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

enum class after_failure : std::uint8_t {
  answer_now,       ///< relay this error; nobody else would do better
  next_credential,  ///< go on inside this round
};
after_failure plan_after(const outcome& failed);

/// Whether the status or class of the round's last error allows another round.
bool allows_another_round(const outcome& last);

/// How long to wait before round `round` (1, 2, ...): nullopt = no further round. `pool` is the
/// candidates' own account at `now`; `just_failed_429` lists nobody when cooling is off.
std::optional<std::chrono::nanoseconds> wait_before_round(std::span<const candidate> pool,
                                                          const outcome& last, int round,
                                                          const retry_options& options,
                                                          double jitter, instant now);

}  // namespace tidegate::quota
