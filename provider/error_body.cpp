#include "provider/error_body.hpp"

#include "base/bounded_json.hpp"
#include "provider/text_match.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tidegate::provider {
namespace {

using nlohmann::json;

bool is_huge(std::string_view token) {
  double value = 0;
  const auto* const end = token.data() + token.size();
  const auto [stopped, code] = std::from_chars(token.data(), end, value);
  return code == std::errc::result_out_of_range && stopped == end;
}

/// With null for numbers that no double holds: one of them is no reason to lose the rest.
std::string without_huge_numbers(std::string_view text) {
  constexpr std::string_view figures = "+-.0123456789Ee";
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool begins = !quoted && (c == '-' || (c >= '0' && c <= '9'));
    auto end = begins ? text.find_first_not_of(figures, at) : at + (quoted && c == '\\' ? 2 : 1);
    end = std::min(end, text.size());
    if (c == '"') quoted = !quoted;
    const auto token = text.substr(at, end - at);
    out.append(begins && is_huge(token) ? "null" : token);
    at = end;
  }
  return out;
}

json read(std::string_view text) {
  constexpr json_bounds bounds{error_body_bytes_max, error_body_depth_max};
  auto parsed = parse_bounded_json(text, bounds);
  if (!parsed && (text.starts_with('{') || text.starts_with('['))) {
    parsed = parse_bounded_json(without_huge_numbers(text), bounds);
  }
  if (parsed && parsed->is_array() && parsed->size() == 1) {
    json element = std::move(parsed->front());
    *parsed = std::move(element);
  }
  return parsed && parsed->is_object() ? std::move(*parsed) : json{};
}

const json* object_or_null(const json* value) {
  return value != nullptr && value->is_object() ? value : nullptr;
}

}  // namespace

error_body::error_body(std::string_view text) : text_(trimmed(text)), root_(read(text_)) {}

const json* error_body::error() const {
  const auto all = places();
  for (const std::size_t at : {0U, 2U, 3U}) {
    if (all.at(at) != nullptr) return all.at(at);
  }
  return nullptr;
}

std::array<const json*, 4> error_body::places() const {
  return {object_or_null(member_of(&root_, "error")), object_or_null(&root_),
          object_or_null(member_of(member_of(&root_, "response"), "error")),
          object_or_null(member_of(member_of(&root_, "body"), "error"))};
}

std::string_view error_body::first(const char* key) const {
  for (const json* place : places()) {
    if (const auto found = string_of(place, key); !found.empty()) return found;
  }
  return {};
}

std::string_view error_body::message() const {
  if (!is_json()) return text_;
  for (const char* key : {"message", "detail", "error_description"}) {
    if (const auto found = first(key); !found.empty()) return found;
  }
  return {};
}

const json* member_of(const json* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto at = object->find(key);
  return at == object->end() ? nullptr : &*at;
}

std::string_view string_of(const json* object, const char* key) {
  const json* value = member_of(object, key);
  if (value == nullptr || !value->is_string()) return {};
  return trimmed(value->get_ref<const std::string&>());
}

std::optional<std::int64_t> whole_number_of(const json* object, const char* key) {
  const auto value = number_of(object, key);
  // Beyond 2^53 a double is no longer exact, and no wire figure is that large.
  if (!value || std::abs(*value) > 9007199254740992.0) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<double> number_of(const json* object, const char* key) {
  const json* value = member_of(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) {
    const auto number = value->get<double>();
    return std::isfinite(number) ? std::optional{number} : std::nullopt;
  }
  if (value->is_string()) return number_from(value->get_ref<const std::string&>());
  return std::nullopt;
}

std::optional<double> number_from(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

}  // namespace tidegate::provider
