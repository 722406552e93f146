#include "protocol/stream.hpp"

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

using row = std::tuple<std::string, std::string, frame_role>;

frame_role role(wire form, const std::string& event, const std::string& data) {
  return role_of(form, sse_frame{"raw", event, data});
}

}  // namespace

TEST_CASE("roles in a Responses stream") {
  const auto [event, data, expected] = GENERATE(table<std::string, std::string, frame_role>({
      row{"", "", frame_role::comment},
      row{"response.created", "{}", frame_role::lifecycle},
      row{"response.in_progress", "{}", frame_role::lifecycle},
      row{"", R"({"type":"response.queued"})", frame_role::lifecycle},
      row{"message", R"({"type":"response.created"})", frame_role::lifecycle},
      row{"response.output_item.added", "{}", frame_role::lifecycle},
      row{"", R"({"type":"response.content_part.added"})", frame_role::lifecycle},
      row{"response.reasoning_summary_part.added", "{}", frame_role::lifecycle},
      row{"response.output_text.annotation.added", "{}", frame_role::content},
      row{"response.output_item.done", "{}", frame_role::content},
      row{"response.output_text.delta", R"({"type":"error"})", frame_role::content},
      row{"", R"({"type":"response.output_text.delta","delta":"{\"type\":\"error\"}"})",
          frame_role::content},
      row{"", R"({"sequence_number":1,"type":"response.completed"})", frame_role::end},
      row{"response.completed", "{}", frame_role::end},
      row{"response.incomplete", "{}", frame_role::end},
      row{"response.done", "{}", frame_role::end},
      row{"response.failed", "{}", frame_role::error},
      row{"response.error", "{}", frame_role::error},
      row{"error", "{}", frame_role::error},
      row{"", R"({"type":"error","code":"x"})", frame_role::error},
      row{"", R"({"error":{"message":"x"}})", frame_role::error},
      row{"codex.rate_limits", "{}", frame_role::telemetry},
      row{"", R"({"type":"codex.rate_limits","rate_limits":{}})", frame_role::telemetry},
      row{"codex.response.metadata", "{}", frame_role::telemetry},
      row{"keepalive", "{}", frame_role::telemetry},
      row{"", "[DONE]", frame_role::telemetry},
      row{"", "not json", frame_role::content},
  }));
  CAPTURE(event, data);
  CHECK(role(wire::openai_responses, event, data) == expected);
}

TEST_CASE("roles in a Chat stream") {
  const auto [event, data, expected] = GENERATE(table<std::string, std::string, frame_role>({
      row{"", "", frame_role::comment},
      row{"", "[DONE]", frame_role::end},
      row{"", R"({"error":{"message":"x"}})", frame_role::error},
      row{"", R"({"id":"a","error" : "x","choices":[]})", frame_role::error},
      row{"", R"({"id":"a","error":null,"choices":[{"delta":{"content":"x"}}]})",
          frame_role::content},
      row{"error", R"({"message":"x"})", frame_role::error},
      row{"", R"({"code":429,"message":"slow"})", frame_role::error},
      row{"", R"({"object":"error","message":"x","code":"busy"})", frame_role::error},
      row{"", R"({"code":0,"message":"ok"})", frame_role::content},
      row{"", R"({"code":null,"message":"ok"})", frame_role::content},
      row{"", R"({"code":1,"message":"ok","choices":[]})", frame_role::content},
      row{"", R"({"choices":[{"code":429,"message":{"content":"x"}}]})", frame_role::content},
      row{"", R"({"choices":[{"delta":{"content":"say \"error\" and \"role\""}}]})",
          frame_role::content},
      row{"", R"({"choices":[{"delta":{"content":"x","k":{"error":{}}}}]})", frame_role::content},
  }));
  CAPTURE(event, data);
  CHECK(role(wire::openai_chat, event, data) == expected);
}

