#pragma once
/// The Google project of an Antigravity account whose file names none: asked for, and where the
/// account has none yet, requested for its default tier. Pure; the waits are the caller's.

#include <cstdint>
#include <string>
#include <string_view>

#include "provider/provider.hpp"

namespace tidegate::provider::antigravity {

/// So often onboarding is asked about, two seconds apart.
inline constexpr int onboard_attempts_max = 5;

enum class project_state : std::uint8_t {
  found,    ///< there is a project
  onboard,  ///< none yet: onboard with `tier`
  pending,  ///< onboarding goes on: ask again
  failed,   ///< no answer of use, with `reason`
};

struct project_answer {
  project_state state = project_state::failed;
  std::string project_id{};
  std::string tier{};
  std::string reason{};  ///< for people, without what the endpoint wrote
};

/// errc::invalid_input: no access token.
result<upstream_request> project_request(const credential& who);
project_answer read_project(int status, std::string_view body);

result<upstream_request> onboard_request(const credential& who, std::string_view tier);
project_answer read_onboarding(int status, std::string_view body);

}  // namespace tidegate::provider::antigravity
