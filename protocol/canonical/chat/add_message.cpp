#include <simdjson.h>

#include "protocol/canonical/chat/message.hpp"
#include "protocol/canonical/client_settings.hpp"

namespace tidegate::protocol::chat {
namespace {

/// A message's own mark belongs to its last part, unless that has one.
void mark_last(std::vector<part>& parts, const cache_mark& mark) {
  if (!mark || parts.empty()) return;
  std::visit(
      [&](auto& last) {
        if constexpr (requires { last.cache; }) {
          if (!last.cache) last.cache = mark;
        }
      },
      parts.back());
}

raw_text system_text(reading& to, const part& from) {
  if (const auto* text = std::get_if<text_part>(&from)) return text->text;
  if (const auto* other = std::get_if<unknown_part>(&from)) {
    return {to.out.texts.keep("[" + std::string{other->type} + "]")};
  }
  if (const auto* media = std::get_if<media_part>(&from)) {
    switch (media->kind) {
      case media_kind::image:
        return {"[image]"};
      case media_kind::file:
        return {"[file]"};
      case media_kind::audio:
        return {"[audio]"};
      case media_kind::video:
        return {"[video]"};
    }
  }
  return {};
}

bool add_system(reading& to, message& from) {
  mark_last(from.content, from.cache);
  const bool developer = from.role.escaped == "developer";
  turn inline_turn{turn_role::inline_system, {}};
  for (const part& p : from.content) {
    const raw_text text = system_text(to, p);
    if (text.empty()) continue;
    const auto* source = std::get_if<text_part>(&p);
    const cache_mark mark = source != nullptr ? source->cache : std::nullopt;
    if (to.out.turns.empty()) {
      const auto origin = developer ? system_origin::developer : system_origin::system;
      to.out.system.push_back({text, origin, mark});
    } else {
      inline_turn.parts.emplace_back(
          text_part{.text = text, .citations = {}, .cache = mark, .signature = {}});
    }
  }
  if (!inline_turn.parts.empty()) to.out.turns.push_back(std::move(inline_turn));
  return true;
}

/// Calls without an id get one that the same history gets again.
void note_calls(reading& to, std::vector<part>& calls) {
  if (!calls.empty()) to.unanswered = {};  // clear() keeps the room of the largest one
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto& call = std::get<tool_call_part>(calls[i]);
    if (call.id.empty()) {
      call.id = {to.out.texts.keep("call_missing_" + std::to_string(to.out.turns.size()) + "_" +
                                   std::to_string(i))};
    }
    to.calls[call.id.escaped] = call.kind;
    to.unanswered.insert(call.id.escaped);
  }
}

bool add_assistant(reading& to, message& from) {
  turn made{turn_role::assistant, {}};
  const raw_text thought = from.reasoning_content.empty() ? from.reasoning : from.reasoning_content;
  if (!thought.empty()) {
    made.parts.emplace_back(reasoning_part{{thought}, std::nullopt, {}, false, false});
  }
  if (!from.calls.empty()) std::erase_if(from.content, is_empty_text);
  if (!from.citations.empty()) {
    for (auto at = from.content.rbegin(); at != from.content.rend(); ++at) {
      auto* text = std::get_if<text_part>(&*at);
      if (text == nullptr) continue;
      text->citations = std::move(from.citations);
      break;
    }
  }
  note_calls(to, from.calls);
  for (auto* list : {&from.content, &from.images}) {
    for (part& p : *list) made.parts.push_back(std::move(p));
  }
  if (!from.refusal.empty()) made.parts.emplace_back(refusal_part{from.refusal});
  for (part& p : from.calls) made.parts.push_back(std::move(p));
  mark_last(made.parts, from.cache);
  to.out.turns.push_back(std::move(made));
  return true;
}

/// Some clients put the parts of a result into a string; only a list with an image is unpacked.
bool unpack_parts(reading& to, raw_text text, std::vector<part>& into) {
  const bool candidate =
      text.escaped.starts_with('[') && text.escaped.find("image_url") != std::string_view::npos;
  if (!candidate) return false;
  std::string json = plain(text);
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  const std::size_t capacity = json.capacity();
  const std::string_view kept = to.out.texts.keep(std::move(json));
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  json_in::array list;
  const simdjson::padded_string_view padded{kept.data(), kept.size(), capacity};
  const bool good = !parser.iterate(padded).get(document) && !document.get_array().get(list) &&
                    read_parts(to, list, into);
  to.wrong.clear();
  if (!good) into.clear();
  return good;
}

void fill_result(reading& to, message& from, tool_result_part& result) {
  std::vector<part> unpacked;
  std::vector<part>* parts = &from.content;
  if (from.content.size() == 1) {
    const auto* text = std::get_if<text_part>(&from.content.front());
    if (text != nullptr && unpack_parts(to, text->text, unpacked)) parts = &unpacked;
  }
  for (part& p : *parts) {
    if (auto* text = std::get_if<text_part>(&p)) {
      result.content.emplace_back(std::move(*text));
    } else if (auto* media = std::get_if<media_part>(&p)) {
      result.content.emplace_back(std::move(*media));
    } else if (const auto* other = std::get_if<unknown_part>(&p)) {
      result.content.emplace_back(text_part{.text = to.out.texts.keep_plain(other->json),
                                            .citations = {},
                                            .cache = {},
                                            .signature = {}});
    }
  }
}

bool add_result(reading& to, message& from) {
  tool_result_part result;
  result.call_id = from.call_id;
  result.name = from.name;
  result.cache = from.cache;
  result.json = from.content_json;
  if (result.json.empty()) fill_result(to, from, result);
  if (result.call_id.empty() && to.unanswered.size() == 1) {
    result.call_id = {*to.unanswered.begin()};
  }
  to.unanswered.erase(result.call_id.escaped);
  const auto call = to.calls.find(result.call_id.escaped);
  if (call != to.calls.end()) result.kind = call->second;

  auto& turns = to.out.turns;
  if (turns.empty() || turns.back().role != turn_role::tool) {
    turns.push_back({turn_role::tool, {}});
  }
  turns.back().parts.emplace_back(std::move(result));
  return true;
}

}  // namespace

bool add_message(reading& to, message& from) {
  const std::string_view role = from.role.escaped;
  if (is_result_role(role)) return add_result(to, from);
  if (!from.name.empty()) note_setting(to.out, setting::message_name);
  if (!from.content_json.empty()) {
    std::swap(to.wrong, from.content_fault);
    return to.wrong.under("content");
  }
  if (role == "user") {
    mark_last(from.content, from.cache);
    to.out.turns.push_back({turn_role::user, std::move(from.content)});
    return true;
  }
  if (role == "assistant") return add_assistant(to, from);
  if (role == "system" || role == "developer") return add_system(to, from);
  return to.wrong.set(role.empty() ? "missing" : "unknown role") || to.wrong.under("role");
}

}  // namespace tidegate::protocol::chat
