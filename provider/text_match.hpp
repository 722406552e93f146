#pragma once
/// ASCII comparisons of wire words: header values, error types, model names. Bytes beyond ASCII
/// compare as they are.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace tidegate::provider {

inline bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// What no header and no line may hold.
inline bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace tidegate::provider
