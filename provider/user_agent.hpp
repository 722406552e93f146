#pragma once
/// The one name under which the gateway calls providers. The client's own User-Agent is not passed
/// on and no other program's is claimed.

#include <string_view>

namespace tidegate::provider {

inline constexpr std::string_view user_agent = "tidegate/0.1.0";

}  // namespace tidegate::provider
