#include "protocol/canonical/text.hpp"

#include <array>
#include <cstdint>

#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The code unit of `uXXXX` at the front, or -1.
int unit_at(std::string_view text) {
  if (text.size() < 5 || text[0] != 'u') return -1;
  int value = 0;
  for (std::size_t i = 1; i < 5; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// Appends what the escape behind a backslash means; how many bytes it took.
std::size_t append_escape(std::string& out, std::string_view text) {
  if (text.empty()) return 0;
  switch (text[0]) {
    case 'n': out += '\n'; return 1;
    case 't': out += '\t'; return 1;
    case 'r': out += '\r'; return 1;
    case 'b': out += '\b'; return 1;
    case 'f': out += '\f'; return 1;
    case 'u': break;
    default: out += text[0]; return 1;
  }
  const int unit = unit_at(text);
  if (unit < 0) {
    out += replacement;
    return 1;
  }
  const bool high = unit >= 0xD800 && unit < 0xDC00;
  const int low = high && text.size() > 6 && text[5] == '\\' ? unit_at(text.substr(6)) : -1;
  if (low >= 0xDC00 && low < 0xE000) {
    append_utf8(out, 0x10000 + (static_cast<std::uint32_t>(unit - 0xD800) << 10) +
                         static_cast<std::uint32_t>(low - 0xDC00));
    return 11;
  }
  if (unit >= 0xD800 && unit < 0xE000) {
    out += replacement;
  } else {
    append_utf8(out, static_cast<std::uint32_t>(unit));
  }
  return 5;
}

}  // namespace

raw_text text_store::keep_plain(std::string_view plain) { return {keep(escape(plain))}; }

std::string plain(raw_text text) {
  std::string_view left = text.escaped;
  std::string out;
  out.reserve(left.size());
  for (auto at = left.find('\\'); at != std::string_view::npos; at = left.find('\\')) {
    out.append(left.substr(0, at));
    left.remove_prefix(at + 1);
    left.remove_prefix(append_escape(out, left));
  }
  return out.append(left);
}

std::string escape(std::string_view plain) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(plain.size() + plain.size() / 16);
  for (const char c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; continue;
      case '\\': out += "\\\\"; continue;
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      default: break;
    }
    if (byte >= 0x20) {
      out += c;
      continue;
    }
    out += "\\u00";
    out += digits[byte >> 4];
    out += digits[byte & 0xF];
  }
  return out;
}

json_out& json_out::plain(std::string_view value) { return text({escape(value)}); }

}  // namespace tidegate::protocol
