#pragma once
/// The one name under which the gateway calls providers. The client's own User-Agent is not passed
/// on and no other program's is claimed.

#include <string_view>

namespace tidegate::provider {

inline constexpr std::string_view user_agent = "tidegate/0.1.0";
inline constexpr std::string_view program = user_agent.substr(0, user_agent.find('/'));
inline constexpr std::string_view program_version = user_agent.substr(program.size() + 1);

}  // namespace tidegate::provider
