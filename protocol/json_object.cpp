#include "protocol/json_object.hpp"

#include <simdjson.h>

#include <algorithm>

namespace tidegate::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

/// Bodies up to this size share one parser per thread; its buffers are about six times as large.
constexpr std::size_t kept_parser_bytes_max = 512 * 1024;
constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view trimmed_right(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && rest[count] >= '0' && rest[count] <= '9') ++count;
  rest.remove_prefix(count);
  return count > 0;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('0')) {
    text.remove_prefix(1);
  } else if (!take_digits(text)) {
    return false;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  return text.empty();
}

/// `text` is the inside of a string that has no unescaped quote and no control characters.
bool escapes_are_valid(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    if (at + 1 >= text.size()) return false;
    if (text[at + 1] == 'u') {
      const std::string_view digits = text.substr(at + 2, 4);
      if (digits.size() < 4 ||
          digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
        return false;
      }
      at += 6;
    } else {
      if (std::string_view{"\"\\/bfnrt"}.find(text[at + 1]) == std::string_view::npos) return false;
      at += 2;
    }
  }
  return true;
}

bool scalar_is_valid(std::string_view token) {
  switch (token.front()) {
    case '"':
      return token.size() >= 2 && token.back() == '"' &&
             escapes_are_valid(token.substr(1, token.size() - 2));
    case 't': return token == "true";
    case 'f': return token == "false";
    case 'n': return token == "null";
    default: return is_number(token);
  }
}

/// The inside of a key; `text` runs from its first byte to the end of the body.
std::optional<std::string_view> key_text(std::string_view text) {
  const std::size_t quote = text.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  std::size_t at = text.substr(0, quote).find('\\');
  if (at == std::string_view::npos) return text.substr(0, quote);
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  if (at >= text.size()) return std::nullopt;
  return text.substr(0, at);
}

/// Walks a document whose bytes lie at `text`.
class walker {
 public:
  explicit walker(std::string_view text) : text_(text) {}

  bool run(ondemand::document& document, object_layout& out) {
    ondemand::object root;
    if (document.get_object().get(root) != simdjson::SUCCESS) return false;
    for (auto field : root) {
      member found;
      ondemand::value value;
      if (out.members.size() == json_members_max || !open(field, found.key, value)) return false;
      found.key_offset = offset(found.key.data()) - 1;
      const std::string_view token = trimmed_right(value.raw_json_token());
      found.value_offset = offset(token.data());
      found.value_size = token.size();
      if (!valid(value, 1)) return false;
      if (token.front() == '{' || token.front() == '[') {
        const char* behind = nullptr;
        if (document.current_location().get(behind) != simdjson::SUCCESS) return false;
        const std::string_view value_text =
            text_.substr(found.value_offset, offset(behind) - found.value_offset);
        found.value_size = trimmed_right(value_text).size();
      }
      out.members.push_back(found);
    }
    const char* garbage = nullptr;
    if (document.current_location().get(garbage) == simdjson::SUCCESS) return false;
    out.begin = text_.find('{');
    out.end = trimmed_right(text_).size() - 1;
    return text_[out.end] == '}';
  }

 private:
  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - text_.data()); }

  template <class Field>
  bool open(Field& field, std::string_view& key, ondemand::value& value) {
    ondemand::raw_json_string raw;
    if (field.key().get(raw) != simdjson::SUCCESS) return false;
    const auto inside = key_text(text_.substr(offset(raw.raw())));
    if (!inside || !escapes_are_valid(*inside)) return false;
    key = *inside;
    if (field.value().get(value) != simdjson::SUCCESS) return false;
    return !trimmed_right(value.raw_json_token()).empty();
  }

  bool valid(ondemand::value& value, int depth) {
    if (depth > json_depth_max) return false;
    const std::string_view token = trimmed_right(value.raw_json_token());
    if (token.empty()) return false;
    if (token.front() == '{') return object_is_valid(value, depth);
    if (token.front() == '[') return array_is_valid(value, depth);
    // A string that is not taken is skipped, and skipping takes it for a key if a colon follows.
    ondemand::raw_json_string taken;
    if (token.front() == '"' && value.get_raw_json_string().get(taken) != simdjson::SUCCESS) {
      return false;
    }
    return scalar_is_valid(token);
  }

  bool object_is_valid(ondemand::value& value, int depth) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto field : object) {
      std::string_view key;
      ondemand::value inner;
      if (!open(field, key, inner) || !valid(inner, depth + 1)) return false;
    }
    return true;
  }

  bool array_is_valid(ondemand::value& value, int depth) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    for (auto element : array) {
      ondemand::value inner;
      if (element.get(inner) != simdjson::SUCCESS || !valid(inner, depth + 1)) return false;
    }
    return true;
  }

  std::string_view text_;
};

