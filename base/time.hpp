#pragma once
/// Time as the pure code sees it: absolute instants of the wall clock, passed in as `now`.
/// Only `app/` and the actors' clock port read a real clock; waits use the monotonic clock.
/// Text forms (RFC 3339, HTTP dates, Go durations) are in base/time_text.hpp.

#include <chrono>

namespace tidegate {

/// Absolute wall-clock instant in UTC, nanosecond ticks.
using instant = std::chrono::sys_time<std::chrono::nanoseconds>;
using duration = std::chrono::nanoseconds;

/// Port for the wall clock, so that tests advance it by hand. Thread-safe.
class wall_clock {
 public:
  virtual ~wall_clock() = default;
  virtual instant now() const noexcept = 0;
};

/// The instant `seconds` after 1970-01-01T00:00:00Z.
constexpr instant from_unix(std::int64_t seconds) {
  return instant{std::chrono::seconds{seconds}};
}

/// Whole seconds since 1970, rounded up: a client that comes back then is not too early.
constexpr std::int64_t to_unix_ceil(instant t) {
  return std::chrono::ceil<std::chrono::seconds>(t.time_since_epoch()).count();
}

}  // namespace tidegate
