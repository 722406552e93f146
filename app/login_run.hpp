#pragma once
/// One account login at the terminal, from its first request to the credential file.

#include <cstdint>

#include "config/snapshot.hpp"
#include "provider/options.hpp"

namespace tidegate::app {

/// Exit codes.
inline constexpr int login_done = 0;
inline constexpr int login_failed = 1;
inline constexpr int login_timed_out = 3;

inline constexpr std::uint16_t callback_port_default = 1455;

struct login_order {
  provider::kind of = provider::kind::codex;
  bool device = false;      ///< on another device, where there is a choice
  bool no_browser = false;  ///< only prints the page's address
  std::uint16_t callback_port = callback_port_default;  ///< 0 = any free one
};

/// The exit code; everything else has been printed.
int run_login(const config::snapshot_ptr& settings, const login_order& order);

}  // namespace tidegate::app
