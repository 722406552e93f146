#include "base/bounded_json.hpp"

#include <fmt/format.h>

namespace tidegate {

using nlohmann::json;

result<json> parse_bounded_json(std::string_view text, const json_bounds& bounds) {
  if (text.size() > bounds.bytes_max) {
    return failed(errc::limit_exceeded, fmt::format("larger than {} bytes", bounds.bytes_max));
  }
  bool too_deep = false;
  const auto watch = [&](int depth, json::parse_event_t event, json&) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (opens && depth >= bounds.depth_max) too_deep = true;
    return !too_deep;
  };
  json document = json::parse(text.begin(), text.end(), watch, false);
  if (too_deep) {
    return failed(errc::limit_exceeded,
                  fmt::format("nested deeper than {} levels", bounds.depth_max));
  }
  if (document.is_discarded()) return failed(errc::invalid_input, "not valid JSON");
  return document;
}

}  // namespace tidegate
