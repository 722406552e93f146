#pragma once
/// What the readers of a request share: where they are, what went wrong first, and how members of
/// the common types are taken. `null` counts as not given everywhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::responses {

/// A member's path, spelled only when something is wrong with it.
class place {
 public:
  explicit place(std::string_view name) : name_(name) {}
  place(const place& up, std::string_view name) : up_(&up), name_(name) {}
  place(const place& up, std::size_t index) : up_(&up), index_(index), is_index_(true) {}

  std::string str() const {
    if (is_index_) return up_->str() + '[' + std::to_string(index_) + ']';
    return up_ == nullptr ? std::string{name_} : up_->str() + '.' + std::string{name_};
  }

 private:
  const place* up_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

/// A tool and the place of its declaration in the order of precedence.
struct declared_tool {
  tool what;
  int rank = 0;  ///< 0 top level, 1 in a namespace there; 2 and 3 the same of additional_tools
};

struct reading {
  canonical_request out;
  std::vector<declared_tool> tools;
  std::string problem;

  bool broken = false;  ///< it is no JSON: nothing more may be read

  /// Always false, so that a reader can return it. The first problem counts.
  bool wrong(const place& at, std::string_view what) {
    if (problem.empty()) problem = at.str() + ": " + std::string{what};
    return false;
  }
  bool unreadable(const place& at) {
    if (problem.empty()) broken = true;
    return wrong(at, "not readable");
  }
};

/// False when the value is of another type, which `in` then tells.
bool take(reading& in, const place& at, json_in::value& v, raw_text& into);
bool take(reading& in, const place& at, json_in::value& v, std::optional<bool>& into);
/// A number as it was written.
bool take_number(reading& in, const place& at, json_in::value& v, std::string_view& into);
/// The raw text of an object.
bool take_object(reading& in, const place& at, json_in::value& v, std::string_view& into);

/// The inside of the string member `type`, empty when there is none; the object can be walked anew.
/// nullopt when the object is broken: simdjson must not be asked anything more then.
std::optional<std::string_view> type_member(json_in::object& of);

/// Calls `visit(place, key, value)` for the members of `v`, which must be an object or null.
template <class Visit>
bool members_of(reading& in, const place& at, json_in::value& v, Visit visit) {
  if (json_in::type_of(v) == json_in::json_type::null) return true;
  json_in::object inner;
  if (v.get_object().get(inner)) return in.wrong(at, "expected an object");
  const bool whole = json_in::each_member(inner, [&](std::string_view key, json_in::value& member) {
    return visit(place{at, key}, key, member);
  });
  return whole || in.unreadable(at);
}

/// Calls `visit(place, value)` for the elements of `v`, which must be an array or null.
template <class Visit>
bool elements_of(reading& in, const place& at, json_in::value& v, Visit visit) {
  if (json_in::type_of(v) == json_in::json_type::null) return true;
  json_in::array inner;
  if (v.get_array().get(inner)) return in.wrong(at, "expected an array");
  const bool whole = json_in::each_element(inner, [&](json_in::value& one, std::size_t index) {
    return visit(place{at, index}, one);
  });
  return whole || in.unreadable(at);
}

/// `input`, whose items become turns; additional_tools among them are declared.
bool read_input(reading& in, const place& at, json_in::value& v);
/// The content of a message: a string or an array of parts.
bool read_content(reading& in, const place& at, json_in::value& v, std::vector<part>& into);
/// The `output` of a call.
bool read_output(reading& in, const place& at, json_in::value& v, tool_result_part& into);

bool read_tools(reading& in, const place& at, json_in::value& v, bool additional);
bool read_tool_choice(reading& in, const place& at, json_in::value& v);
/// Drops tools that another declaration of the same name beats, and names the choice's namespace.
void settle_tools(reading& in);

}  // namespace tidegate::protocol::responses
