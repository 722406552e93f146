#pragma once
/// `excluded-models` patterns: `*` stands for any characters, everything else for itself.

#include <string>
#include <string_view>
#include <vector>

namespace tidegate::provider {

/// Both in lower case. Linear in the text for one star, never exponential.
bool matches_pattern(std::string_view pattern, std::string_view name);

bool matches_any(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace tidegate::provider
