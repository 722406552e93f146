#pragma once
/// What the writers of schemas know about JSON Schema. Internal to messages/.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tidegate::protocol::messages {

/// Members whose value is data, no schema.
inline constexpr std::string_view data_members[] = {"enum", "const", "default", "example",
                                                    "examples"};
/// Members whose value is a map of schemas by name.
inline constexpr std::string_view map_members[] = {"properties", "patternProperties", "$defs",
                                                   "definitions"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

/// The end of a string token that begins at `at`: the position of its closing quote.
inline std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at;
}

/// Whether an object or list has more members than a schema is rewritten for: members keep their
/// order, so each is looked for among all. `json` is valid JSON.
inline bool is_too_wide(std::string_view json) {
  constexpr std::size_t members_max = 1024;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') at = string_end(json, at);
    if (c == '{' || c == '[') open.push_back(1);
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    if (c == ',' && !open.empty() && ++open.back() > members_max) return true;
  }
  return false;
}

}  // namespace tidegate::protocol::messages
