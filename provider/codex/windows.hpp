#pragma once
/// Which Codex quota window an exhaustion belongs to. Primary is normally the 5-hour window,
/// secondary the weekly one, but only their stated lengths count.

#include "quota/windows.hpp"

#include <chrono>
#include <optional>

namespace tidegate::provider::codex {

/// How far the reset of one and the same window differs between replies (observed).
inline constexpr std::chrono::seconds reset_jitter{2};

/// The window whose reset is the stated one; else the one that is 100 % used, of two the later;
/// nullopt when neither tells.
std::optional<std::chrono::minutes> exhausted_window(
    const std::optional<quota::window_report>& report, std::optional<instant> reset);

}  // namespace tidegate::provider::codex
