#include <fmt/format.h>

#include "app/sim/frames.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

std::string message_id() {
  return fmt::format("msg_{}", id_marker);
}

json messages_usage(const answer& what, std::int64_t output) {
  return json{{"input_tokens", what.usage.input - what.usage.cached},
              {"cache_creation_input_tokens", 0},
              {"cache_read_input_tokens", what.usage.cached},
              {"output_tokens", output},
              {"service_tier", "standard"}};
}

std::string stop_reason(const answer& what) {
  if (what.finish == "length") return "max_tokens";
  if (what.finish == "content_filter") return "refusal";
  return what.tool_calls.empty() ? "end_turn" : "tool_use";
}

json tool_block(const tool_call& call, std::size_t index, json input) {
  return json{{"type", "tool_use"},
              {"id", fmt::format("toolu_{}_{}", id_marker, index)},
              {"name", call.name},
              {"input", std::move(input)}};
}

json message_of(const request_facts& facts, json content, const json& stop, json usage) {
  return json{{"id", message_id()},         {"type", "message"},        {"role", "assistant"},
              {"model", facts.model},     {"content", content},       {"stop_reason", stop},
              {"stop_sequence", nullptr}, {"usage", std::move(usage)}};
}

std::string start_block(int index, const json& block) {
  return sse_frame(
      "content_block_start",
      json{{"type", "content_block_start"}, {"index", index}, {"content_block", block}});
}

std::string delta(int index, const json& change) {
  return sse_frame("content_block_delta",
                   json{{"type", "content_block_delta"}, {"index", index}, {"delta", change}});
}

std::string stop_block(int index) {
  return sse_frame("content_block_stop", json{{"type", "content_block_stop"}, {"index", index}});
}

/// The ordinary answers' thinking has a token that no vendor made.
std::string_view signature_of(const answer& what) {
  return what.token.empty() ? "c2ltLXNpZ25hdHVyZQ==" : std::string_view{what.token};
}

bool has_thinking(const answer& what) { return what.thinks || !what.reasoning.empty(); }

void open_thinking(const answer& what, int index, stream_frames& out) {
  out.opening.push_back(
      start_block(index, json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}));
  if (!what.reasoning.empty())
    out.opening.push_back(
        delta(index, json{{"type", "thinking_delta"}, {"thinking", what.reasoning}}));
  out.opening.push_back(
      delta(index, json{{"type", "signature_delta"}, {"signature", signature_of(what)}}));
  out.opening.push_back(stop_block(index));
}

}  // namespace

std::string messages_body(const answer& what, const request_facts& facts) {
  json content = json::array();
  if (has_thinking(what))
    content.push_back(json{
        {"type", "thinking"}, {"thinking", what.reasoning}, {"signature", signature_of(what)}});
  if (!what.text.empty()) content.push_back(json{{"type", "text"}, {"text", what.text}});
  for (std::size_t i = 0; i < what.tool_calls.size(); ++i)
    content.push_back(tool_block(what.tool_calls[i], i,
                                 json::parse(what.tool_calls[i].arguments, nullptr, false)));
  return json_text(message_of(facts, std::move(content), stop_reason(what),
                              messages_usage(what, output_tokens(what))));
}

stream_frames messages_stream(const answer& what, const request_facts& facts) {
  stream_frames out;
  out.opening.push_back(
      sse_frame("message_start",
                json{{"type", "message_start"},
                     {"message", message_of(facts, json::array(), nullptr, messages_usage(what, 1))}}));
  int index = 0;
  if (has_thinking(what)) open_thinking(what, index++, out);
  if (!what.text.empty()) {
    out.opening.push_back(start_block(index, json{{"type", "text"}, {"text", ""}}));
    out.opening.push_back(sse_frame("ping", json{{"type", "ping"}}));
    for (const auto& part : split_text(what.text, what.chunks))
      out.content.push_back(delta(index, json{{"type", "text_delta"}, {"text", part}}));
    out.closing.push_back(stop_block(index++));
  }
  for (std::size_t i = 0; i < what.tool_calls.size(); ++i) {
    out.closing.push_back(start_block(index, tool_block(what.tool_calls[i], i, json::object())));
    for (const auto& part : split_text(what.tool_calls[i].arguments, 2))
      out.closing.push_back(
          delta(index, json{{"type", "input_json_delta"}, {"partial_json", part}}));
    out.closing.push_back(stop_block(index++));
  }
  out.closing.push_back(
      sse_frame("message_delta",
                json{{"type", "message_delta"},
                     {"delta", {{"stop_reason", stop_reason(what)}, {"stop_sequence", nullptr}}},
                     {"usage", {{"output_tokens", output_tokens(what)}}}}));
  out.closing.push_back(sse_frame("message_stop", json{{"type", "message_stop"}}));
  return out;
}

}  // namespace tidegate::sim
