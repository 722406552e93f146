/// xAI's answers in the client's words: names and kinds of tools, thoughts as summaries, no traces
/// of searches of its own.

#include "provider/xai/answer.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;

namespace {

constexpr const char* tools =
    R"("tools":[{"type":"namespace","name":"mcp","tools":[{"type":"function","name":"read"}]},)"
    R"({"type":"custom","name":"run"},{"type":"x_search"},)"
    R"({"type":"function","name":"x_thread_fetch"},{"type":"function","name":"f"}])";

std::shared_ptr<provider::answer_edit> edit_for(const std::string& members = tools) {
  const auto got =
      build({kind::xai, R"({"model":"grok-4.5","input":"x",)" + members + "}", "grok-4.5"});
  REQUIRE(got);
  REQUIRE(got->answer);
  return got->answer;
}

std::string whole(std::string output, const std::string& members = tools) {
  std::string body = R"({"id":"r","output":[)" + std::move(output) + R"(],"usage":{"n":1.50}})";
  CHECK(edit_for(members)->whole(body));
  const std::string_view begin = R"({"id":"r","output":[)";
  const std::string_view end = R"(],"usage":{"n":1.50}})";
  REQUIRE(body.starts_with(begin));
  REQUIRE(body.ends_with(end));
  return body.substr(begin.size(), body.size() - begin.size() - end.size());
}

using datas = std::vector<std::string>;

datas stream(const datas& given, const std::string& members = tools) {
  const auto edit = edit_for(members);
  datas out;
  for (const auto& data : given) {
    const std::string raw = "data: " + data + "\n\n";
    const protocol::sse_frame frame{raw, {}, data};
    for (const auto& one : edit->frames(frame)) {
      out.emplace_back(one.data);
      if (!one.event.empty()) {
        CHECK(one.data.find(R"("type":")" + std::string{one.event} + '"') != std::string::npos);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("xAI: items of an answer are those of the client's tools") {
  struct row {
    const char* what;
    const char* given;
    const char* expected;
  };
  const auto each = GENERATE(
      row{"of a namespace", R"({"type":"function_call","name":"mcp__read","arguments":"{}"})",
          R"({"type":"function_call","name":"read","arguments":"{}","namespace":"mcp"})"},
      row{"free-form",
          R"({"type":"function_call","name":"run","arguments":"{\"input\":\"a \\\"b\\\"\"}"})",
          R"({"type":"custom_tool_call","name":"run","input":"a \"b\""})"},
      row{"free-form, not as asked", R"({"type":"function_call","name":"run",)"
                                     R"("arguments":"{\"x\":1}"})",
          R"({"type":"custom_tool_call","name":"run","input":"{\"x\":1}"})"},
      row{"free-form, called without anything",
          R"({"type":"function_call","name":"run","arguments":" { } "})",
          R"({"type":"custom_tool_call","name":"run","input":""})"},
      row{"plain", R"({"type":"function_call", "name":"f","arguments":"{ }"})",
          R"({"type":"function_call", "name":"f","arguments":"{ }"})"},
      row{"nobody's", R"({"type":"function_call","name":"other","arguments":"{}"})",
          R"({"type":"function_call","name":"other","arguments":"{}"})"},
      row{"a thought",
          R"({"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"t"}]})",
          R"({"type":"reasoning","summary":[{"type":"summary_text","text":"t"}]})"},
      row{"a search of its own", R"({"type":"custom_tool_call","name":"x_user_search",)"
                                 R"("input":"q"})",
          ""},
      row{"by its call", R"({"type":"custom_tool_call","name":"new","call_id":"xs_call_1"})", ""},
      row{"one that the client has", R"({"type":"function_call","name":"x_thread_fetch"})",
          R"({"type":"function_call","name":"x_thread_fetch"})"},
      row{"a message", R"({"type":"message","content":[]})", R"({"type":"message","content":[]})"});
  CAPTURE(each.what);
  CHECK(whole(each.given) == each.expected);
}

TEST_CASE("xAI: without x_search no call is a trace of it") {
  const std::string call = R"({"type":"custom_tool_call","name":"x_user_search","input":"q"})";
  CHECK(whole(call, R"("tools":[{"type":"web_search"}])") == call);
}

