#include <fmt/format.h>

#include "app/sim/frames.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

json responses_usage(const answer& what) {
  const auto output = output_tokens(what);
  return json{{"input_tokens", what.usage.input},
              {"input_tokens_details", {{"cached_tokens", what.usage.cached}}},
              {"output_tokens", output},
              {"output_tokens_details", {{"reasoning_tokens", what.usage.reasoning}}},
              {"total_tokens", what.usage.input + output}};
}

json response_of(const request_facts& facts, std::string_view status, json output, json usage) {
  return json{{"id", fmt::format("resp_{}", id_marker)},
              {"object", "response"},
              {"created_at", facts.created},
              {"status", status},
              {"background", false},
              {"error", nullptr},
              {"incomplete_details", nullptr},
              {"instructions", nullptr},
              {"max_output_tokens", nullptr},
              {"model", facts.model},
              {"output", std::move(output)},
              {"parallel_tool_calls", true},
              {"previous_response_id", nullptr},
              {"reasoning", {{"effort", nullptr}, {"summary", nullptr}}},
              {"store", false},
              {"temperature", 1.0},
              {"text", {{"format", {{"type", "text"}}}}},
              {"tool_choice", "auto"},
              {"tools", json::array()},
              {"top_p", 1.0},
              {"truncation", "disabled"},
              {"usage", std::move(usage)},
              {"user", nullptr},
              {"metadata", json::object()}};
}

json text_part(std::string_view text) {
  return json{{"type", "output_text"},
              {"text", text},
              {"annotations", json::array()},
              {"logprobs", json::array()}};
}

json message_item(std::string_view status, json content) {
  return json{{"id", fmt::format("msg_{}", id_marker)},
              {"type", "message"},
              {"status", status},
              {"role", "assistant"},
              {"content", std::move(content)}};
}

bool has_reasoning(const answer& what) { return what.thinks || !what.reasoning.empty(); }

json reasoning_item(const answer& what, json summary) {
  json item{{"id", fmt::format("rs_{}", id_marker)},
            {"type", "reasoning"},
            {"summary", std::move(summary)}};
  if (!what.token.empty()) item["encrypted_content"] = what.token;
  return item;
}

json summary_part(std::string_view text) {
  return json{{"type", "summary_text"}, {"text", text}};
}

json call_item(const tool_call& call, std::size_t index, std::string_view status,
               std::string_view arguments) {
  return json{{"id", fmt::format("fc_{}_{}", id_marker, index)},
              {"type", "function_call"},
              {"status", status},
              {"call_id", fmt::format("call_{}_{}", id_marker, index)},
              {"name", call.name},
              {"arguments", arguments}};
}

json summary_of(const answer& what) {
  return what.reasoning.empty() ? json::array() : json::array({summary_part(what.reasoning)});
}

json output_of(const answer& what) {
  json output = json::array();
  if (has_reasoning(what)) output.push_back(reasoning_item(what, summary_of(what)));
  if (!what.text.empty())
    output.push_back(message_item("completed", json::array({text_part(what.text)})));
  for (std::size_t i = 0; i < what.tool_calls.size(); ++i)
    output.push_back(call_item(what.tool_calls[i], i, "completed", what.tool_calls[i].arguments));
  return output;
}

json final_response(const answer& what, const request_facts& facts) {
  const bool whole = what.finish == "stop";
  auto response =
      response_of(facts, whole ? "completed" : "incomplete", output_of(what), responses_usage(what));
  if (!whole)
    response["incomplete_details"] =
        json{{"reason", what.finish == "length" ? "max_output_tokens" : "content_filter"}};
  return response;
}

/// Numbers the events and the output items while the frames are made.
class event_writer {
 public:
  std::string event(std::string_view type, json fields) {
    json data{{"type", type}, {"sequence_number", sequence_++}};
    data.update(fields);
    return sse_frame(type, data);
  }

  std::string item(std::string_view type, const json& item) {
    return event(type, json{{"output_index", index_}, {"item", item}});
  }

  std::string part(std::string_view type, const json& item, std::string_view index_name,
                   json fields) {
    json place{{"item_id", item["id"]}, {"output_index", index_}};
    if (!index_name.empty()) place[std::string{index_name}] = 0;
    place.update(fields);
    return event(type, std::move(place));
  }

