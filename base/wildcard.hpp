#pragma once
/// Patterns of the operator: `*` stands for any characters, also none; everything else for itself.

#include <string_view>

namespace tidegate {

/// Compares letters as they are. Linear in the text for one star, never exponential.
bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace tidegate
