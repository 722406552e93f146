#pragma once
/// Where in a JSON body an operator's rule reads or writes. Two spellings:
///   JSON Pointer (RFC 6901)   /tools/0/name    `-` = behind the last element
///   dotted (gjson and sjson)  tools.0.name     `-1` = behind the last element, `\.` = a dot in a
///                                              key, `:0` = the key "0"
/// In the dotted spelling a step may select elements of an array: `#` each one, `#(QUERY)` the
/// first that the query accepts, `#(QUERY)#` all that it accepts. QUERY is `key.path == value`,
/// with
/// == (also =), !=, % and !% (`*` stands for any characters), or a path that must exist; without a
/// path it looks at the element itself. An element that lacks the path is never accepted.
/// Pure; never throws.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tidegate::protocol {

inline constexpr std::size_t path_bytes_max = 512;
inline constexpr std::size_t path_steps_max = 32;

struct element_query {
  enum class test : std::uint8_t { exists, equal, differs, like, unlike };

  std::vector<std::string> keys;  ///< from the element inwards; empty = the element itself
  test how = test::exists;
  std::string text;  ///< what it is compared with, as plain text

  friend bool operator==(const element_query&, const element_query&) = default;
};

struct path_step {
  enum class kind : std::uint8_t {
    name,      ///< the member `key` of an object; element `index` of an array
    append,    ///< a place behind the last element; of an object the member `key`
    every,     ///< each element of an array
    first_of,  ///< the first element that `query` accepts
    each_of,   ///< every element that `query` accepts
  };

  kind what = kind::name;
  std::string key;
  std::optional<std::size_t> index;  ///< of a key that reads as one
  element_query query;

  friend bool operator==(const path_step&, const path_step&) = default;
};

/// Never empty; begins with a member of the body.
struct json_path {
  std::string text;  ///< as it was written
  std::vector<path_step> steps;

  friend bool operator==(const json_path&, const json_path&) = default;
};

/// errc::invalid_input says what is wrong or not supported: wildcards in keys, pipes, modifiers and
/// several results in one path are not.
result<json_path> parse_json_path(std::string_view text);

}  // namespace tidegate::protocol
