#include "protocol/stream.hpp"

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

struct frame_row {
  const char* event;
  const char* data;
  bool expected;
};

void check_output(wire form, const std::vector<frame_row>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.event, row.data);
    CHECK(carries_output(form, sse_frame{"raw", row.event, row.data}) == row.expected);
  }
}

void check_finishes(wire form, const std::vector<frame_row>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.data);
    CHECK(finishes(form, sse_frame{"raw", row.event, row.data}) == row.expected);
  }
}

}  // namespace

TEST_CASE("a Responses frame is output unless its delta is empty") {
  check_output(
      wire::openai_responses,
      {{"response.output_text.delta", R"({"delta":""})", false},
       {"", R"({"type":"response.output_text.delta","delta" : ""})", false},
       {"message", R"({"type":"response.reasoning_summary_text.delta","delta":""})", false},
       {"response.output_text.delta", R"({"delta":"Hi"})", true},
       {"response.output_text.delta", R"({"delta":" "})", true},
       {"response.function_call_arguments.delta", R"({"delta":"{"})", true},
       {"response.output_text.delta", "{}", true},
       {"response.output_item.done", R"({"item":{"type":"reasoning"}})", true},
       {"response.web_search_call.in_progress", "{}", true},
       {"response.completed", R"({"response":{"output":[]}})", true},
       {"response.output_text.delta", "not json", true}});
}

TEST_CASE("a Chat frame is output when a choice says something or stops") {
  check_output(
      wire::openai_chat,
      {{"", R"({"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]})",
        false},
       {"", R"({"choices":[{"delta":{"role":"assistant","content":"","k":null}}],"usage":null})",
        false},
       {"", R"({"choices":[{"delta":{"role":"assistant","reasoning":"","tool_calls":[]}}]})",
        false},
       {"", R"({"choices":[],"prompt_filter_results":[{"prompt_index":0,"x":{"y":"safe"}}]})",
        false},
       {"", R"({"choices":[{"delta":{}}],"usage":{"prompt_tokens":3}})", false},
       {"", R"({"choices":[],"usage":{"prompt_tokens":3}})", false},
       {"", R"({"choices":[{"delta":{},"finish_reason":""}]})", false},
       {"",
        R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","type":"function",)"
        R"("function":{"name":"f","arguments":""}}]}}]})",
        false},
       {"", R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]})",
        true},
       {"", "{}", false},
       {"", "[DONE]", false},
       {"", R"({"choices":[{"delta":{"role":"assistant","content":"Hi"}}]})", true},
       {"", R"({"choices":[{"delta":{"reasoning_content":"Hm"}}]})", true},
       {"", R"({"choices":[{"delta":{"role":"assistant"}},{"delta":{"content":"x"}}]})", true},
       {"", R"({"choices":[{"delta":{"role":"assistant"},"finish_reason":"stop"}]})", true},
       {"", "not json", true}});
}

TEST_CASE("a Messages frame is output when a block or delta has more than labels") {
  check_output(
      wire::anthropic_messages,
      {{"content_block_start", R"({"index":0,"content_block":{"type":"text","text":""}})", false},
       {"content_block_start",
        R"({"content_block":{"type":"thinking","thinking":"","signature":""}})", false},
       {"content_block_start",
        R"({"content_block":{"type":"tool_use","id":"t","name":"Read","input":{}}})", false},
       {"", R"({"type":"content_block_start","content_block":{"type":"text","text":""}})", false},
       {"content_block_start", R"({"content_block":{"type":"text","text":"Hi"}})", true},
       {"content_block_start", R"({"content_block":{"type":"redacted_thinking","data":"x"}})",
        true},
       {"content_block_start",
        R"({"content_block":{"type":"web_search_tool_result","tool_use_id":"t","content":[]}})",
        true},
       {"content_block_delta", R"({"delta":{"type":"text_delta","text":""}})", false},
       {"content_block_delta", R"({"delta":{"type":"input_json_delta","partial_json":""}})", false},
       {"content_block_delta", R"({"delta":{"type":"text_delta","text":"Hi"}})", true},
       {"content_block_delta", R"({"delta":{"type":"thinking_delta","thinking":"Hm"}})", true},
       {"content_block_delta", R"({"delta":{"type":"signature_delta","signature":"s"}})", true},
       {"message_delta", R"({"delta":{"stop_reason":null},"usage":{"output_tokens":0}})", false},
       {"message_delta", R"({"delta":{"stop_reason":"end_turn"}})", true},
       {"message_stop", R"({"type":"message_stop"})", false},
       {"something_new", "{}", true}});
}

