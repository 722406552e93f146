#include "app/sim/frames.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;
using protocol::wire;

answer rich() {
  answer out;
  out.text = "one two three";
  out.chunks = 3;
  out.reasoning = "thinking";
  out.tool_calls.push_back({"look", R"({"q":"x"})"});
  out.usage.input = 100;
  out.usage.output = 9;
  out.usage.cached = 40;
  out.usage.reasoning = 2;
  return out;
}

request_facts facts() {
  request_facts out;
  out.model = "m1";
  out.created = 1'800'000'000;
  out.stream_usage = true;
  return out;
}

std::vector<std::string> all(const stream_frames& frames) {
  std::vector<std::string> out;
  for (const auto* group : {&frames.opening, &frames.content, &frames.closing})
    out.insert(out.end(), group->begin(), group->end());
  return out;
}

json data_of(const std::string& frame) {
  const auto at = frame.find("data: ");
  REQUIRE(at != std::string::npos);
  REQUIRE(frame.ends_with("\n\n"));
  return json::parse(frame.substr(at + 6), nullptr, false);
}

std::vector<std::string> types(const stream_frames& frames) {
  std::vector<std::string> out;
  for (const auto& frame : all(frames)) {
    const auto data = data_of(frame);
    const auto type = data["type"].get<std::string>();
    CHECK(frame.starts_with("event: " + type + "\n"));
    out.push_back(type);
  }
  return out;
}

TEST_CASE("a Responses stream has every event of its grammar in order") {
  const auto frames = responses_stream(rich(), facts());
  CHECK(types(frames) == std::vector<std::string>{"response.created",
                                                  "response.in_progress",
                                                  "response.output_item.added",
                                                  "response.reasoning_summary_part.added",
                                                  "response.reasoning_summary_text.delta",
                                                  "response.reasoning_summary_text.done",
                                                  "response.reasoning_summary_part.done",
                                                  "response.output_item.done",
                                                  "response.output_item.added",
                                                  "response.content_part.added",
                                                  "response.output_text.delta",
                                                  "response.output_text.delta",
                                                  "response.output_text.delta",
                                                  "response.output_text.done",
                                                  "response.content_part.done",
                                                  "response.output_item.done",
                                                  "response.output_item.added",
                                                  "response.function_call_arguments.delta",
                                                  "response.function_call_arguments.delta",
                                                  "response.function_call_arguments.done",
                                                  "response.output_item.done",
                                                  "response.completed"});
  int sequence = 0;
  for (const auto& frame : all(frames)) CHECK(data_of(frame)["sequence_number"] == sequence++);
  const auto last = data_of(frames.closing.back())["response"];
  CHECK(last["status"] == "completed");
  CHECK(last["output"].size() == 3);
  CHECK(last["usage"]["total_tokens"] == 109);
  CHECK(last == json::parse(responses_body(rich(), facts())));
}

TEST_CASE("a Responses answer cut for length is incomplete") {
  auto what = rich();
  what.finish = "length";
  const auto last = data_of(responses_stream(what, facts()).closing.back());
  CHECK(last["type"] == "response.incomplete");
  CHECK(last["response"]["incomplete_details"]["reason"] == "max_output_tokens");
}

TEST_CASE("a Chat stream starts with the role and ends with finish, usage and DONE") {
  const auto frames = chat_stream(rich(), facts());
  CHECK(data_of(frames.opening.front())["choices"][0]["delta"]["role"] == "assistant");
  REQUIRE(frames.closing.size() >= 3);
  CHECK(frames.closing.back() == "data: [DONE]\n\n");
  const auto usage = data_of(frames.closing[frames.closing.size() - 2]);
  CHECK(usage["choices"].empty());
  CHECK(usage["usage"]["prompt_tokens_details"]["cached_tokens"] == 40);
  const auto finish = data_of(frames.closing[frames.closing.size() - 3]);
  CHECK(finish["choices"][0]["finish_reason"] == "tool_calls");
  std::string arguments;
  for (const auto& frame : frames.closing) {
    const auto data = data_of(frame);
    if (data.is_discarded() || data["choices"].empty()) continue;
    const auto& delta = data["choices"][0]["delta"];
    if (delta.contains("tool_calls"))
      arguments += delta["tool_calls"][0]["function"]["arguments"].get<std::string>();
  }
  CHECK(arguments == R"({"q":"x"})");
}

