#include <vector>

#include "protocol/canonical/messages/block_writer.hpp"
#include "protocol/canonical/messages/messages.hpp"
#include "protocol/canonical/messages/rules.hpp"
#include "protocol/canonical/messages/settings_writer.hpp"
#include "protocol/canonical/messages/tool_writer.hpp"
#include "protocol/canonical/messages/wire_names.hpp"

namespace tidegate::protocol::messages {
namespace {

std::size_t size_of(const part& one) {
  if (const auto* const words = std::get_if<text_part>(&one)) return words->text.escaped.size();
  if (const auto* const media = std::get_if<media_part>(&one)) {
    return media->source.base64.escaped.size() + media->source.url.escaped.size();
  }
  if (const auto* const call = std::get_if<tool_call_part>(&one)) return call->arguments.size();
  if (const auto* const other = std::get_if<unknown_part>(&one)) return other->json.size();
  std::size_t bytes = 0;
  if (const auto* const thought = std::get_if<reasoning_part>(&one)) {
    for (const raw_text& text : thought->texts) bytes += text.escaped.size();
    if (thought->token) bytes += thought->token->bytes.escaped.size();
  }
  if (const auto* const result = std::get_if<tool_result_part>(&one)) {
    bytes += result->json.size() + result->json.size() / 8;
    for (const auto& piece : result->content) {
      if (const auto* const words = std::get_if<text_part>(&piece)) {
        bytes += words->text.escaped.size();
      } else if (const auto* const media = std::get_if<media_part>(&piece)) {
        bytes += media->source.base64.escaped.size();
      }
    }
  }
  return bytes;
}

std::size_t estimate(const canonical_request& what) {
  constexpr std::size_t frame = 120;
  std::size_t bytes = 1024;
  for (const system_block& one : what.system) bytes += one.text.escaped.size() + frame;
  for (const turn& one : what.turns) {
    bytes += frame;
    for (const part& p : one.parts) bytes += size_of(p) + frame;
  }
  for (const tool& one : what.tools) {
    bytes += one.schema.size() + one.description.escaped.size() + one.json.size() + frame;
  }
  return bytes + what.format.schema.size();
}

struct system_text {
  raw_text text;
  cache_mark cache;
};

std::vector<system_text> system_texts(const canonical_request& what, const conversation& plan) {
  std::vector<system_text> out;
  const auto add = [&out](raw_text text, const cache_mark& cache) {
    if (!text.empty()) out.push_back({text, cache});
  };
  for (const system_block& one : what.system) add(one.text, one.cache);
  for (const text_part* const one : plan.moved_system) add(one->text, one->cache);
  return out;
}

void write_system(json_out& out, const std::vector<system_text>& texts, block_writer& blocks) {
  if (texts.empty()) return;
  out.key("system").begin_array();
  for (const system_text& one : texts) blocks.text(one.text, one.cache);
  out.end_array();
}

/// There must be a message, and no text may be empty: system text alone is the user's.
void write_only_message(json_out& out, const std::vector<system_text>& texts,
                        block_writer& blocks) {
  out.begin_object().key("role").text({"user"}).key("content").begin_array();
  for (const system_text& one : texts) blocks.text(one.text, one.cache);
  if (texts.empty()) blocks.text({}, std::nullopt);
  out.end_array().end_object();
}

}  // namespace

encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps) {
  encoded_request made;
  made.body.reserve(estimate(what));
  json_out out(made.body);
  wire_names names(what);
  const conversation plan = plan_conversation(what, caps, made.lost);
  block_writer blocks(out, what, caps, names, made.lost);
  out.begin_object().key("model").plain(model);
  const settings_writer settings(out, what, caps, made.lost);
  settings.limits();
  const auto system = system_texts(what, plan);
  const bool alone = plan.messages.empty();
  if (!alone) write_system(out, system, blocks);
  if (alone && !system.empty()) note(made.lost, rule::system_alone);
  out.key("messages").begin_array();
  if (!alone && plan.messages.front().role == message_role::assistant) {
    note(made.lost, rule::first_turn);
    out.raw(R"({"role":"user","content":"."})");
  }
  for (const planned_message& one : plan.messages) blocks.message(one, plan);
  if (alone) write_only_message(out, system, blocks);
  out.end_array();
  const bool has_tools = write_tools(out, what, names, made.lost);
  const bool chosen = has_tools && can_choose(what.choice, names);
  if (chosen) {
    write_choice(out, what, names, made.lost);
  } else if (forces_tool(what.choice)) {
    note(made.lost, rule::tool_choice);
  }
  settings.rest({.tool_is_forced = chosen && forces_tool(what.choice),
                 .loop_lacks_thinking = goes_on_without_thinking(plan)});
  out.end_object();
  made.names = names.changed();
  return made;
}

}  // namespace tidegate::protocol::messages