bool walk(simdjson::padded_string_view text, object_layout& out) {
  thread_local ondemand::parser kept;
  ondemand::parser once;
  ondemand::parser& parser = text.size() > kept_parser_bytes_max ? once : kept;
  ondemand::document document;
  return parser.iterate(text).get(document) == simdjson::SUCCESS &&
         walker{std::string_view{text.data(), text.size()}}.run(document, out);
}

/// Offset behind the string whose opening quote is at `at`; npos when it does not end in time.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

result<object_layout> read_object(std::string_view text, std::size_t readable_bytes) {
  // Newer simdjson skips a byte order mark, older ones do not; JSON has none.
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos || text[first] != '{') {
    return failed(errc::invalid_input, "not a JSON object");
  }
  object_layout out;
  bool good = false;
  if (readable_bytes >= text.size() + simdjson::SIMDJSON_PADDING) {
    good = walk(simdjson::padded_string_view(text.data(), text.size(), readable_bytes), out);
  } else {
    const simdjson::padded_string copy(text);
    good = walk(copy, out);
    for (member& m : out.members) m.key = text.substr(m.key_offset + 1, m.key.size());
  }
  if (!good) return failed(errc::invalid_input, "not valid JSON, or nested too deeply");
  return out;
}

std::string_view value_of(std::string_view text, const member& m) {
  return text.substr(m.value_offset, m.value_size);
}

std::optional<std::string_view> find_value(std::string_view text, const object_layout& layout,
                                           std::string_view key) {
  for (const member& m : layout.members) {
    if (m.key == key) return value_of(text, m);
  }
  return std::nullopt;
}

std::optional<std::string_view> peek_member(std::string_view object, std::string_view key,
                                            std::size_t bytes_max) {
  const std::string_view text = object.substr(0, bytes_max);
  std::size_t at = text.find_first_not_of(blanks);
  if (at == std::string_view::npos || text[at] != '{') return std::nullopt;
  int depth = 0;
  bool key_next = false;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t behind = behind_string(text, at);
      if (behind == std::string_view::npos) return std::nullopt;
      const bool hit = depth == 1 && key_next && text.substr(at + 1, behind - at - 2) == key;
      key_next = false;
      at = behind;
      if (!hit) continue;
      at = std::min(text.find_first_not_of(blanks, at), text.size());
      if (at == text.size() || text[at] != ':') return std::nullopt;
      at = text.find_first_not_of(blanks, at + 1);
      if (at == std::string_view::npos) return std::nullopt;
      return object.substr(at);
    }
    if (c == '{' || c == '[') {
      ++depth;
      key_next = c == '{';
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ',') {
      key_next = true;
    }
    ++at;
  }
  return std::nullopt;
}

std::string_view peek_string(std::string_view object, std::string_view key,
                             std::size_t bytes_max) {
  const auto value = peek_member(object, key, bytes_max);
  if (!value || !value->starts_with('"')) return {};
  const std::string_view text = value->substr(0, bytes_max);
  const std::size_t behind = behind_string(text, 0);
  if (behind == std::string_view::npos) return {};
  const std::string_view inside = text.substr(1, behind - 2);
  return inside.find('\\') == std::string_view::npos ? inside : std::string_view{};
}

}  // namespace tidegate::protocol
