#include <algorithm>

#include "protocol/canonical/chat/writing.hpp"

namespace tidegate::protocol::chat {
namespace {

/// Claude Code names its caller in a first system line that no other model should see.
constexpr std::string_view billing_line = "x-anthropic-billing-header:";

void write_system(writing& to) {
  std::vector<part> blocks;
  for (const system_block& block : to.what.system) {
    const bool billing =
        to.caps.owner != token_owner::claude && block.text.escaped.starts_with(billing_line);
    if (billing) to.lose(lossy::billing_line);
    if (billing || block.text.empty()) continue;
    blocks.emplace_back(
        text_part{.text = block.text, .citations = {}, .cache = block.cache, .signature = {}});
  }
  if (blocks.empty()) return;
  std::vector<const part*> parts;
  for (const part& p : blocks) parts.push_back(&p);
  to.out.begin_object().key("role").raw("\"system\"");
  write_content(to, parts);
  to.out.end_object();
}

/// The parts of a user's or system turn that Chat can say there.
std::vector<const part*> sayable(writing& to, const turn& what) {
  std::vector<const part*> kept;
  const bool has_more = what.parts.size() > 1;
  for (const part& p : what.parts) {
    if (std::holds_alternative<text_part>(p)) {
      if (!has_more || !is_empty_text(p)) kept.push_back(&p);
    } else if (const auto* media = std::get_if<media_part>(&p)) {
      if (can_write_media(to, *media)) kept.push_back(&p);
    } else if (const auto* unknown = std::get_if<unknown_part>(&p)) {
      if (to.is_own(wire::openai_chat)) {
        kept.push_back(&p);
      } else if (!unknown->words.empty()) {
        kept.push_back(&to.stand_ins.emplace_back(text_part{unknown->words, {}, {}, {}}));
      } else {
        to.lose(lossy::unknown_part);
      }
    }
  }
  return kept;
}

/// System text of the Messages API in the middle of a conversation is the client's reminder to the
/// model; servers that take a system message only at the start are many.
void write_reminder(writing& to, const std::vector<const part*>& parts) {
  to.out.begin_object().key("role").raw("\"user\"").key("content").raw("\"<system-reminder>\\n");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) to.body += "\\n\\n";
    if (const auto* text = std::get_if<text_part>(parts[i])) to.body += text->text.escaped;
  }
  to.body += "\\n</system-reminder>\"";
  to.out.end_object();
}

/// Results come before what else the turn says.
void write_turn(writing& to, const turn& what) {
  bool has_results = false;
  for (const part& p : what.parts) {
    const auto* result = std::get_if<tool_result_part>(&p);
    if (result == nullptr) continue;
    has_results = true;
    switch (to.results.of(*result)) {
      case result_plan::verdict::kept:
        write_result(to, to.results.content_of(*result));
        break;
      case result_plan::verdict::repeated:
        to.lose(lossy::duplicate_result);
        break;
      case result_plan::verdict::orphan:
        to.lose(lossy::orphan_result);
        break;
    }
  }
  const auto parts = sayable(to, what);
  if (parts.empty() && (has_results || !what.parts.empty())) return;
  if (what.role == turn_role::tool && parts.empty()) return;
  if (what.role == turn_role::inline_system && to.is_own(wire::anthropic_messages)) {
    write_reminder(to, parts);
    return;
  }
  const bool system = what.role == turn_role::inline_system;
  to.out.begin_object().key("role").raw(system ? "\"system\"" : "\"user\"");
  write_content(to, parts);
  to.out.end_object();
}

}  // namespace

void write_messages(writing& to) {
  to.out.key("messages").begin_array();
  write_system(to);
  const auto plan = plan_messages(to.what.turns);
  for (std::size_t at = 0; at < plan.size();) {
    std::size_t end = at + 1;
    while (end < plan.size() && plan[end].joins_previous) ++end;
    if (plan[at].what->role == turn_role::assistant) {
      write_assistant(to, std::span{plan}.subspan(at, end - at));
    } else {
      write_turn(to, *plan[at].what);
    }
    at = end;
  }
  to.out.end_array();
}

}  // namespace tidegate::protocol::chat
