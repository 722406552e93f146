#include "protocol/canonical/chat/reading.hpp"

namespace tidegate::protocol::chat {

using json_in::json_type;

bool fault::set(std::string_view what) {
  if (what_.empty()) what_ = what;
  return false;
}

bool fault::under(std::string_view member) {
  const bool joined = !path_.empty() && path_.front() != '[';
  path_.insert(0, std::string{member} + (joined ? "." : ""));
  return false;
}

bool fault::under(std::size_t position) {
  const bool joined = !path_.empty() && path_.front() != '[';
  path_.insert(0, "[" + std::to_string(position) + "]" + (joined ? "." : ""));
  return false;
}

error fault::as_error() const {
  const std::string what = what_.empty() ? "not valid JSON" : what_;
  return {errc::invalid_input, path_.empty() ? what : path_ + ": " + what};
}

bool is_null(json_in::value& v) {
  return json_in::type_of(v) == json_type::null;
}

bool take_text(json_in::value& v, raw_text& into, fault& wrong) {
  if (const auto text = json_in::text(v)) {
    into = *text;
    return true;
  }
  return is_null(v) || wrong.set("not a string");
}

bool take_number(json_in::value& v, std::string_view& into, fault& wrong) {
  if (is_null(v)) return true;
  into = json_in::number(v);
  return !into.empty() || wrong.set("not a number");
}

bool take_integer(json_in::value& v, std::optional<std::int64_t>& into, fault& wrong) {
  if (is_null(v)) return true;
  into = json_in::integer(v);
  return into.has_value() || wrong.set("not an integer");
}

bool take_boolean(json_in::value& v, std::optional<bool>& into, fault& wrong) {
  if (is_null(v)) return true;
  into = json_in::boolean(v);
  return into.has_value() || wrong.set("not a boolean");
}

bool take_object(json_in::value& v, std::string_view& into, fault& wrong) {
  if (is_null(v)) return true;
  if (json_in::type_of(v) != json_type::object) return wrong.set("not an object");
  into = json_in::raw(v);
  return !into.empty();
}

void take_cache(json_in::value& v, cache_mark& into) {
  if (json_in::type_of(v) != json_type::object) return;
  if (const auto raw = json_in::raw(v); !raw.empty()) into = raw;
}

namespace {

template <class Container>
std::string_view raw_and_rewind(Container& of) {
  std::string_view raw;
  bool ignored = false;
  if (of.raw_json().get(raw) || of.reset().get(ignored)) return {};
  return json_in::trimmed(raw);
}

}  // namespace

bool find_kind(json_in::object& of, std::string_view& type) {
  json_in::value v;
  const auto error = of.find_field_unordered("type").get(v);
  if (error && error != simdjson::NO_SUCH_FIELD) return false;
  if (!error) type = json_in::text(v).value_or(raw_text{}).escaped;
  bool ignored = false;
  return !of.reset().get(ignored);
}

std::string_view raw_of(json_in::object& of) {
  return raw_and_rewind(of);
}
std::string_view raw_of(json_in::array& of) {
  return raw_and_rewind(of);
}

}  // namespace tidegate::protocol::chat
