#pragma once
/// What the readers of a Chat request share: where the result goes, and what is wrong where.
/// Every `take_` leaves its target alone for null and answers false, with the fault set, for a
/// value of another type. Internal to chat/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::chat {

/// The first thing that is wrong. Its path grows outward as the readers return.
class fault {
 public:
  /// All answer false, for `return`.
  bool set(std::string_view what);
  bool under(std::string_view member);
  bool under(std::size_t position);

  bool found() const { return !what_.empty(); }
  void clear() { *this = {}; }
  error as_error() const;

 private:
  std::string path_;
  std::string what_;
};

struct reading {
  canonical_request out;
  fault wrong;
  /// Calls of the history by id; results have their kind from here.
  std::unordered_map<std::string_view, tool_kind> calls;
  /// Calls of the last assistant message that have no result yet.
  std::unordered_set<std::string_view> unanswered;
};

bool take_text(json_in::value& v, raw_text& into, fault& wrong);
bool take_number(json_in::value& v, std::string_view& into, fault& wrong);
bool take_integer(json_in::value& v, std::optional<std::int64_t>& into, fault& wrong);
bool take_boolean(json_in::value& v, std::optional<bool>& into, fault& wrong);
/// An object's JSON text.
bool take_object(json_in::value& v, std::string_view& into, fault& wrong);
/// A mark that is no object is not one.
void take_cache(json_in::value& v, cache_mark& into);

bool is_null(json_in::value& v);
/// The string member `type`, empty when there is none; the object can be walked anew. False when
/// the text is broken: simdjson's cursor must then be left alone.
bool find_kind(json_in::object& of, std::string_view& type);
/// The JSON text of an object or array that can then be walked anew; empty when it is broken.
std::string_view raw_of(json_in::object& of);
std::string_view raw_of(json_in::array& of);

/// Walks an object's members; another type is a fault.
template <class Visit>
bool members_of(json_in::value& v, fault& wrong, Visit visit) {
  json_in::object inner;
  if (json_in::type_of(v) != json_in::json_type::object || v.get_object().get(inner)) {
    return wrong.set("not an object");
  }
  return json_in::each_member(inner, visit);
}

/// Content parts of messages: a string, an array of parts, or null.
bool read_content(reading& to, json_in::value& v, std::vector<part>& into);
bool read_parts(reading& to, json_in::array& list, std::vector<part>& into);
/// `[{type url_citation, url_citation{...}}]`.
bool read_annotations(reading& to, json_in::value& v, std::vector<citation>& into);

bool read_messages(reading& to, json_in::value& v);
bool read_tools(reading& to, json_in::value& v);
bool read_tool_choice(reading& to, json_in::value& v);
/// `functions` and `function_call`, which stood for tools before there were such.
bool read_functions(reading& to, json_in::value& v);
bool read_function_choice(reading& to, json_in::value& v);
bool read_response_format(reading& to, json_in::value& v);
bool read_image_config(reading& to, json_in::value& v);
bool read_web_search_options(reading& to, json_in::value& v);

/// The ways to wish for reasoning; reasoning_effort wins over the others.
bool read_effort(reading& to, json_in::value& v);
bool read_reasoning(reading& to, json_in::value& v);
bool read_thinking(reading& to, json_in::value& v);
bool read_extra_body(reading& to, json_in::value& v);

}  // namespace tidegate::protocol::chat