TEST_CASE("a Chat stream carries usage only when it was asked for") {
  auto asked = facts();
  asked.stream_usage = false;
  for (const auto& frame : all(chat_stream(rich(), asked)))
    CHECK(frame.find("\"usage\"") == std::string::npos);
}

TEST_CASE("a Messages stream opens one block at a time with contiguous indexes") {
  const auto frames = messages_stream(rich(), facts());
  int open = -1;
  int next = 0;
  for (const auto& frame : all(frames)) {
    const auto data = data_of(frame);
    const auto type = data["type"].get<std::string>();
    if (type == "content_block_start") {
      CHECK(open == -1);
      CHECK(data["index"] == next);
      open = next++;
    } else if (type == "content_block_delta") {
      CHECK(data["index"] == open);
    } else if (type == "content_block_stop") {
      CHECK(data["index"] == open);
      open = -1;
    }
  }
  CHECK(next == 3);
  const auto seen = types(frames);
  CHECK(seen.front() == "message_start");
  CHECK(seen[seen.size() - 2] == "message_delta");
  CHECK(seen.back() == "message_stop");
  const auto start = data_of(frames.opening.front())["message"];
  CHECK(start["usage"]["input_tokens"] == 60);
  CHECK(start["usage"]["cache_read_input_tokens"] == 40);
}

TEST_CASE("a Gemini stream ends with finishReason and usage, without a terminator") {
  const auto frames = gemini_stream(rich(), facts());
  const auto last = data_of(frames.closing.back());
  CHECK(frames.closing.size() == 1);
  CHECK(last["candidates"][0]["finishReason"] == "STOP");
  CHECK(last["usageMetadata"]["totalTokenCount"] == 109);
  CHECK(last["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]["q"] == "x");
  CHECK_FALSE(data_of(frames.content.front()).contains("usageMetadata"));
}

TEST_CASE("a Gemini stream without alt=sse is one JSON array") {
  auto asked = facts();
  asked.sse = false;
  std::string joined;
  for (const auto& frame : all(gemini_stream(rich(), asked))) joined += frame;
  CHECK(json::parse(joined).size() == 5);
}

TEST_CASE("token counts and compaction have their own bodies") {
  auto asked = facts();
  asked.body_bytes = 400;
  const answer plain;
  CHECK(render_body(plain, operation::count_tokens, wire::anthropic_messages, asked) ==
        R"({"input_tokens":100})");
  CHECK(json::parse(render_body(plain, operation::count_tokens, wire::gemini,
                                asked))["totalTokens"] == 100);
  CHECK(json::parse(render_body(plain, operation::compact, wire::openai_responses,
                                asked))["object"] == "response.compaction");
}

TEST_CASE("split parts join to the text and never cut a character or an id") {
  REQUIRE(rc::check("parts join", [](const std::vector<std::uint8_t>& picks, std::uint8_t count) {
    const std::vector<std::string> alphabet{"a", "\xc3\xa9", "\xe2\x82\xac",
                                            std::string{id_marker}};
    std::string text;
    for (const auto pick : picks) text += alphabet[pick % alphabet.size()];
    std::string joined;
    const auto parts = split_text(text, count);
    for (const auto& part : parts) {
      RC_ASSERT(!part.empty());
      RC_ASSERT((static_cast<unsigned char>(part[0]) & 0xC0U) != 0x80U);
      joined += part;
    }
    RC_ASSERT(joined == text);
    RC_ASSERT(parts.size() <= std::max<std::size_t>(count, 1));
    std::size_t whole = 0;
    std::size_t found = 0;
    for (auto at = text.find(id_marker); at != text.npos; at = text.find(id_marker, at + 1))
      ++whole;
    for (const auto& part : parts)
      for (auto at = part.find(id_marker); at != part.npos; at = part.find(id_marker, at + 1))
        ++found;
    RC_ASSERT(whole == found);
  }));
}

}  // namespace
}  // namespace tidegate::sim
