#pragma once
/// Finds the name a misspelled one was meant to be.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::config {

/// Names longer than this are never compared.
inline constexpr std::size_t suggestion_bytes_max = 64;

/// Insertions, removals, replacements and swaps of neighbours between two names.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate no further away than a third of the name's length (at least one edit).
std::optional<std::string> nearest(std::string_view name,
                                   const std::vector<std::string_view>& candidates);

/// " (did you mean NAME?)" or nothing.
std::string did_you_mean(const std::optional<std::string>& name);

}  // namespace tidegate::config
