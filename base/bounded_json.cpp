#include "base/bounded_json.hpp"

#include <fmt/format.h>

namespace tidegate {

namespace {

template <class Json>
result<Json> parse(std::string_view text, const json_bounds& bounds) {
  if (text.size() > bounds.bytes_max) {
    return failed(errc::limit_exceeded, fmt::format("larger than {} bytes", bounds.bytes_max));
  }
  bool too_deep = false;
  const auto watch = [&](int depth, typename Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= bounds.depth_max) too_deep = true;
    return !too_deep;
  };
  Json document = Json::parse(text.begin(), text.end(), watch, false);
  if (too_deep) {
    return failed(errc::limit_exceeded,
                  fmt::format("nested deeper than {} levels", bounds.depth_max));
  }
  if (document.is_discarded()) return failed(errc::invalid_input, "not valid JSON");
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