  void next_item() { ++index_; }

 private:
  int sequence_ = 0;
  int index_ = 0;
};

void write_summary(const answer& what, const json& open, event_writer& make,
                   std::vector<std::string>& out) {
  const auto part = summary_part(what.reasoning);
  const std::string_view at = "summary_index";
  out.push_back(make.part("response.reasoning_summary_part.added", open, at,
                          json{{"part", summary_part("")}}));
  out.push_back(make.part("response.reasoning_summary_text.delta", open, at,
                          json{{"delta", what.reasoning}}));
  out.push_back(
      make.part("response.reasoning_summary_text.done", open, at, json{{"text", what.reasoning}}));
  out.push_back(make.part("response.reasoning_summary_part.done", open, at, json{{"part", part}}));
}

void write_reasoning(const answer& what, event_writer& make, std::vector<std::string>& out) {
  const auto open = reasoning_item(what, json::array());
  out.push_back(make.item("response.output_item.added", open));
  if (!what.reasoning.empty()) write_summary(what, open, make, out);
  out.push_back(make.item("response.output_item.done", reasoning_item(what, summary_of(what))));
  make.next_item();
}

void write_message(const answer& what, event_writer& make, stream_frames& out) {
  const auto open = message_item("in_progress", json::array());
  const std::string_view at = "content_index";
  out.opening.push_back(make.item("response.output_item.added", open));
  out.opening.push_back(
      make.part("response.content_part.added", open, at, json{{"part", text_part("")}}));
  for (const auto& part : split_text(what.text, what.chunks))
    out.content.push_back(make.part("response.output_text.delta", open, at,
                                    json{{"delta", part}, {"logprobs", json::array()}}));
  out.closing.push_back(make.part("response.output_text.done", open, at,
                                  json{{"text", what.text}, {"logprobs", json::array()}}));
  out.closing.push_back(
      make.part("response.content_part.done", open, at, json{{"part", text_part(what.text)}}));
  out.closing.push_back(make.item("response.output_item.done",
                                  message_item("completed", json::array({text_part(what.text)}))));
  make.next_item();
}

void write_call(const tool_call& call, std::size_t index, event_writer& make,
                std::vector<std::string>& out) {
  const auto open = call_item(call, index, "in_progress", "");
  out.push_back(make.item("response.output_item.added", open));
  for (const auto& part : split_text(call.arguments, 2))
    out.push_back(
        make.part("response.function_call_arguments.delta", open, "", json{{"delta", part}}));
  out.push_back(make.part("response.function_call_arguments.done", open, "",
                          json{{"name", call.name}, {"arguments", call.arguments}}));
  out.push_back(
      make.item("response.output_item.done", call_item(call, index, "completed", call.arguments)));
  make.next_item();
}

}  // namespace

std::string responses_body(const answer& what, const request_facts& facts) {
  return json_text(final_response(what, facts));
}

std::string compaction_body(const answer& what, const request_facts& facts) {
  json item{{"id", fmt::format("cmp_{}", id_marker)},
            {"type", "compaction"},
            {"encrypted_content", "c2ltLWNvbXBhY3Rpb24="}};
  return json_text(json{{"id", fmt::format("resp_{}", id_marker)},
                        {"object", "response.compaction"},
                        {"created_at", facts.created},
                        {"output", json::array({std::move(item)})},
                        {"usage", responses_usage(what)}});
}

stream_frames responses_stream(const answer& what, const request_facts& facts) {
  event_writer make;
  stream_frames out;
  const auto open = response_of(facts, "in_progress", json::array(), nullptr);
  out.opening.push_back(make.event("response.created", json{{"response", open}}));
  out.opening.push_back(make.event("response.in_progress", json{{"response", open}}));
  if (has_reasoning(what)) write_reasoning(what, make, out.opening);
  if (!what.text.empty()) write_message(what, make, out);
  for (std::size_t i = 0; i < what.tool_calls.size(); ++i)
    write_call(what.tool_calls[i], i, make, out.closing);
  const bool whole = what.finish == "stop";
  out.closing.push_back(make.event(whole ? "response.completed" : "response.incomplete",
                                   json{{"response", final_response(what, facts)}}));
  return out;
}

}  // namespace tidegate::sim
