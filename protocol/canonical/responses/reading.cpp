#include "protocol/canonical/responses/reading.hpp"

namespace tidegate::protocol::responses {

using json_in::json_type;

bool take(reading& in, const place& at, json_in::value& v, raw_text& into) {
  if (const auto found = json_in::text(v)) {
    into = *found;
    return true;
  }
  return json_in::type_of(v) == json_type::null || in.wrong(at, "expected a string");
}

bool take(reading& in, const place& at, json_in::value& v, std::optional<bool>& into) {
  if (const auto found = json_in::boolean(v)) {
    into = found;
    return true;
  }
  return json_in::type_of(v) == json_type::null || in.wrong(at, "expected true or false");
}

bool take_number(reading& in, const place& at, json_in::value& v, std::string_view& into) {
  const auto type = json_in::type_of(v);
  if (type == json_type::null) return true;
  if (type != json_type::number) return in.wrong(at, "expected a number");
  into = json_in::number(v);
  return true;
}

bool take_object(reading& in, const place& at, json_in::value& v, std::string_view& into) {
  const auto type = json_in::type_of(v);
  if (type == json_type::null) return true;
  if (type != json_type::object) return in.wrong(at, "expected an object");
  into = json_in::raw(v);
  return !into.empty() || in.unreadable(at);
}

std::optional<std::string_view> type_member(json_in::object& of) {
  json_in::value v;
  std::string_view found;
  const auto problem = of.find_field_unordered("type").get(v);
  if (problem == simdjson::SUCCESS) {
    if (const auto inner = json_in::text(v)) found = inner->escaped;
  } else if (problem != simdjson::NO_SUCH_FIELD) {
    return std::nullopt;
  }
  bool ignored = false;
  if (of.reset().get(ignored)) return std::nullopt;
  return found;
}

}  // namespace tidegate::protocol::responses
