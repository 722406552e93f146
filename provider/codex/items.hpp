#pragma once
/// The items of `input` as the ChatGPT backend takes them back: it checks what ids look like, knows
/// no item by its id alone, and reads no thinking but its own. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::provider::codex {

inline constexpr std::size_t item_id_bytes_max = 64;

/// nullopt: as it is.
std::optional<std::string> mended_items(std::string_view input);

}  // namespace tidegate::provider::codex
