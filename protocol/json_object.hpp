#pragma once
/// One JSON object looked at from outside: where its members are, in one pass and without a DOM
/// (simdjson On-Demand, version 3.0 and later). The walk goes through the nested values too, so
/// the whole text is known to be JSON: structure, numbers, literals, escapes, UTF-8. Not checked:
/// half surrogate pairs in escapes, and duplicate keys at any level.
/// Never throws. errc::invalid_input: anything that is not exactly one object, or is nested deeper
/// than json_depth_max, or has more than json_members_max members.

#include "base/error.hpp"
#include "protocol/envelope.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::protocol {

inline constexpr int json_depth_max = 256;
inline constexpr std::size_t json_members_max = 4096;

struct object_layout {
  std::vector<member> members;  ///< in order; views into the text
  std::size_t begin = 0;        ///< offset of `{`
  std::size_t end = 0;          ///< offset of the matching `}`
};

/// `readable_bytes` says how many bytes may be read from text.data() on; when that is too little
/// padding behind the text, the reader works on a copy. At least text.size().
result<object_layout> read_object(std::string_view text, std::size_t readable_bytes);

/// Raw text of a member's value.
std::string_view value_of(std::string_view text, const member& m);

/// Raw value of the first member with this key; nullopt when there is none.
std::optional<std::string_view> find_value(std::string_view text, const object_layout& layout,
                                           std::string_view key);

/// The start of a top-level member's value, found by looking at no more than `bytes_max` bytes of
/// an object and without checking it; runs on to the end of `object`. nullopt: not in that part.
std::optional<std::string_view> peek_member(std::string_view object, std::string_view key,
                                            std::size_t bytes_max);

/// The same for a string without escapes, as its text; empty when there is none.
std::string_view peek_string(std::string_view object, std::string_view key,
                             std::size_t bytes_max);

}  // namespace tidegate::protocol
