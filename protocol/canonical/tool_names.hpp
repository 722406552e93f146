#pragma once
/// Tool names as a target spells them, and the way back. Built from the declared tools first, so
/// that history and tool_choice follow the declarations. Spec: translation.md 2.4 and 4.2.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol {

/// What a target allows in a name.
struct name_rules {
  std::size_t bytes_max = 64;
  std::string_view punctuation = "_-";  ///< allowed beside ASCII letters and digits
  bool starts_with_letter = false;      ///< or with an underscore
  bool custom_as_function = false;      ///< free-form tools become functions with one `input`
};

/// One name whose wire spelling is not the client's own, or whose kind changed.
struct tool_name {
  std::string wire;
  std::string name;        ///< plain
  std::string name_space;  ///< plain
  tool_kind kind = tool_kind::function;

  friend bool operator==(const tool_name&, const tool_name&) = default;
};
using tool_names = std::vector<tool_name>;  ///< sorted by `wire`

class name_map {
 public:
  explicit name_map(name_rules rules) : rules_(rules) {}

  /// The wire's spelling; the same for the same tool each time. A namespace becomes `ns__name`,
  /// unless the name begins with `mcp__` or with the prefix already. Characters that are not
  /// allowed become `_`; a name that is too long is cut, `mcp__server__tool` to `mcp__tool`; a
  /// spelling that is taken gets `_1`, `_2`, ... Each number is tried once for names that begin
  /// alike, so that clashes of many names cost no more than the names.
  const std::string& wire_name(std::string_view name, std::string_view name_space, tool_kind kind);

  /// For the decoder of the answer.
  tool_names changed() const;

 private:
  using key = std::tuple<std::string, std::string, tool_kind>;
  std::string shaped(std::string_view name, std::string_view name_space) const;
  std::string fresh(const std::string& wanted);

  name_rules rules_;
  std::map<key, std::string> wire_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< the last one tried, by beginning
};

/// The entry for a name on the wire; nullptr = the name is the client's own.
const tool_name* find_tool(const tool_names& names, std::string_view wire);

}  // namespace tidegate::protocol
