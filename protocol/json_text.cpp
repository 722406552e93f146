#include "protocol/json_text.hpp"

#include "protocol/splice.hpp"

namespace tidegate::protocol {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";
constexpr std::string_view hex_digits = "0123456789abcdef";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::optional<std::uint32_t> take_hex4(std::string_view& rest) {
  if (rest.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : rest.substr(0, 4)) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
    const auto digit = hex_digits.find(lower);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  rest.remove_prefix(4);
  return value;
}

/// `rest` begins behind `\u`.
bool take_unicode(std::string_view& rest, std::string& out) {
  const auto first = take_hex4(rest);
  if (!first || (*first >= 0xDC00 && *first <= 0xDFFF)) return false;
  if (*first < 0xD800 || *first > 0xDBFF) {
    append_utf8(out, *first);
    return true;
  }
  if (!rest.starts_with("\\u")) return false;
  rest.remove_prefix(2);
  const auto second = take_hex4(rest);
  if (!second || *second < 0xDC00 || *second > 0xDFFF) return false;
  append_utf8(out, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
  return true;
}

/// `rest` begins behind the backslash.
bool take_escape(std::string_view& rest, std::string& out) {
  if (rest.empty()) return false;
  const char kind = rest.front();
  rest.remove_prefix(1);
  switch (kind) {
    case '"':
    case '\\':
    case '/': out.push_back(kind); return true;
    case 'b': out.push_back('\b'); return true;
    case 'f': out.push_back('\f'); return true;
    case 'n': out.push_back('\n'); return true;
    case 'r': out.push_back('\r'); return true;
    case 't': out.push_back('\t'); return true;
    case 'u': return take_unicode(rest, out);
    default: return false;
  }
}

void append_control(std::string& out, char c) {
  switch (c) {
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out.push_back(hex_digits[static_cast<unsigned char>(c) >> 4]);
  out.push_back(hex_digits[static_cast<unsigned char>(c) & 0x0F]);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_large = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string_view utf8_prefix(std::string_view text, std::size_t code_points_max) {
  std::size_t at = 0;
  for (std::size_t count = 0; count < code_points_max && at < text.size(); ++count) {
    const std::size_t length = utf8_length(text.substr(at));
    at += length == 0 ? 1 : length;
  }
  return text.substr(0, at);
}

std::string json_quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out.push_back('"');
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += replacement_character;
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      append_control(out, c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out.push_back('"');
  return out;
}

std::optional<std::string> decode_json_string(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return std::nullopt;
  std::string_view rest = token.substr(1, token.size() - 2);
  std::string out;
  while (!rest.empty()) {
    const std::size_t plain = rest.find_first_of("\\\"");
    out += rest.substr(0, plain);
    if (plain == std::string_view::npos) break;
    if (rest[plain] == '"') return std::nullopt;
    rest.remove_prefix(plain + 1);
    if (!take_escape(rest, out)) return std::nullopt;
  }
  return out;
}

void object_writer::key(std::string_view name) {
  if (body_.size() > 1) body_ += ',';
  body_ += json_quote(name);
  body_ += ':';
}

object_writer& object_writer::text(std::string_view name, std::string_view value) {
  return raw(name, json_quote(value));
}

object_writer& object_writer::number(std::string_view name, std::int64_t value) {
  return raw(name, std::to_string(value));
}

object_writer& object_writer::boolean(std::string_view name, bool value) {
  return raw(name, value ? "true" : "false");
}

object_writer& object_writer::raw(std::string_view name, std::string_view value) {
  key(name);
  body_ += value;
  return *this;
}

}  // namespace tidegate::protocol
