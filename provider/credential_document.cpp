#include "provider/credential_document.hpp"

#include "base/bounded_json.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace tidegate::provider {

namespace {

using nlohmann::ordered_json;

constexpr json_bounds file_bounds{
    .bytes_max = credential_text_bytes_max, .depth_max = 32, .names_once = true};
constexpr std::string_view largest = "1.7976931348623157e308";
constexpr int indent_max = 8;

bool is_number_char(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

bool is_beyond_double(std::string_view number) {
  double value = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (failure != std::errc::result_out_of_range || end != number.data() + number.size()) {
    return false;
  }
  // Too small a number is zero to everybody.
  const auto exponent = number.find_first_of("eE");
  return exponent == std::string_view::npos || number.substr(exponent + 1, 1) != "-";
}

/// The text with each number that no double holds replaced by the largest one.
std::string within_double(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    auto end = at + 1;
    if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (is_number_char(text[at])) {
      while (end < text.size() && is_number_char(text[end])) ++end;
      if (is_beyond_double(text.substr(at, end - at))) {
        if (text[at] == '-') out += '-';
        out += largest;
        at = end;
        continue;
      }
    }
    out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace

std::string kebab_case(std::string_view name) {
  std::string out{name};
  std::ranges::replace(out, '_', '-');
  return out;
}

result<ordered_json> credential_json(std::string_view text) {
  // Before the copy.
  if (text.size() > file_bounds.bytes_max) {
    return failed(errc::invalid_input, "larger than 1 MiB");
  }
  auto root = parse_bounded_ordered_json(within_double(text), file_bounds);
  if (!root) return failed(errc::invalid_input, root.error().detail);
  if (!root->is_object()) return failed(errc::invalid_input, "not a JSON object");
  return root;
}

result<credential_document> credential_document::parse(std::string_view text) {
  if (const auto valid = credential_json(text); !valid) return std::unexpected{valid.error()};
  auto root = object_text::parse(text);
  if (!root) return std::unexpected{root.error()};
  credential_document made;
  made.root_ = std::move(*root);
  return made;
}

std::optional<object_text> credential_document::token() const {
  const auto* found = root_.find("token");
  if (found == nullptr || !found->raw.starts_with('{')) return std::nullopt;
  auto nested = object_text::parse(found->raw);
  return nested ? std::optional{std::move(*nested)} : std::nullopt;
}

std::string credential_document::type() const {
  return lower(trimmed(text_of(root_.find("type"))));
}

std::string credential_document::laid_out(const ordered_json& value) const {
  constexpr auto replace = ordered_json::error_handler_t::replace;
  const auto indent = root_.indent();
  if (indent.empty() || !value.is_structured()) return value.dump(-1, ' ', false, replace);
  const auto width = std::min(static_cast<int>(indent.size()), indent_max);
  const auto dumped = value.dump(width, indent.front(), false, replace);
  std::string out;
  for (const char c : dumped) {
    out += c;
    if (c == '\n') out += indent;
  }
  return out;
}

result<std::string> credential_document::text() const {
  std::string out = root_.str();
  if (out.size() > credential_text_bytes_max) {
    return failed(errc::invalid_input, "the file would become too large");
  }
  return out;
}

bool replace_field(object_text& in, std::string_view name, const std::string& raw) {
  bool found = false;
  for (const auto& spelling : {std::string{name}, kebab_case(name)}) {
    if (in.find(spelling) == nullptr) continue;
    in.set(spelling, raw);
    found = true;
  }
  return found;
}

void set_field(object_text& in, std::string_view name, const std::string& raw) {
  if (!replace_field(in, name, raw)) in.set(name, raw);
}

bool remove_field(object_text& in, std::string_view name) {
  const bool removed = in.erase(name);
  return in.erase(kebab_case(name)) || removed;
}

}  // namespace tidegate::provider
