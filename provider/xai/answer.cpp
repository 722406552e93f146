#include "provider/xai/answer.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "provider/text_match.hpp"
#include "provider/xai/restored_item.hpp"

#include <algorithm>

namespace tidegate::provider::xai {
namespace {

using protocol::inside_of;
using protocol::integer_of;
using protocol::member_of;

constexpr std::int64_t noted_parts_max = 1'000'000;  ///< of one thought
constexpr std::size_t type_bytes_max = 1024;  ///< how far into a frame its type is looked for

std::int64_t place_of(std::string_view data) {
  return integer_of(member_of(data, "output_index")).value_or(-1);
}

bool holds(const std::vector<std::int64_t>& places, std::int64_t place) {
  return std::ranges::find(places, place) != places.end();
}

void note(std::vector<std::int64_t>& places, std::int64_t place) {
  if (places.size() < noted_items_max && place >= 0 && !holds(places, place)) {
    places.push_back(place);
  }
}

std::string with_type(std::string_view data, std::string_view type) {
  return protocol::with_member(data, "type", protocol::json_quote(type));
}

std::string part_key(std::string_view data) {
  std::string key{member_of(data, "item_id")};
  return key.append(" ").append(member_of(data, "summary_index"));
}

std::string with_part(std::string_view data, std::string_view raw_text) {
  auto made = protocol::without_member(protocol::without_member(data, "text"), "delta");
  return protocol::with_member(
      made, "part", protocol::object_writer{}.text("type", "summary_text").raw("text", raw_text).str());
}

}  // namespace

bool restored_answer::concerns(std::string_view data) const {
  if (shift_ != 0 || !hidden_.empty()) return true;
  if (data.find("reasoning_text") != std::string_view::npos) return true;
  const bool calls = data.find("function_call") != std::string_view::npos;
  if (!names_.empty() && calls) return true;
  return book_.searches_x() &&
         (calls || data.find("custom_tool_call") != std::string_view::npos);
}

std::span<const protocol::sse_frame> restored_answer::frames(const protocol::sse_frame& frame) {
  made_.clear();
  if (frame.data.find("response.reasoning_summary_") != std::string_view::npos) {
    count_summary(frame.data);
  }
  if (!frame.data.starts_with('{') || !concerns(frame.data)) {
    made_.pass(frame);
    return made_.all();
  }
  first_ = true;
  const auto type = protocol::peek_string(frame.data, "type", type_bytes_max);
  take(type.empty() ? frame.event : type, frame.data);
  return made_.all();
}

void restored_answer::take(std::string_view type, std::string_view data) {
  if (type.starts_with("response.output_item.")) return take_item(type, data);
  const auto place = place_of(data);
  if (holds(hidden_, place)) return drop();
  if (type.starts_with("response.reasoning_text.")) return take_thought(type, data);
  if (type.starts_with("response.content_part.")) return take_part(type, data);
  if (type.starts_with("response.function_call_arguments.") && holds(custom_, place)) {
    return take_arguments(type, data);
  }
  const auto response = member_of(data, "response");
  auto restored = response.empty() ? std::nullopt : restored_response(response);
  put(type, restored ? protocol::with_member(data, "response", std::move(*restored))
                     : std::string{data});
}

void restored_answer::take_item(std::string_view type, std::string_view data) {
  const auto item = member_of(data, "item");
  const auto place = place_of(data);
  if (holds(hidden_, place) || is_hidden(item)) {
    note(hidden_, place);
    return drop();
  }
  auto made = restored(item);
  if (made && type_of(*made) == "custom_tool_call") note(custom_, place);
  put(type, made ? protocol::with_member(data, "item", std::move(*made)) : std::string{data});
}

void restored_answer::count_summary(std::string_view data) {
  const auto number = integer_of(member_of(data, "summary_index"));
  const auto item = member_of(data, "item_id");
  if (!number || *number < 0 || *number >= noted_parts_max || item.empty()) return;
  if (summed_ != item) summary_parts_ = 0;
  summed_ = item;
  summary_parts_ = std::max(summary_parts_, *number + 1);
}

/// What counts the texts of a thought counts the parts of its summary.
std::string restored_answer::as_summary(std::string_view data) const {
  const auto number = integer_of(member_of(data, "content_index"));
  if (!number || *number < 0 || *number >= noted_parts_max) return std::string{data};
  const auto before = summed_ == member_of(data, "item_id") ? summary_parts_ : 0;
  const auto made = protocol::without_member(data, "content_index");
  return protocol::with_member(made, "summary_index", std::to_string(before + *number));
}

void restored_answer::take_thought(std::string_view type, std::string_view data) {
  constexpr std::string_view name = "response.reasoning_summary_text.";
  const auto made = as_summary(data);
  if (part_ != part_key(made)) {
    part_ = part_key(made);
    constexpr std::string_view added = "response.reasoning_summary_part.added";
    put(added, with_type(with_part(made, R"("")"), added));
  }
  const std::string renamed = std::string{name}.append(type.substr(type.rfind('.') + 1));
  put(renamed, with_type(made, renamed));
  if (!type.ends_with(".done")) return;
  constexpr std::string_view done = "response.reasoning_summary_part.done";
  const auto text = member_of(made, "text");
  put(done, with_type(with_part(made, text.empty() ? R"("")" : text), done));
}

void restored_answer::take_part(std::string_view type, std::string_view data) {
  const auto part = member_of(data, "part");
  if (type_of(part) != "reasoning_text") return put(type, std::string{data});
  // Its end is told by that of its text.
  if (!type.ends_with(".added")) return drop();
  constexpr std::string_view added = "response.reasoning_summary_part.added";
  const auto made = protocol::with_member(as_summary(data), "part", with_type(part, "summary_text"));
  part_ = part_key(made);
  put(added, with_type(made, added));
}

void restored_answer::take_arguments(std::string_view type, std::string_view data) {
  // The input can be read when all of its JSON is there.
  if (!type.ends_with(".done")) return drop();
  const auto input = input_of(member_of(data, "arguments"));
  const auto rest = protocol::without_member(protocol::without_member(data, "arguments"), "name");
  for (const auto& [name, key] : {std::pair{"response.custom_tool_call_input.delta", "delta"},
                                  std::pair{"response.custom_tool_call_input.done", "input"}}) {
    put(name, protocol::with_member(with_type(rest, name), key, input));
  }
}

void restored_answer::put(std::string_view type, std::string data) {
  if (!first_) ++shift_;
  first_ = false;
  const auto place = place_of(data);
  const auto before = std::ranges::count_if(hidden_, [place](auto one) { return one < place; });
  if (before > 0) data = protocol::with_member(data, "output_index", std::to_string(place - before));
  const auto number = integer_of(member_of(data, "sequence_number"));
  if (number && shift_ != 0) {
    data = protocol::with_member(data, "sequence_number", std::to_string(*number + shift_));
  }
  made_.add(type, data);
}

bool restored_answer::is_hidden(std::string_view item) const {
  if (!book_.searches_x()) return false;
  const auto type = type_of(item);
  if (type != "custom_tool_call" && type != "function_call") return false;
  return is_search_trace(item) && !book_.declares(text_of(item, "name"));
}

std::optional<std::string> restored_answer::restored(std::string_view item) const {
  return restored_item(item, names_);
}

std::optional<std::string> restored_answer::restored_list(std::string_view output) const {
  const auto items = output.starts_with('[') ? protocol::items_of(output) : std::nullopt;
  if (!items) return std::nullopt;
  std::string out = "[";
  bool changed = false;
  for (const auto& one : *items) {
    const auto item = output.substr(one.offset, one.size);
    const bool hidden = is_hidden(item);
    const auto made = hidden ? std::nullopt : restored(item);
    changed = changed || hidden || made;
    if (hidden) continue;
    out.append(out.size() > 1 ? "," : "").append(made ? *made : item);
  }
  if (!changed) return std::nullopt;
  return out + ']';
}

std::optional<std::string> restored_answer::restored_response(std::string_view response) const {
  auto list = restored_list(member_of(response, "output"));
  if (!list) return std::nullopt;
  return protocol::with_member(response, "output", std::move(*list));
}

result<void> restored_answer::whole(std::string& body) {
  if (auto made = restored_response(body)) body = std::move(*made);
  return {};
}

}  // namespace tidegate::provider::xai
