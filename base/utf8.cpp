#include "base/utf8.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace tidegate {

bool is_plain_text(std::string_view bytes) {
  return simdjson::validate_utf8(bytes.data(), bytes.size()) &&
         std::ranges::none_of(bytes, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string escaped_name(std::string_view bytes) {
  if (is_plain_text(bytes)) return std::string{bytes};
  std::string out;
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c >= 0x20 && c < 0x7f) {
      out += static_cast<char>(c);
    } else {
      out += fmt::format("\\x{:02x}", c);
    }
  }
  return out;
}

}  // namespace tidegate
