#include <nlohmann/json.hpp>

#include "protocol/canonical/responses/answer_items.hpp"
#include "protocol/canonical/responses/tokens.hpp"

namespace tidegate::protocol::responses {
namespace {

using nlohmann::json;

std::string dumped(const json& what) {
  return what.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void answer_items::finish_message(item& it, const json& from, std::vector<event>& into) {
  std::string text;
  std::string refusal;
  std::vector<const json*> annotations;
  const bool has_logprobs = it.has_logprobs;
  for (const json& part : member_of(from, "content")) {
    const std::string type = text_of(part, "type");
    if (type == "output_text" || type == "text") text += text_of(part, "text");
    if (type == "refusal") refusal += text_of(part, "refusal");
    for (const json& one : member_of(part, "annotations")) annotations.push_back(&one);
  }
  say(it, it.main, delta_kind::text, rest_of(text, it.main.said), into);
  for (const json& part : member_of(from, "content")) {
    const json& list = member_of(part, "logprobs");
    if (list.is_array() && !has_logprobs) add_logprobs(it, dumped(list), into);
  }
  for (auto i = it.annotations; i < annotations.size(); ++i) cite(it, *annotations[i], into);
  close(it.main, into);
  say(it, it.refusal, delta_kind::refusal, rest_of(refusal, it.refusal.said), into);
  close(it.refusal, into);
}

/// The token of the finished item is the one that counts.
void answer_items::finish_reasoning(item& it, const json& from, std::vector<event>& into) {
  const auto fill = [&](const char* key, delta_kind kind) {
    std::int64_t part = 0;
    for (const json& one : member_of(from, key)) {
      say_thought(it, kind, part++, text_of(one, "text"), true, into);
    }
  };
  fill("summary", delta_kind::summary);
  fill("content", delta_kind::thought);
  if (!it.encrypted.empty()) {
    open(it, it.main, item_kind::reasoning, into);
    const auto carried = token_of({it.encrypted});
    into.emplace_back(signature_event{it.main.index, carried.token.owner, carried.redacted,
                                      std::string{carried.token.bytes.escaped}});
  }
  close(it.main, into);
}

/// A call without a name is left out, and is no call.
void answer_items::finish_call(item& it, const json& from, std::vector<event>& into) {
  const bool custom = it.type == "custom_tool_call";
  if (it.call_id.empty()) it.call_id = it.id.empty() ? "call_" + std::to_string(opened_) : it.id;
  try_open_call(it, into);
  const json& stated = member_of(from, custom ? "input" : "arguments");
  const std::string whole = stated.is_object()   ? dumped(stated)
                            : stated.is_string() ? stated.get<std::string>()
                                                 : std::string{};
  const auto kind = custom ? delta_kind::input : delta_kind::arguments;
  say(it, it.main, kind, rest_of(whole, it.main.said), into);
  if (it.main.open) called_ = true;
  close(it.main, into);
}

void answer_items::finish_image(item& it, const json& from, std::vector<event>& into) {
  if (std::string data = text_of(from, "result"); !data.empty()) {
    open(it, it.main, item_kind::image, into);
    const std::string format = text_of(from, "output_format");
    into.emplace_back(image_chunk{it.main.index, false,
                                  "image/" + (format.empty() ? "png" : format), std::move(data)});
  }
  close(it.main, into);
}

/// Tools that run at the provider: the name is the type without `_call`, the arguments are the
/// action of a search, or else the item itself.
void answer_items::finish_server(item& it, const json& from, std::vector<event>& into) {
  it.main.open = true;
  it.main.index = opened_++;
  const std::string name = it.type.substr(0, it.type.size() - 5);
  into.emplace_back(
      item_start{it.main.index, item_kind::server_tool, it.id, it.id, name, {}, tool_kind::server});
  const json& action = member_of(from, "action");
  const bool search = name == "web_search" && action.is_object();
  into.emplace_back(arguments_delta{it.main.index, dumped(search ? action : from)});
  close(it.main, into);
}

std::string text_of(const json& from, const char* key) {
  const json& found = member_of(from, key);
  return found.is_string() ? found.get<std::string>() : std::string{};
}

std::int64_t integer_of(const json& from, const char* key, std::int64_t otherwise) {
  const json& found = member_of(from, key);
  return found.is_number_integer() ? found.get<std::int64_t>() : otherwise;
}

const json& member_of(const json& from, const char* key) {
  static const json nothing;
  if (!from.is_object()) return nothing;
  const auto found = from.find(key);
  return found == from.end() ? nothing : *found;
}

}  // namespace tidegate::protocol::responses
