#include "protocol/json_object.hpp"
#include "protocol/splice.hpp"
#include "protocol/stream.hpp"

#include <algorithm>
#include <charconv>

namespace tidegate::protocol {
namespace {

constexpr std::size_t type_bytes_max = 1024;

std::string_view name_of(const sse_frame& frame) {
  return frame.event.starts_with("response.") ? frame.event
                                              : peek_string(frame.data, "type", type_bytes_max);
}

/// -1 when the event has none.
long index_of(std::string_view data, const object_layout& event) {
  const auto raw = find_value(data, event, "output_index");
  if (!raw) return -1;
  long index = -1;
  const auto [end, problem] = std::from_chars(raw->data(), raw->data() + raw->size(), index);
  return problem == std::errc{} && end == raw->data() + raw->size() && index >= 0 ? index : -1;
}

bool is_empty_array(std::string_view raw) {
  return raw.starts_with('[') && raw.find_first_not_of(" \t\r\n", 1) == raw.size() - 1;
}

}  // namespace

result<void> responses_fold::keep(std::string_view raw) {
  if (raw.size() > bytes_max_ - bytes_) {
    return failed(errc::limit_exceeded, "the response is too large to be collected");
  }
  bytes_ += raw.size();
  return {};
}

result<void> responses_fold::add(const sse_frame& frame) {
  if (!terminal_.empty()) return {};
  const bool ends = role_of(wire::openai_responses, frame) == frame_role::end;
  if (!ends && name_of(frame) != "response.output_item.done") return {};

  const auto event = read_object(frame.data, frame.data.size());
  if (!event) return failed(event.error().code, "an event of the stream is not JSON");
  const auto raw = find_value(frame.data, *event, ends ? "response" : "item");
  if (!raw || !raw->starts_with('{')) {
    return failed(errc::invalid_input, ends ? "the terminal event has no response"
                                            : "a finished output item has no item");
  }
  if (auto room = keep(*raw); !room) return room;
  if (ends) {
    terminal_ = *raw;
  } else {
    item one{index_of(frame.data, *event), std::string{*raw}};
    const auto before = [](const item& a, const item& b) {
      return (a.index < 0) != (b.index < 0) ? b.index < 0 : a.index < b.index;
    };
    const auto place = std::upper_bound(items_.begin(), items_.end(), one, before);
    items_.insert(place, std::move(one));
  }
  return {};
}

result<std::string> responses_fold::finish() {
  if (terminal_.empty()) {
    return failed(errc::invalid_input, "upstream stream closed before a terminal event");
  }
  auto layout = read_object(terminal_, terminal_.capacity());
  if (!layout) return failed(layout.error().code, layout.error().detail);
  const auto output = find_value(terminal_, *layout, "output");
  const bool fill = !output || *output == "null" || is_empty_array(*output);
  if (!fill || items_.empty()) return terminal_;

  std::string list = "[";
  for (const item& one : items_) {
    if (list.size() > 1) list += ',';
    list += one.raw;
  }
  list += ']';
  envelope head;
  head.members = std::move(layout->members);
  head.object_begin = layout->begin;
  head.object_end = layout->end;
  splice edits(terminal_, head);
  edits.set("output", std::move(list));
  return edits.str();
}

}  // namespace tidegate::protocol