TEST_CASE("xAI: a free-form call is streamed as one") {
  const auto got = stream(
      {R"({"type":"response.output_item.added","sequence_number":1,"output_index":0,)"
       R"("item":{"type":"function_call","id":"i","name":"run","arguments":""}})",
       R"({"type":"response.function_call_arguments.delta","sequence_number":2,)"
       R"("output_index":0,"item_id":"i","delta":"{\"inp"})",
       R"({"type":"response.function_call_arguments.delta","sequence_number":3,)"
       R"("output_index":0,"item_id":"i","delta":"ut\":\"a\"}"})",
       R"({"type":"response.function_call_arguments.done","sequence_number":4,"output_index":0,)"
       R"("item_id":"i","name":"run","arguments":"{\"input\":\"a\"}"})",
       R"({"type":"response.output_item.done","sequence_number":5,"output_index":0,)"
       R"("item":{"type":"function_call","id":"i","name":"run",)"
       R"("arguments":"{\"input\":\"a\"}"}})",
       R"({"type":"response.completed","sequence_number":6,)"
       R"("response":{"output":[{"type":"function_call","id":"i","name":"run",)"
       R"("arguments":"{\"input\":\"a\"}"}]}})"});
  const datas expected{
      R"({"type":"response.output_item.added","sequence_number":1,"output_index":0,)"
      R"("item":{"type":"custom_tool_call","id":"i","name":"run","input":""}})",
      R"({"type":"response.custom_tool_call_input.delta","sequence_number":2,"output_index":0,)"
      R"("item_id":"i","delta":"a"})",
      R"({"type":"response.custom_tool_call_input.done","sequence_number":3,"output_index":0,)"
      R"("item_id":"i","input":"a"})",
      R"({"type":"response.output_item.done","sequence_number":4,"output_index":0,)"
      R"("item":{"type":"custom_tool_call","id":"i","name":"run","input":"a"}})",
      R"({"type":"response.completed","sequence_number":5,)"
      R"("response":{"output":[{"type":"custom_tool_call","id":"i","name":"run",)"
      R"("input":"a"}]}})"};
  CHECK(got == expected);
}

TEST_CASE("xAI: thoughts are streamed as summaries") {
  const auto got = stream(
      {R"({"type":"response.reasoning_text.delta","sequence_number":1,"item_id":"r",)"
       R"("output_index":0,"content_index":0,"delta":"a"})",
       R"({"type":"response.reasoning_text.delta","sequence_number":2,"item_id":"r",)"
       R"("output_index":0,"content_index":0,"delta":"b"})",
       R"({"type":"response.reasoning_text.done","sequence_number":3,"item_id":"r",)"
       R"("output_index":0,"content_index":0,"text":"ab"})",
       R"({"type":"response.output_text.delta","sequence_number":4,"item_id":"m",)"
       R"("output_index":1,"content_index":0,"delta":"x"})"});
  const datas expected{
      R"({"type":"response.reasoning_summary_part.added","sequence_number":1,"item_id":"r",)"
      R"("output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}})",
      R"({"type":"response.reasoning_summary_text.delta","sequence_number":2,"item_id":"r",)"
      R"("output_index":0,"delta":"a","summary_index":0})",
      R"({"type":"response.reasoning_summary_text.delta","sequence_number":3,"item_id":"r",)"
      R"("output_index":0,"delta":"b","summary_index":0})",
      R"({"type":"response.reasoning_summary_text.done","sequence_number":4,"item_id":"r",)"
      R"("output_index":0,"text":"ab","summary_index":0})",
      R"({"type":"response.reasoning_summary_part.done","sequence_number":5,"item_id":"r",)"
      R"("output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"ab"}})",
      R"({"type":"response.output_text.delta","sequence_number":6,"item_id":"m",)"
      R"("output_index":1,"content_index":0,"delta":"x"})"};
  CHECK(got == expected);
}

TEST_CASE("xAI: texts of a thought are counted behind the summary that it has") {
  const std::string place = R"("item_id":"r","output_index":0,)";
  const auto text = [&](const std::string& number, const std::string& item = "r") {
    return R"({"type":"response.reasoning_text.delta","item_id":")" + item +
           R"(","output_index":0,"content_index":)" + number + R"(,"delta":"a"})";
  };
  const auto got = stream({R"({"type":"response.reasoning_summary_part.added",)" + place +
                               R"("summary_index":0,"part":{"type":"summary_text","text":""}})",
                           R"({"type":"response.reasoning_summary_text.delta",)" + place +
                               R"("summary_index":0,"delta":"s"})",
                           text("0"), text("1"), text("0", "other")});
  std::vector<std::string> deltas;
  for (const auto& data : got) {
    if (data.find("text.delta") == std::string::npos) continue;
    deltas.push_back(data.substr(data.find(R"("summary_index":)") + 16, 1));
  }
  CHECK(deltas == std::vector<std::string>{"0", "1", "2", "0"});
}

