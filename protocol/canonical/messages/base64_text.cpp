#include "protocol/canonical/messages/base64_text.hpp"

#include <cstdint>

#include "protocol/json_text.hpp"

namespace tidegate::protocol::messages {
namespace {

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

std::string well_formed(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) out += "\xEF\xBF\xBD";
    else out.append(bytes.substr(0, length));
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

std::string base64_bytes(std::string_view base64) {
  std::string out;
  out.reserve(base64.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    const int value = sextet(c);
    if (value < 0) break;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

std::string base64_text(std::string_view base64) { return well_formed(base64_bytes(base64)); }

}  // namespace tidegate::protocol::messages