TEST_CASE("a Gemini frame is output when a part says something or the answer ends") {
  check_output(
      wire::gemini,
      {{"", R"({"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]})",
        false},
       {"", R"({"candidates":[{"content":{"role":"model"}}]})", false},
       {"", R"({"usageMetadata":{"promptTokenCount":1},"modelVersion":"gemini-x"})", false},
       {"", R"({"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]})", true},
       {"",
        R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":"b"}}}]}}]})",
        true},
       {"", R"({"candidates":[{"content":{"parts":[{"inlineData":{"data":"iVBO"}}]}}]})", true},
       {"", R"({"candidates":[{"finishReason":"STOP"}]})", true},
       {"", R"({"promptFeedback":{"blockReason":"SAFETY"}})", true}});
}

TEST_CASE("a frame too large for an empty container is output without being read") {
  const std::string large = R"({"choices":[],"pad":")" + std::string(5000, 'x') + R"("})";
  for (const auto form : {wire::openai_chat, wire::gemini, wire::anthropic_messages}) {
    CHECK(carries_output(form, sse_frame{"raw", "", large}));
  }
}

TEST_CASE("any bytes get an answer, however deep they are nested") {
  const std::string deep = R"({"choices":[{"delta":)" + std::string(1900, '[') +
                           std::string(1900, ']') + R"(,"finish_reason":"stop"}]})";
  for (const auto form :
       {wire::openai_responses, wire::openai_chat, wire::anthropic_messages, wire::gemini}) {
    for (const std::string& data :
         {deep, std::string{"[1]"}, std::string{"\xff\xfe"},
          std::string{R"({"choices":5,"candidates":[5,null]})"},
          std::string{R"({"promptFeedback":[],"delta":5})"}, std::string{R"("finish_reason":)"}}) {
      (void)carries_output(form, sse_frame{"raw", "content_block_delta", data});
      const bool whole = finishes(form, sse_frame{"raw", "", data});
      CHECK(whole == (form == wire::openai_chat && data == deep));
      (void)role_of(form, sse_frame{"raw", "", data});
    }
  }
}

TEST_CASE("a reason to stop says that a Chat or Gemini answer is whole") {
  check_finishes(
      wire::openai_chat,
      {{"", R"({"choices":[{"delta":{},"finish_reason":"stop"}]})", true},
       {"", R"({"choices":[{"delta":{},"finish_reason" : "length"}]})", true},
       {"", R"({"choices":[{"delta":{},"finish_reason":null}]})", false},
       {"", R"({"choices":[{"delta":{},"finish_reason":""}]})", false},
       {"", R"({"choices":[{"delta":{"content":"\"finish_reason\":\"stop\""}}]})", false},
       {"", R"({"choices":[{"delta":{"content":"finish_reason"}}]})", false},
       {"", R"({"choices":[{"delta":{"k":{"finish_reason":"stop"}}}]})", false},
       {"", R"({"choices":[{"finish_reason":null},{"finish_reason":"stop"}]})", true},
       {"", R"("finish_reason":"stop")", false}});
  check_finishes(wire::gemini,
                 {{"", R"({"candidates":[{"content":{},"finishReason":"STOP"}]})", true},
                  {"", R"({"promptFeedback":{"blockReason":"SAFETY"}})", true},
                  {"",
                   R"({"candidates":[{"content":{"parts":[{"functionCall":{"args":)"
                   R"({"finishReason":"STOP"}}}]}}]})",
                   false},
                  {"", R"({"candidates":[{"content":{"parts":[{"text":"x"}]}}]})", false}});
  check_finishes(wire::anthropic_messages,
                 {{"message_delta", R"({"delta":{"stop_reason":"end_turn"}})", false}});
  check_finishes(wire::openai_responses, {{"response.completed", "{}", false}});
}

TEST_CASE("only a Chat stream's missing ending can be supplied") {
  CHECK(missing_end(wire::openai_chat) == "data: [DONE]\n\n");
  for (const auto form : {wire::openai_responses, wire::anthropic_messages, wire::gemini}) {
    CHECK(missing_end(form).empty());
  }
}
