#pragma once
/// The parts of a multipart/form-data body (RFC 7578), as views into it. Pure.
/// errc::invalid_input: no boundary, a part without an end, or more parts than the bound.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tidegate::http::management {

inline constexpr std::size_t parts_max = 1000;

struct form_part {
  std::string name;
  std::string file_name;  ///< empty = not a file
  std::string_view body;
};

result<std::vector<form_part>> form_parts(std::string_view content_type, std::string_view body);

}  // namespace tidegate::http::management
