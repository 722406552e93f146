#pragma once
/// Reads members of a Gemini body into canonical fields. A member that is null counts as absent;
/// one of another type is a fault that names it. Faults are put together from the inside out. Both
/// spellings of Google's keys are read: lowerCamelCase and snake_case.

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::gemini {

namespace in = json_in;

/// Where a body is wrong. Every function answers false, so that it can be returned.
class fault {
 public:
  bool at(std::string_view member, std::string_view wrong) {
    path_ = member;
    wrong_ = wrong;
    return false;
  }
  bool below(std::string_view member) {
    if (member.empty()) return settled();
    const bool joins = path_.empty() || path_.front() == '[';
    path_ = std::string{member} + (joins ? "" : ".") + path_;
    return settled();
  }
  bool below(std::size_t position) { return below("[" + std::to_string(position) + "]"); }
  bool empty() const { return wrong_.empty(); }
  std::string text() const { return path_ + " " + wrong_; }

 private:
  bool settled() {
    if (wrong_.empty()) wrong_ = "is no valid JSON";
    return false;
  }

  std::string path_;
  std::string wrong_;
};

inline bool is_null(in::value& v) {
  return in::type_of(v) == in::json_type::null;
}

inline bool read_text(in::value& v, std::string_view key, raw_text& into, fault& bad) {
  if (is_null(v)) return true;
  const auto text = in::text(v);
  if (!text) return bad.at(key, "must be a string");
  into = *text;
  return true;
}

/// The inside of a string that writes a number, as Google's JSON may; empty for anything else.
inline std::string_view quoted_number(in::value& v) {
  const auto text = in::text(v);
  if (!text || text->empty()) return {};
  const std::string_view digits = text->escaped;
  double ignored = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), ignored);
  const std::string_view whole = digits.substr(digits.front() == '-' ? 1 : 0);
  const bool leads = !whole.empty() && whole[0] >= '0' && whole[0] <= '9' &&
                     (whole[0] != '0' || whole.size() == 1 || whole[1] == '.') &&
                     whole.back() != '.' && whole.find(".e") == whole.npos;
  const bool read = end.ec == std::errc{} && end.ptr == digits.data() + digits.size();
  return read && leads ? digits : std::string_view{};
}

inline bool read_number(in::value& v, std::string_view key, std::string_view& into, fault& bad) {
  if (is_null(v)) return true;
  into = in::type_of(v) == in::json_type::string ? quoted_number(v) : in::number(v);
  return !into.empty() || bad.at(key, "must be a number");
}

/// Any value of one JSON type, as its JSON text.
inline bool read_raw(in::value& v, std::string_view key, in::json_type type, std::string_view& into,
                     fault& bad) {
  if (is_null(v)) return true;
  if (in::type_of(v) != type) {
    return bad.at(key, type == in::json_type::object ? "must be an object" : "must be an array");
  }
  into = in::raw(v);
  return !into.empty() || bad.at(key, "is no valid JSON");
}

template <class Visit>
bool read_members(in::value& v, std::string_view key, fault& bad, Visit visit) {
  if (is_null(v)) return true;
  in::object object;
  if (in::type_of(v) != in::json_type::object || v.get_object().get(object)) {
    return bad.at(key, "must be an object");
  }
  return in::each_member(object, visit) || bad.below(key);
}

/// A single object is a list of one, as in Google's own examples.
template <class Visit>
bool read_elements(in::value& v, std::string_view key, fault& bad, Visit visit) {
  if (is_null(v)) return true;
  if (in::type_of(v) == in::json_type::object) return visit(v, 0) || bad.below(key);
  in::array array;
  if (in::type_of(v) != in::json_type::array || v.get_array().get(array)) {
    return bad.at(key, "must be an array");
  }
  const auto one = [&](in::value& element, std::size_t position) {
    return visit(element, position) || bad.below(position);
  };
  return in::each_element(array, one) || bad.below(key);
}

inline bool read_texts(in::value& v, std::string_view key, std::vector<raw_text>& into,
                       fault& bad) {
  return read_elements(v, key, bad, [&](in::value& element, std::size_t) {
    return read_text(element, "", into.emplace_back(), bad);
  });
}

bool decode_contents(in::value& v, canonical_request& into, fault& bad);
bool decode_generation_config(in::value& v, canonical_request& into, fault& bad);
bool decode_tools(in::value& v, canonical_request& into, fault& bad);
bool decode_tool_config(in::value& v, canonical_request& into, fault& bad);

}  // namespace tidegate::protocol::gemini
