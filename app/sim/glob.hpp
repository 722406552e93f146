#pragma once
/// Glob patterns of the script: `*` is any run of characters (also `/` and none), everything else
/// is literal and case-sensitive. Linear in the text for one star, never exponential.

#include <string_view>

namespace tidegate::sim {

bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace tidegate::sim
