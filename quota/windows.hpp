#pragma once
/// Quota window telemetry that providers report beside their answers: shown to operators, and
/// newer telemetry than a block may lift it.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace tidegate::quota {

struct window {
  std::string name;                            ///< `primary`, `secondary`, `5h`, `7d`, `7d_oi`
  std::optional<double> used_percent;          ///< 0..100 and above
  std::optional<std::chrono::minutes> length;
  std::optional<instant> reset_at;
  std::string status;                          ///< `allowed`, `allowed_warning`, `rejected`, empty

  friend bool operator==(const window&, const window&) = default;
};

struct window_report {
  std::vector<window> windows;
  std::string source;      ///< `headers`, `event`
  instant observed_at{};
};

/// True when the report states that quota is available: a status `allowed`, or every window with a
/// figure below 100 %. A window that is `rejected` or at 100 % contradicts any other; an empty
/// report, or one without figure and `allowed`, states nothing.
bool states_room(const window_report& report);

}  // namespace tidegate::quota
