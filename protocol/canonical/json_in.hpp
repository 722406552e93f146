#pragma once
/// Reads a body with simdjson On-Demand, one pass, into views of the body. The body must be kept
/// with simdjson's padding behind it (http/server gives every body that). Walks check structure;
/// every function answers "nothing" for a value of another type, and the caller says which member
/// was wrong.
///
/// On-Demand has one cursor: a value is read once, before the next one is asked for. Members of an
/// object whose meaning depends on a `type` that may come last: `kind_of(object)` looks for it and
/// rewinds; its cost is nothing when `type` comes first.

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "protocol/canonical/text.hpp"

namespace tidegate::protocol::json_in {

using value = simdjson::ondemand::value;
using object = simdjson::ondemand::object;
using array = simdjson::ondemand::array;
using simdjson::ondemand::json_type;

/// Without blanks at the end; empty when the token's end lies before its begin, as it may behind the
/// end of a broken text.
inline std::string_view trimmed(std::string_view token) {
  if (token.size() > static_cast<std::size_t>(PTRDIFF_MAX)) return {};
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' ||
                            token.back() == '\t')) {
    token.remove_suffix(1);
  }
  return token;
}

inline json_type type_of(value& v) {
  json_type type{};
  return v.type().get(type) ? json_type::null : type;
}

/// The inside of a string token.
inline std::optional<raw_text> text(value& v) {
  if (type_of(v) != json_type::string) return std::nullopt;
  const auto token = trimmed(v.raw_json_token());
  if (token.size() < 2) return std::nullopt;
  return raw_text{token.substr(1, token.size() - 2)};
}

/// A number as it was written.
inline std::string_view number(value& v) {
  return type_of(v) == json_type::number ? trimmed(v.raw_json_token()) : std::string_view{};
}

inline std::optional<std::int64_t> integer(value& v) {
  std::int64_t out = 0;
  if (type_of(v) != json_type::number || v.get_int64().get(out)) return std::nullopt;
  return out;
}

inline std::optional<bool> boolean(value& v) {
  bool out = false;
  if (type_of(v) != json_type::boolean || v.get_bool().get(out)) return std::nullopt;
  return out;
}

/// Any value as its JSON text; empty when it is broken. Uses the value up.
inline std::string_view raw(value& v) {
  std::string_view out;
  switch (type_of(v)) {
    case json_type::object: {
      object inner;
      if (v.get_object().get(inner) || inner.raw_json().get(out)) return {};
      return trimmed(out);
    }
    case json_type::array: {
      array inner;
      if (v.get_array().get(inner) || inner.raw_json().get(out)) return {};
      return trimmed(out);
    }
    default: return trimmed(v.raw_json_token());
  }
}

/// The inside of a key's token; simdjson has found its closing quote already.
inline std::string_view inside(simdjson::ondemand::raw_json_string key) {
  const char* const begin = key.raw();
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Calls `visit(key, value)` for every member in order until it answers false; the key is the
/// inside of its token. False when the object is broken or the visitor stopped.
template <class Visit>
bool each_member(object& of, Visit visit) {
  for (auto member : of) {
    simdjson::ondemand::field field;
    if (std::move(member).get(field)) return false;
    const auto key = inside(field.key());
    value v = field.value();
    if (!visit(key, v)) return false;
  }
  return true;
}

/// The inside of the string member `type`, empty when there is none; the object can be walked anew.
inline std::string_view kind_of(object& of, std::string_view name = "type") {
  value v;
  std::string_view found;
  if (!of.find_field_unordered(name).get(v)) {
    if (const auto inner = text(v)) found = inner->escaped;
  }
  bool ignored = false;
  if (of.reset().get(ignored)) return {};
  return found;
}

/// Calls `visit(value, position)` for every element until it answers false.
template <class Visit>
bool each_element(array& of, Visit visit) {
  std::size_t position = 0;
  for (auto element : of) {
    value v;
    if (element.get(v)) return false;
    if (!visit(v, position++)) return false;
  }
  return true;
}

}  // namespace tidegate::protocol::json_in