TEST_CASE("xAI: a thought whose parts are told has each of them once") {
  const auto got = stream(
      {R"({"type":"response.content_part.added","item_id":"r","output_index":0,)"
       R"("content_index":0,"part":{"type":"reasoning_text","text":""}})",
       R"({"type":"response.reasoning_text.delta","item_id":"r","output_index":0,)"
       R"("content_index":0,"delta":"a"})",
       R"({"type":"response.reasoning_text.done","item_id":"r","output_index":0,)"
       R"("content_index":0,"text":"a"})",
       R"({"type":"response.content_part.done","item_id":"r","output_index":0,)"
       R"("content_index":0,"part":{"type":"reasoning_text","text":"a"}})"});
  REQUIRE(got.size() == 4);
  CHECK(got[0].find("reasoning_summary_part.added") != std::string::npos);
  CHECK(got[1].find("reasoning_summary_text.delta") != std::string::npos);
  CHECK(got[2].find("reasoning_summary_text.done") != std::string::npos);
  CHECK(got[3].find("reasoning_summary_part.done") != std::string::npos);
}

TEST_CASE("xAI: hidden items leave no gaps") {
  const auto got = stream(
      {R"({"type":"response.output_item.added","sequence_number":1,"output_index":0,)"
       R"("item":{"type":"reasoning","id":"r"}})",
       R"({"type":"response.output_item.added","sequence_number":2,"output_index":1,)"
       R"("item":{"type":"custom_tool_call","id":"s","call_id":"xs_call_1",)"
       R"("name":"x_keyword_search"}})",
       R"({"type":"response.custom_tool_call_input.delta","sequence_number":3,"output_index":1,)"
       R"("item_id":"s","delta":"q"})",
       R"({"type":"response.output_item.done","sequence_number":4,"output_index":1,)"
       R"("item":{"type":"custom_tool_call","id":"s","call_id":"xs_call_1",)"
       R"("name":"x_keyword_search"}})",
       R"({"type":"response.output_text.delta","sequence_number":5,"output_index":2,"delta":"x"})",
       R"({"type":"response.completed","sequence_number":6,)"
       R"("response":{"output":[{"type":"custom_tool_call",)"
       R"("call_id":"xs_call_1"},{"type":"message"}]}})"});
  const datas expected{
      R"({"type":"response.output_item.added","sequence_number":1,"output_index":0,)"
      R"("item":{"type":"reasoning","id":"r"}})",
      R"({"type":"response.output_text.delta","sequence_number":2,"output_index":1,"delta":"x"})",
      R"({"type":"response.completed","sequence_number":3,)"
      R"("response":{"output":[{"type":"message"}]}})"};
  CHECK(got == expected);
}

TEST_CASE("xAI: frames that nothing is done to keep their bytes") {
  const auto edit = edit_for();
  for (const std::string_view data :
       {R"({"type":"response.output_text.delta", "delta":"x"})", "[DONE]", "", "{", "function_call"}) {
    const std::string raw = "event: a\ndata: " + std::string{data} + "\n\n";
    const protocol::sse_frame frame{raw, "a", data};
    const auto got = edit->frames(frame);
    REQUIRE(got.size() == 1);
    CHECK(got[0].raw.data() == raw.data());
  }
}

TEST_CASE("xAI: broken frames and bodies are no reason to stop") {
  const auto edit = edit_for();
  for (const std::string data :
       {R"({"function_call)", R"({"type":"response.output_item.added","item":"function_call"})",
        R"({"type":"response.reasoning_text.delta"})", R"({"reasoning_text":{"a":[}})",
        R"({"type":"response.function_call_arguments.done","output_index":-1})",
        R"({"type":"response.completed","response":"function_call"})"}) {
    const protocol::sse_frame frame{data, {}, data};
    CHECK(edit->frames(frame).size() <= 3);
  }
  for (const char* body : {"", "{", "[]", R"({"output":{}})", R"({"output":[1,"a",null]})"}) {
    std::string text = body;
    CHECK(edit->whole(text));
    CHECK(text == body);
  }
}
