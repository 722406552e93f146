#include "provider/answer_edit.hpp"

#include <algorithm>

namespace tidegate::provider {

void made_frames::clear() {
  frames_.clear();
  texts_.clear();
}

void made_frames::add(std::string_view event, std::string_view data) {
  constexpr std::string_view event_field = "event: ";
  constexpr std::string_view data_field = "data: ";
  auto& raw = texts_.emplace_back();
  raw.reserve(event_field.size() + event.size() + data_field.size() + data.size() + 3);
  if (!event.empty()) raw.append(event_field).append(event).append("\n");
  const auto begin = raw.size() + data_field.size();
  raw.append(data_field).append(data);
  // Between the tokens of a JSON text a line break is a blank; inside of one it cannot be.
  const auto from = raw.begin() + static_cast<std::ptrdiff_t>(begin);
  std::replace(from, raw.end(), '\n', ' ');
  std::replace(from, raw.end(), '\r', ' ');
  raw.append("\n\n");
  const std::string_view text = raw;
  frames_.push_back({text, event.empty() ? event : text.substr(event_field.size(), event.size()),
                     text.substr(begin, data.size())});
}

}  // namespace tidegate::provider
