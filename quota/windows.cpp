#include "quota/windows.hpp"

#include <algorithm>

namespace tidegate::quota {

bool states_room(const window_report& report) {
  const auto used_up = [](const window& w) {
    return w.status == "rejected" || (w.used_percent && *w.used_percent >= 100.0);
  };
  const auto has_room = [](const window& w) { return w.status == "allowed" || w.used_percent; };
  return std::ranges::none_of(report.windows, used_up) &&
         std::ranges::any_of(report.windows, has_room);
}

}  // namespace tidegate::quota
