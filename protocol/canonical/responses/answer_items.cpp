#include "protocol/canonical/responses/answer_items.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/canonical/logprobs.hpp"
#include "protocol/canonical/responses/tokens.hpp"

namespace tidegate::protocol::responses {
namespace {

using nlohmann::json;

constexpr std::size_t items_max = 4096;
constexpr std::size_t thoughts_max = 4096;

std::string_view type_for(delta_kind kind) {
  switch (kind) {
    case delta_kind::text:
    case delta_kind::refusal:
      return "message";
    case delta_kind::summary:
    case delta_kind::thought:
      return "reasoning";
    case delta_kind::arguments:
      return "function_call";
    case delta_kind::input:
      return "custom_tool_call";
  }
  return {};
}

bool is_call(std::string_view type) {
  return type == "function_call" || type == "custom_tool_call";
}

/// What `whole` has behind `said`; nothing when it says something else.
}  // namespace

answer_items::item* answer_items::find(item_ref ref, std::string_view type,
                                       std::string_view call_id) {
  const auto by = [&](auto matches) -> item* {
    const auto found = std::find_if(items_.rbegin(), items_.rend(), matches);
    return found == items_.rend() ? nullptr : &*found;
  };
  if (!ref.id.empty()) {
    if (item* const it = by([&](const item& one) { return one.id == ref.id; })) return it;
  }
  if (!call_id.empty()) {
    if (item* const it = by([&](const item& one) { return one.call_id == call_id; })) return it;
  }
  if (ref.output_index < 0) return nullptr;
  return by([&](const item& one) {
    return one.output_index == ref.output_index && (type.empty() || one.type == type);
  });
}

answer_items::item* answer_items::find_or_make(item_ref ref, std::string_view type,
                                               std::string_view call_id) {
  if (item* const it = find(ref, type, call_id)) return it;
  if (items_.size() == items_max) {
    overgrown_ = true;
    return nullptr;
  }
  item& made = items_.emplace_back();
  made.type = type;
  made.id = ref.id;
  made.call_id = call_id;
  made.output_index = ref.output_index;
  return &made;
}

void answer_items::learn(item& it, const json& from) {
  const auto keep = [&](std::string& into, const char* key) {
    if (auto found = text_of(from, key); !found.empty()) into = std::move(found);
  };
  if (it.id.empty()) keep(it.id, "id");
  if (it.call_id.empty()) keep(it.call_id, "call_id");
  if (it.name.empty()) keep(it.name, "name");
  if (it.name_space.empty()) keep(it.name_space, "namespace");
  keep(it.encrypted, "encrypted_content");
}

void answer_items::open(item& it, channel& at, item_kind kind, std::vector<event>& into) {
  if (at.open || at.closed) return;
  at.open = true;
  at.index = opened_++;
  item_start start{at.index, kind, it.id, it.call_id, {}, {}, tool_kind::function};
  if (kind == item_kind::tool_call) {
    const tool_name* const known = find_tool(names_, it.name);
    start.name = known == nullptr ? it.name : known->name;
    start.name_space = known == nullptr ? it.name_space : known->name_space;
    if (it.type == "custom_tool_call") start.tool = tool_kind::custom;
  }
  if (kind == item_kind::refusal) refused_ = true;
  into.emplace_back(std::move(start));
}

void answer_items::say(item& it, channel& at, delta_kind kind, std::string_view text,
                       std::vector<event>& into) {
  if (at.closed || text.empty()) return;
  at.said += text;
  if (kind == delta_kind::arguments || kind == delta_kind::input) {
    if (at.open) into.emplace_back(arguments_delta{at.index, std::string{text}});
    if (!at.open) try_open_call(it, into);
    return;
  }
  open(it, at, kind == delta_kind::refusal ? item_kind::refusal : item_kind::text, into);
  into.emplace_back(text_delta{at.index, std::string{text}});
}

void answer_items::try_open_call(item& it, std::vector<event>& into) {
  if (it.main.open || it.main.closed || it.name.empty() || it.call_id.empty()) return;
  open(it, it.main, item_kind::tool_call, into);
  if (!it.main.said.empty()) into.emplace_back(arguments_delta{it.main.index, it.main.said});
}

/// Summary and content say the same thing; the form that came first counts.
void answer_items::say_thought(item& it, delta_kind kind, std::int64_t part, std::string_view text,
                               bool is_whole, std::vector<event>& into) {
  const auto form = kind == delta_kind::summary ? thought_form::summary : thought_form::content;
  if (it.main.closed || text.empty() || (it.form != thought_form::none && it.form != form)) return;
  it.form = form;
  auto at = std::ranges::find(it.thoughts, part, &thought_part::wire_index);
  if (at == it.thoughts.end()) {
    if (it.thoughts.size() == thoughts_max) {
      overgrown_ = true;
      return;
    }
    at = it.thoughts.insert(at, {part, {}});
  }
  const auto news = is_whole ? rest_of(text, at->said) : text;
  if (news.empty()) return;
  at->said += news;
  open(it, it.main, item_kind::reasoning, into);
  const auto position = static_cast<std::uint32_t>(at - it.thoughts.begin());
  into.emplace_back(reasoning_delta{it.main.index, position, std::string{news}});
}

void answer_items::close(channel& at, std::vector<event>& into) {
  if (at.open && !at.closed) into.emplace_back(item_end{at.index});
  at.closed = true;
}

void answer_items::added(item_ref ref, const json& from, std::vector<event>& into) {
  const std::string id = text_of(from, "id");
  const std::string type = text_of(from, "type");
  if (ref.id.empty()) ref.id = id;
  const bool repeated = !ref.id.empty() && find({ref.id, -1}, {}, {}) != nullptr;
  item* it = nullptr;
  if (repeated || ref.id.empty()) {
    it = find_or_make(ref, type, {});
  } else {
    it = find_or_make({ref.id, -1}, type, {});
    if (it != nullptr) it->output_index = ref.output_index;
  }
  if (it == nullptr || it->closed) return;
  learn(*it, from);
  if (is_call(it->type)) try_open_call(*it, into);
}

void answer_items::delta(item_ref ref, delta_kind kind, std::int64_t part, std::string_view text,
                         std::vector<event>& into) {
  item* const it = find_or_make(ref, type_for(kind), {});
  if (it == nullptr || it->closed || it->type != type_for(kind)) return;
  if (kind == delta_kind::summary || kind == delta_kind::thought) {
    say_thought(*it, kind, part, text, false, into);
  } else {
    say(*it, kind == delta_kind::refusal ? it->refusal : it->main, kind, text, into);
  }
}

void answer_items::whole(item_ref ref, delta_kind kind, std::int64_t part, std::string_view text,
                         std::vector<event>& into) {
  item* const it = find_or_make(ref, type_for(kind), {});
  if (it == nullptr || it->closed || it->type != type_for(kind)) return;
  if (kind == delta_kind::text || kind == delta_kind::refusal) {
    // One content part of perhaps several: it can only tell what nothing was said of.
    channel& at = kind == delta_kind::text ? it->main : it->refusal;
    if (at.said.empty()) say(*it, at, kind, text, into);
    return;
  }
  if (kind == delta_kind::summary || kind == delta_kind::thought) {
    say_thought(*it, kind, part, text, true, into);
  } else {
    say(*it, it->main, kind, rest_of(text, it->main.said), into);
  }
}

void answer_items::cite(item& it, const json& what, std::vector<event>& into) {
  if (text_of(what, "type") != "url_citation" || it.main.closed) return;
  open(it, it.main, item_kind::text, into);
  citation_added found{it.main.index, text_of(what, "url"), text_of(what, "title"), {}, {}};
  if (const auto at = integer_of(what, "start_index", -1); at >= 0) found.begin = at;
  if (const auto at = integer_of(what, "end_index", -1); at >= 0) found.end = at;
  into.emplace_back(std::move(found));
}

void answer_items::annotation(item_ref ref, const json& what, std::vector<event>& into) {
  item* const it = find_or_make(ref, "message", {});
  if (it == nullptr || it->closed || it->type != "message") return;
  ++it->annotations;
  cite(*it, what, into);
}

void answer_items::add_logprobs(item& it, std::string_view list, std::vector<event>& into) {
  if (list.empty() || !it.main.open || it.main.closed) return;
  auto tokens = logprobs_of_list(list);
  if (tokens.empty()) return;
  it.has_logprobs = true;
  into.emplace_back(logprobs_event{it.main.index, std::move(tokens)});
}

void answer_items::logprobs(item_ref ref, std::string_view list, bool is_whole,
                            std::vector<event>& into) {
  item* const it = find(ref, "message", {});
  if (it == nullptr || it->type != "message" || (is_whole && it->has_logprobs)) return;
  add_logprobs(*it, list, into);
}

void answer_items::partial_image(item_ref ref, const json& frame, std::vector<event>& into) {
  item* const it = find_or_make(ref, "image_generation_call", {});
  const std::string data = text_of(frame, "partial_image_b64");
  if (it == nullptr || it->closed || it->type != "image_generation_call" || data.empty()) return;
  open(*it, it->main, item_kind::image, into);
  const std::string format = text_of(frame, "output_format");
  into.emplace_back(
      image_chunk{it->main.index, true, "image/" + (format.empty() ? "png" : format), data});
}

void answer_items::done(item_ref ref, const json& from, std::vector<event>& into) {
  const std::string id = text_of(from, "id");
  const std::string type = text_of(from, "type");
  if (ref.id.empty()) ref.id = id;
  item* const it = find_or_make(ref, type, text_of(from, "call_id"));
  if (it == nullptr || it->closed || it->type != type) return;
  learn(*it, from);
  if (type == "message") {
    finish_message(*it, from, into);
  } else if (type == "reasoning") {
    finish_reasoning(*it, from, into);
  } else if (is_call(type)) {
    finish_call(*it, from, into);
  } else if (type == "image_generation_call") {
    finish_image(*it, from, into);
  } else if (type.ends_with("_call")) {
    finish_server(*it, from, into);
  }
  it->closed = true;
}

/// A call whose item never ended counts when its arguments are whole.
void answer_items::close_all(std::vector<event>& into) {
  for (item& it : items_) {
    if (it.closed) continue;
    it.closed = true;
    if (it.type == "reasoning" && !it.encrypted.empty()) {
      finish_reasoning(it, json::object(), into);
    } else if (is_call(it.type)) {
      const bool sound = it.type != "function_call" || json::accept(it.main.said);
      if (it.main.open && sound) called_ = true;
    }
    close(it.main, into);
    close(it.refusal, into);
  }
}

}  // namespace tidegate::protocol::responses
