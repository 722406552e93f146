#pragma once
/// Reading JSON that somebody else wrote: whole documents, bounded in size and nesting, never an
/// exception. For files and small bodies; the request path does not use it.

#include "base/error.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string_view>

namespace tidegate {

struct json_bounds {
  std::size_t bytes_max = 1024 * 1024;
  int depth_max = 32;         ///< nested arrays and objects
  bool names_once = false;    ///< an object that has a name twice is refused
};

/// errc::limit_exceeded: too large or too deep; errc::invalid_input: no JSON, bytes after it, or a
/// name that is there twice.
result<nlohmann::json> parse_bounded_json(std::string_view text, const json_bounds& bounds);

/// The same, with the members of objects in the order of the text.
result<nlohmann::ordered_json> parse_bounded_ordered_json(std::string_view text,
                                                          const json_bounds& bounds);

}  // namespace tidegate
