#pragma once
/// Reads members of a chunk of an answer. Members of another type count as absent; false means that
/// the JSON itself is broken. Texts become plain.

#include <string>

#include "protocol/canonical/gemini/answer_items.hpp"
#include "protocol/canonical/json_in.hpp"

namespace tidegate::protocol::gemini {

namespace in = json_in;

inline std::string text_in(in::value& v) {
  const auto text = in::text(v);
  return text ? plain(*text) : std::string{};
}

template <class Visit>
bool members(in::value& v, Visit visit) {
  in::object object;
  if (in::type_of(v) != in::json_type::object) return true;
  return !v.get_object().get(object) && in::each_member(object, visit);
}

template <class Visit>
bool elements(in::value& v, Visit visit) {
  in::array array;
  if (in::type_of(v) != in::json_type::array) return true;
  return !v.get_array().get(array) &&
         in::each_element(array, [&](in::value& element, std::size_t) { return visit(element); });
}

/// Looks for a member and goes back to the start. A search that met broken JSON has given its
/// parser up, and nothing may be read any more.
template <class Use>
bool look_ahead(in::object& of, std::string_view name, Use use) {
  in::value v;
  const auto error = of.find_field_unordered(name).get(v);
  if (error && error != simdjson::NO_SUCH_FIELD) return false;
  if (!error) use(v);
  bool ignored = false;
  return !of.reset().get(ignored);
}

bool read_part(in::value& v, answer_part& into);
bool read_grounding(in::value& v, grounding& into);
bool read_usage(in::value& v, usage& into);
bool read_error(in::value& v, failed_event& into);

}  // namespace tidegate::protocol::gemini
