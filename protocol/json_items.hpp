#pragma once
/// The members of an object or the elements of an array, by their places. For texts that are known
/// to be JSON, as parts of a body are whose envelope was read: the nested values are stepped over
/// without being checked. Pure; never throws, never reads past the text.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tidegate::protocol {

struct json_item {
  std::string_view key;    ///< raw, between its quotes; empty for elements
  std::size_t begin = 0;   ///< of the key's quote, or of an element
  std::size_t offset = 0;  ///< of the value
  std::size_t size = 0;    ///< of the value without blanks around it

  std::size_t end() const { return offset + size; }
};

/// nullopt: neither an object nor an array, or broken text.
std::optional<std::vector<json_item>> items_of(std::string_view container);

/// Whether a raw key spells this name, with escapes or without.
bool key_is(std::string_view raw_key, std::string_view name);

}  // namespace tidegate::protocol
