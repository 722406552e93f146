#include "bench/agent_turn.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "protocol/canonical/codec.hpp"

namespace tidegate::bench {
namespace {

using namespace protocol;

constexpr std::size_t padding = 64;
constexpr int tools = 12;

constexpr std::string_view prose =
    "The lock keeper reads the gauge twice a tide and writes the level into the book. When the "
    "water stands above the sill, the gate is held; the skipper is told when it opens again.";

constexpr std::string_view source_line =
    R"(  if (auto level = gauge.read(\"north\"); level > sill) {\n)"
    R"(    hold(gate, level - sill);  // m\n  }\n)";

std::string tool_json(int number) {
  return fmt::format(
      R"({{"name":"tool_{0}","description":"{1}","input_schema":{{"type":"object","properties":)"
      R"({{"path":{{"type":"string","description":"An absolute path"}},"limit":{{"type":"integer"}},)"
      R"("pattern":{{"type":"string"}}}},"required":["path"]}}}})",
      number, prose);
}

/// One question, a call of a tool, its result and a conclusion; Messages' own words.
std::string round_json(int number) {
  std::string listing;
  for (int line = 0; line < 18; ++line) listing += source_line;
  return fmt::format(
      R"({{"role":"user","content":[{{"type":"text","text":"{1}"}}]}},)"
      R"({{"role":"assistant","content":[{{"type":"text","text":"I look at the file first."}},)"
      R"({{"type":"tool_use","id":"toolu_{0}","name":"tool_{2}",)"
      R"("input":{{"path":"/src/gate_{0}.cpp","limit":200}}}}]}},)"
      R"({{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{0}","content":"{3}"}}]}},)"
      R"({{"role":"assistant","content":[{{"type":"text","text":"{1}"}}]}},)",
      number, prose, number % tools, listing);
}

std::string messages_turn(std::size_t bytes) {
  std::string body = fmt::format(
      R"({{"model":"bench-model","max_tokens":8192,"stream":true,"system":[{{"type":"text","text":"{}"}}],"tools":[)",
      prose);
  for (int i = 0; i < tools; ++i) body += (i == 0 ? "" : ",") + tool_json(i);
  body += R"(],"messages":[)";
  for (int i = 0; body.size() < bytes; ++i) body += round_json(i);
  return body + R"({"role":"user","content":"Go on."}]})";
}

std::vector<event> answer_events(int deltas) {
  std::vector<event> events;
  events.emplace_back(start_event{"msg_bench", "bench-model", 1'800'000'000});
  item_start text;
  events.emplace_back(text);
  for (int i = 0; i < deltas - 20; ++i) {
    events.emplace_back(text_delta{0, i % 7 == 0 ? ".\nThe \"north\" gate " : "opens at noon "});
  }
  events.emplace_back(item_end{0});
  item_start call;
  call.index = 1;
  call.kind = item_kind::tool_call;
  call.call_id = "call_1";
  call.name = "tool_1";
  events.emplace_back(call);
  events.emplace_back(arguments_delta{1, R"({"path":")"});
  for (int i = 0; i < 18; ++i) events.emplace_back(arguments_delta{1, "/src/gate"});
  events.emplace_back(arguments_delta{1, R"("})"});
  events.emplace_back(item_end{1});
  events.emplace_back(usage_event{{25'000, 20'000, std::nullopt, 900, std::nullopt}});
  events.emplace_back(finish_event{finish_reason::tool_use, {}, {}});
  return events;
}

}  // namespace

std::string agent_turn(wire form, std::size_t bytes) {
  auto body = messages_turn(bytes);
  body.reserve(body.size() + padding);
  if (form == wire::anthropic_messages) return body;
  const auto call = messages_codec.decode_request(body, "bench-model");
  if (!call) std::abort();
  auto made = codec_of(form).encode_request(*call, "bench-model", {}).body;
  made.reserve(made.size() + padding);
  return made;
}

std::string agent_stream(wire form, int events) {
  answer_context context;
  context.model = "bench-model";
  context.stream_usage = true;
  std::string frames;
  const auto encoder = codec_of(form).make_encoder(context);
  for (const auto& one : answer_events(events)) encoder->on(one, frames);
  encoder->finish(frames);
  return frames;
}

}  // namespace tidegate::bench