TEST_CASE("roles in a Messages stream") {
  const auto [event, data, expected] = GENERATE(table<std::string, std::string, frame_role>({
      row{"", "", frame_role::comment},
      row{"message_start", "{}", frame_role::lifecycle},
      row{"ping", R"({"type":"ping"})", frame_role::comment},
      row{"content_block_start", "{}", frame_role::content},
      row{"content_block_stop", "{}", frame_role::lifecycle},
      row{"content_block_delta", R"({"type":"error"})", frame_role::content},
      row{"message_delta", "{}", frame_role::content},
      row{"message_stop", "{}", frame_role::end},
      row{"error", R"({"type":"error"})", frame_role::error},
      row{"", R"({"type":"error","error":{}})", frame_role::error},
      row{"", R"({"type":"message_stop"})", frame_role::end},
      row{"", R"({"error":{"message":"x"}})", frame_role::error},
  }));
  CAPTURE(event, data);
  CHECK(role(wire::anthropic_messages, event, data) == expected);
}

TEST_CASE("roles in a Gemini stream") {
  const auto [event, data, expected] = GENERATE(table<std::string, std::string, frame_role>({
      row{"", "", frame_role::comment},
      row{"", R"({"error":{"code":429}})", frame_role::error},
      row{"", R"([{"error":{"code":429}}])", frame_role::error},
      row{"error", "{}", frame_role::error},
      row{"", R"({"candidates":[{"finishReason":"STOP"}]})", frame_role::content},
      row{"", R"({"usageMetadata":{}})", frame_role::content},
      row{"", R"({"candidates":[{"content":{"parts":[{"te)", frame_role::broken},
      row{"", R"({"broken": )", frame_role::broken},
      row{"", "not json", frame_role::broken},
      row{"", "[DONE]", frame_role::comment},
  }));
  CAPTURE(event, data);
  CHECK(role(wire::gemini, event, data) == expected);
}

TEST_CASE("a last event without its blank line is an event, unless it was cut") {
  struct row {
    const char* bytes;
    bool whole;
    const char* data;  ///< of the last frame that can be taken
  };
  const auto [bytes, whole, data] = GENERATE(values<row>({
      {"data: {\"a\":1}\n\ndata: {\"b\":2}", true, "{\"b\":2}"},
      {"data: {\"b\":2}\n", true, "{\"b\":2}"},
      {"event: x\r\ndata: {\"b\":2}\r\n", true, "{\"b\":2}"},
      {"data: [DONE]", true, "[DONE]"},
      {"data: {\"a\":1}\n\n", true, "{\"a\":1}"},
      {"data: {\"a\":1}\n\n\n", true, ""},
      {"data: {\"a\":1}\n\n: ping", true, "{\"a\":1}"},
      {"data: {\"a\":1}\n\ndata: {\"b\":", false, "{\"a\":1}"},
      {"data: {\"a\":1}\n\ndata: [DO", false, "{\"a\":1}"},
      {"", true, ""},
  }));
  CAPTURE(bytes);
  sse_splitter split{64};
  REQUIRE(split.feed(bytes));
  sse_frame frame;
  std::string last;
  while (split.next(frame)) last = frame.data;
  CHECK(close_last_frame(split) == whole);
  while (split.next(frame)) last = frame.data;
  CHECK(last == data);
}

TEST_CASE("a deciding member beyond the peeked part does not change the role") {
  const std::string late = R"({"pad":")" + std::string(5000, 'x') + R"(","error":{}})";
  CHECK(role(wire::openai_chat, "", late) == frame_role::content);
}

TEST_CASE("an event behind another one has the next sequence number") {
  CHECK(next_sequence(R"({"type":"response.created","sequence_number":0,"response":{)") == 1);
  CHECK(next_sequence(R"({"sequence_number": 41 ,"delta":"x"})") == 42);
  for (const auto* unnumbered :
       {"", "{}", R"({"delta":"\"sequence_number\":3"})", R"({"response":{"sequence_number":3}})",
        R"({"sequence_number":"3"})", R"({"sequence_number":-3})",
        R"({"sequence_number":9223372036854775807})"}) {
    CAPTURE(unnumbered);
    CHECK(next_sequence(unnumbered) == 0);
  }
}
