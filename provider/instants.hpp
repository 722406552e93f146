#pragma once
/// Arithmetic on provider-stated times that cannot overflow: figures from outside may be anything.

#include "base/time.hpp"

#include <cstdint>
#include <optional>

namespace tidegate::provider {

/// Unix seconds beyond this (year 2255) are no instant of ours; milliseconds sent as seconds land
/// beyond it.
inline constexpr std::int64_t unix_seconds_max = 9'000'000'000;

/// nullopt unless 0 < seconds <= unix_seconds_max. The fraction counts.
inline std::optional<instant> instant_at(double unix_seconds) {
  if (!(unix_seconds > 0) || unix_seconds > static_cast<double>(unix_seconds_max)) {
    return std::nullopt;
  }
  const auto whole = static_cast<std::int64_t>(unix_seconds);
  const auto fraction = unix_seconds - static_cast<double>(whole);
  return from_unix(whole) + std::chrono::milliseconds{static_cast<std::int64_t>(fraction * 1000)};
}

/// `now + wait`; nullopt when the wait is negative or the sum leaves the range.
inline std::optional<instant> instant_after(instant now, duration wait) {
  if (wait < duration::zero() || wait > std::chrono::seconds{unix_seconds_max}) return std::nullopt;
  if (now > from_unix(unix_seconds_max) - wait) return std::nullopt;
  return now + wait;
}

/// The same for a count of seconds.
inline std::optional<instant> instant_after_seconds(instant now, double seconds) {
  if (!(seconds >= 0) || seconds > static_cast<double>(unix_seconds_max)) return std::nullopt;
  return instant_after(now, std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)});
}

}  // namespace tidegate::provider
