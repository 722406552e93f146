#include "protocol/canonical/chat/writing.hpp"

namespace tidegate::protocol::chat {
namespace {

/// What stands in for reasoning that only its provider can read, where calls follow it: servers
/// that think between calls want the member back.
constexpr std::string_view unavailable = "[reasoning unavailable]";

struct assistant_message {
  std::vector<const part*> content;
  std::vector<const media_part*> images;
  std::vector<const reasoning_part*> thoughts;
  std::vector<const tool_call_part*> calls;
  const refusal_part* refusal = nullptr;
  bool hidden_thought = false;
};

/// Thinking goes on to servers that may have made it, or that want all of it (spec 4.7).
bool keeps(const writing& to, const reasoning_part& thought) {
  if (thought.redacted) return false;
  if (to.caps.owner == token_owner::kimi) return true;
  if (!thought.token) return to.what.source != wire::anthropic_messages;
  const token_owner owner = thought.token->owner;
  return owner == token_owner::gpt || (owner == to.caps.owner && owner != token_owner::unknown);
}

void add_thought(writing& to, const reasoning_part& thought, assistant_message& into) {
  if (!keeps(to, thought)) {
    to.lose(lossy::reasoning);
    return;
  }
  bool has_text = false;
  for (const raw_text text : thought.texts) has_text = has_text || !text.empty();
  if (has_text) {
    into.thoughts.push_back(&thought);
    if (thought.token) to.lose(lossy::signature);
  } else {
    into.hidden_thought = true;
    to.lose(lossy::reasoning);
  }
}

void add_call(writing& to, const tool_call_part& call, assistant_message& into) {
  if (call.kind == tool_kind::server) {
    to.lose(lossy::server_call);
    return;
  }
  into.calls.push_back(&call);
}

void add_part(writing& to, const part& p, assistant_message& into) {
  if (const auto* text = std::get_if<text_part>(&p)) {
    if (text->signature) to.lose(lossy::signature);
    if (!text->text.empty()) into.content.push_back(&p);
  } else if (const auto* thought = std::get_if<reasoning_part>(&p)) {
    add_thought(to, *thought, into);
  } else if (const auto* call = std::get_if<tool_call_part>(&p)) {
    add_call(to, *call, into);
  } else if (const auto* media = std::get_if<media_part>(&p)) {
    if (media->kind != media_kind::image) {
      to.lose(lossy::media_source);
    } else if (can_write_media(to, *media)) {
      into.images.push_back(media);
    }
  } else if (const auto* refusal = std::get_if<refusal_part>(&p)) {
    into.refusal = refusal;
  } else if (std::holds_alternative<unknown_part>(p)) {
    if (to.is_own(wire::openai_chat)) {
      into.content.push_back(&p);
    } else {
      to.lose(lossy::unknown_part);
    }
  }
}

void write_thoughts(writing& to, const assistant_message& from) {
  const bool stand_in = from.thoughts.empty() && from.hidden_thought && !from.calls.empty();
  if (stand_in) to.out.key("reasoning_content").text({unavailable});
  if (from.thoughts.empty()) return;
  to.out.key("reasoning_content").raw("\"");
  bool first = true;
  for (const reasoning_part* thought : from.thoughts) {
    for (const raw_text text : thought->texts) {
      if (text.empty()) continue;
      to.body.append(first ? "" : "\\n\\n").append(text.escaped);
      first = false;
    }
  }
  to.body += '"';
}

void write_arguments(writing& to, const tool_call_part& call) {
  if (to.custom_is_native(call.kind)) {
    to.out.key("input").text({call.arguments});
  } else if (call.kind == tool_kind::custom) {
    to.out.key("arguments").plain(R"({"input":")" + std::string{call.arguments} + R"("})");
  } else {
    to.out.key("arguments").plain(call.arguments.empty() ? "{}" : call.arguments);
  }
}

/// Gemini's own endpoint for Chat wants its signatures back in this place.
void write_signature(writing& to, const tool_call_part& call) {
  if (!call.signature) return;
  if (to.caps.owner != token_owner::gemini || call.signature->owner != token_owner::gemini) {
    to.lose(lossy::signature);
    return;
  }
  to.out.key("extra_content").begin_object().key("google").begin_object();
  to.out.key("thought_signature").text(call.signature->bytes).end_object().end_object();
}

void write_calls(writing& to, const assistant_message& from) {
  if (from.calls.empty()) return;
  to.out.key("tool_calls").begin_array();
  for (const tool_call_part* call : from.calls) {
    const bool native = to.custom_is_native(call->kind);
    const std::string_view type = native ? "custom" : "function";
    to.out.begin_object().key("id").text(call->id).key("type").text({type});
    to.out.key(type).begin_object();
    to.out.key("name").text({to.name_of(call->name, call->name_space, call->kind)});
    write_arguments(to, *call);
    to.out.end_object();
    write_signature(to, *call);
    write_cache(to, call->cache);
    to.out.end_object();
  }
  to.out.end_array();
}

void write_images(writing& to, const assistant_message& from) {
  if (from.images.empty()) return;
  to.out.key("images").begin_array();
  for (const media_part* image : from.images) write_media(to, *image);
  to.out.end_array();
}

}  // namespace

void write_assistant(writing& to, std::span<const planned_turn> turns) {
  assistant_message made;
  bool empty_text = false;
  for (const planned_turn& planned : turns) {
    for (const part& p : planned.what->parts) {
      add_part(to, p, made);
      empty_text = empty_text || std::holds_alternative<text_part>(p);
    }
  }
  const bool says_nothing = made.content.empty() && made.images.empty() && made.calls.empty() &&
                            made.thoughts.empty() && made.refusal == nullptr;
  if (says_nothing && !empty_text) return;
  to.out.begin_object().key("role").raw("\"assistant\"");
  write_thoughts(to, made);
  write_content(to, made.content);
  write_images(to, made);
  if (made.refusal != nullptr) to.out.key("refusal").text(made.refusal->text);
  write_calls(to, made);
  to.out.end_object();
}

}  // namespace tidegate::protocol::chat
