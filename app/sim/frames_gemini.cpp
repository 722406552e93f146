#include <fmt/format.h>

#include "app/sim/frames.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

json gemini_usage(const answer& what) {
  const auto output = output_tokens(what);
  json usage{{"promptTokenCount", what.usage.input},
             {"candidatesTokenCount", output - what.usage.reasoning},
             {"totalTokenCount", what.usage.input + output}};
  if (what.usage.cached > 0) usage["cachedContentTokenCount"] = what.usage.cached;
  if (what.usage.reasoning > 0) usage["thoughtsTokenCount"] = what.usage.reasoning;
  return usage;
}

std::string gemini_finish(const answer& what) {
  if (what.finish == "length") return "MAX_TOKENS";
  return what.finish == "content_filter" ? "SAFETY" : "STOP";
}

/// The first call of a turn carries the token of the thinking before it.
json calls_of(const answer& what) {
  json parts = json::array();
  for (const auto& call : what.tool_calls) {
    parts.push_back(
        json{{"functionCall",
              {{"name", call.name}, {"args", json::parse(call.arguments, nullptr, false)}}}});
    if (parts.size() == 1 && !what.token.empty()) parts[0]["thoughtSignature"] = what.token;
  }
  return parts;
}

json text_part(const answer& what, std::string_view text) {
  json part{{"text", text}};
  if (what.tool_calls.empty() && !what.token.empty()) part["thoughtSignature"] = what.token;
  return part;
}

json chunk_of(const request_facts& facts, json parts) {
  json candidate{{"content", {{"parts", std::move(parts)}, {"role", "model"}}}, {"index", 0}};
  return json{{"candidates", json::array({std::move(candidate)})},
              {"modelVersion", facts.model},
              {"responseId", id_marker}};
}

json last_of(const answer& what, const request_facts& facts, json parts) {
  auto chunk = chunk_of(facts, std::move(parts));
  chunk["candidates"][0]["finishReason"] = gemini_finish(what);
  chunk["usageMetadata"] = gemini_usage(what);
  return chunk;
}

/// Without `alt=sse` the stream is one JSON array that arrives element by element.
void join_as_array(stream_frames& out) {
  bool first = true;
  for (auto* group : {&out.opening, &out.content, &out.closing})
    for (auto& frame : *group) {
      frame = (first ? "[" : ",\n") + frame;
      first = false;
    }
  out.closing.back() += "]";
}

}  // namespace

std::string gemini_body(const answer& what, const request_facts& facts) {
  json parts = json::array();
  if (!what.reasoning.empty()) parts.push_back(json{{"text", what.reasoning}, {"thought", true}});
  if (!what.text.empty()) parts.push_back(text_part(what, what.text));
  for (auto& call : calls_of(what)) parts.push_back(std::move(call));
  return json_text(last_of(what, facts, std::move(parts)));
}

stream_frames gemini_stream(const answer& what, const request_facts& facts) {
  const auto frame = [&](const json& chunk) {
    return facts.sse ? sse_frame("", chunk) : json_text(chunk);
  };
  stream_frames out;
  if (!what.reasoning.empty()) {
    const json thought{{"text", what.reasoning}, {"thought", true}};
    out.opening.push_back(frame(chunk_of(facts, json::array({thought}))));
  }
  for (const auto& text : split_text(what.text, what.chunks)) {
    const json part{{"text", text}};
    out.content.push_back(frame(chunk_of(facts, json::array({part}))));
  }
  auto parts = calls_of(what);
  if (parts.empty()) parts.push_back(text_part(what, ""));
  out.closing.push_back(frame(last_of(what, facts, std::move(parts))));
  if (!facts.sse) join_as_array(out);
  return out;
}

}  // namespace tidegate::sim
