#pragma once
/// `excluded-models` patterns (base/wildcard.hpp).

#include <string>
#include <string_view>
#include <vector>

namespace tidegate::provider {

/// Both in lower case.
bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace tidegate::provider
