#include "base/bounded_json.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace tidegate {

namespace {

constexpr std::size_t shown_name_bytes_max = 64;

template <class Json>
result<Json> parse(std::string_view text, const json_bounds& bounds) {
  if (text.size() > bounds.bytes_max) {
    return failed(errc::limit_exceeded, fmt::format("larger than {} bytes", bounds.bytes_max));
  }
  bool too_deep = false;
  std::string twice;
  bool repeated = false;
  std::vector<std::set<std::string>> open;
  const auto watch_names = [&](typename Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event != Json::parse_event_t::key || repeated) return;
    const auto& name = value.template get_ref<const std::string&>();
    repeated = !open.back().insert(name).second;
    if (repeated) twice = name.substr(0, shown_name_bytes_max);
  };
  const auto watch = [&](int depth, typename Json::parse_event_t event, Json& value) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= bounds.depth_max) too_deep = true;
    if (bounds.names_once && !too_deep) watch_names(event, value);
    return !too_deep;
  };
  Json document = Json::parse(text.begin(), text.end(), watch, false);
  if (too_deep) {
    return failed(errc::limit_exceeded,
                  fmt::format("nested deeper than {} levels", bounds.depth_max));
  }
  if (document.is_discarded()) return failed(errc::invalid_input, "not valid JSON");
  if (repeated) return failed(errc::invalid_input, fmt::format("`{}` is there twice", twice));
  return document;
}

}  // namespace

result<nlohmann::json> parse_bounded_json(std::string_view text, const json_bounds& bounds) {
  return parse<nlohmann::json>(text, bounds);
}

result<nlohmann::ordered_json> parse_bounded_ordered_json(std::string_view text,
                                                          const json_bounds& bounds) {
  return parse<nlohmann::ordered_json>(text, bounds);
}

}  // namespace tidegate
