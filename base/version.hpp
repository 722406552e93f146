#pragma once
/// The version of this build, as `--version`, the user agent and management state it.

#include <string_view>

namespace tidegate {

inline constexpr std::string_view version = "0.1.0";

}  // namespace tidegate
