#include "provider/model_pattern.hpp"

#include <algorithm>

#include "base/wildcard.hpp"

namespace tidegate::provider {

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const auto& pattern) { return matches_wildcard(pattern, name); });
}

}  // namespace tidegate::provider
