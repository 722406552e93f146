#include "config/suggest.hpp"

#include <algorithm>
#include <array>

namespace tidegate::config {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(width);
  for (std::size_t j = 0; j < width; ++j) rows[1][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& before = rows[(i + 2) % 3];
    auto& last = rows[i % 3];
    auto& now = rows[(i + 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
  }
  return rows[(a.size() + 1) % 3].back();
}

std::optional<std::string> nearest(std::string_view name,
                                   const std::vector<std::string_view>& candidates) {
  if (name.size() > suggestion_bytes_max) return std::nullopt;
  std::size_t limit = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> found;
  for (const auto candidate : candidates) {
    if (candidate.size() > suggestion_bytes_max) continue;
    const auto distance = edit_distance(name, candidate);
    if (distance >= limit) continue;
    limit = distance;
    found = std::string{candidate};
  }
  return found;
}

std::string did_you_mean(const std::optional<std::string>& name) {
  return name ? " (did you mean " + *name + "?)" : "";
}

}  // namespace tidegate::config
