#include "tests/unit/protocol/canonical_responses_stream_rig.hpp"

#include <algorithm>
#include <random>

using namespace tidegate;
using namespace tidegate::protocol;
using namespace tidegate::test;

namespace {

const std::string created =
    R"({"type":"response.created","response":{"id":"resp_1","model":"gpt-x","created_at":7}})";

std::string item_event(const std::string& what, int index, const std::string& item) {
  return R"({"type":"response.output_item.)" + what + R"(","output_index":)" +
         std::to_string(index) + R"(,"item":)" + item + "}";
}

std::string delta(const std::string& type, int index, const std::string& id,
                  const std::string& text, const std::string& more = "") {
  return R"({"type":"response.)" + type + R"(.delta","sequence_number":3,"item_id":")" + id +
         R"(","output_index":)" + std::to_string(index) + more + R"(,"delta":")" + text + "\"}";
}

std::string completed(const std::string& more = R"("output":[])") {
  return R"({"type":"response.completed","response":{"id":"resp_1","status":"completed",)" + more +
         "}}";
}

const std::string token = "gAAAAA" + std::string(120, 't');

/// Reasoning, text with a citation, two calls whose arguments interleave, an image, a search.
std::vector<std::string> full_stream() {
  return {
      created,
      R"({"type":"response.in_progress","response":{"id":"resp_1"}})",
      item_event("added", 0, R"({"type":"reasoning","id":"rs","encrypted_content":"early"})"),
      R"({"type":"response.reasoning_summary_part.added","item_id":"rs","summary_index":0})",
      delta("reasoning_summary_text", 0, "rs", "one", R"(,"summary_index":0)"),
      delta("reasoning_summary_text", 0, "rs", "two", R"(,"summary_index":1)"),
      item_event("done", 0,
                 R"({"type":"reasoning","id":"rs","summary":[{"text":"one"},{"text":"two."}],)"
                 R"("encrypted_content":")" +
                     token + "\"}"),
      item_event("added", 1, R"({"type":"message","id":"msg","content":[]})"),
      delta("output_text", 1, "msg", "he\\u00e9 \\\"", R"(,"content_index":0)"),
      R"({"type":"response.output_text.annotation.added","item_id":"msg","output_index":1,)"
      R"("annotation":{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":2}})",
      delta("output_text", 1, "msg", "llo", R"(,"content_index":0)"),
      item_event("done", 1,
                 R"({"type":"message","id":"msg","content":[{"type":"output_text",)"
                 R"("text":"he\u00e9 \"llo!","annotations":[{"type":"url_citation",)"
                 R"("url":"u"},{"type":"url_citation","url":"v"}]}]})"),
      item_event("added", 2, R"({"type":"function_call","id":"fc1","call_id":"c1","name":"f"})"),
      item_event("added", 3, R"({"type":"custom_tool_call","id":"ct","call_id":"c2","name":"g"})"),
      delta("function_call_arguments", 2, "fc1", "{\\\"a\\\""),
      delta("custom_tool_call_input", 3, "ct", "x\\ny"),
      delta("function_call_arguments", 2, "fc1", ":1}"),
      R"({"type":"response.function_call_arguments.done","item_id":"fc1","output_index":2,)"
      R"("arguments":"{\"a\":1}"})",
      item_event("done", 3, R"({"type":"custom_tool_call","id":"ct","input":"x\ny"})"),
      item_event("done", 2, R"({"type":"function_call","id":"fc1","arguments":"{\"a\":1}"})"),
      R"({"type":"response.image_generation_call.partial_image","item_id":"ig","output_index":4,)"
      R"("partial_image_b64":"QQ","output_format":"webp"})",
      item_event("done", 4, R"({"type":"image_generation_call","id":"ig","result":"QUJD"})"),
      item_event("done", 5, R"({"type":"web_search_call","id":"ws","action":{"query":"q"}})"),
      completed(R"("usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,)"
                R"("cache_write_tokens":0},"output_tokens":5,"output_tokens_details":)"
                R"({"reasoning_tokens":3}})"),
  };
}

}  // namespace

TEST_CASE("responses: a whole stream as events") {
  const std::vector<event> expected{
      start_event{"resp_1", "gpt-x", 7},
      item_start{0, item_kind::reasoning, "rs", {}, {}, {}, {}},
      reasoning_delta{0, 0, "one"},
      reasoning_delta{0, 1, "two"},
      reasoning_delta{0, 1, "."},
      signature_event{0, token_owner::gpt, false, token},
      item_end{0},
      item_start{1, item_kind::text, "msg", {}, {}, {}, {}},
      text_delta{1, "he\u00e9 \""},
      citation_added{1, "u", "t", 0, 2},
      text_delta{1, "llo"},
      text_delta{1, "!"},
      citation_added{1, "v", "", {}, {}},
      item_end{1},
      item_start{2, item_kind::tool_call, "fc1", "c1", "f", {}, tool_kind::function},
      item_start{3, item_kind::tool_call, "ct", "c2", "g", {}, tool_kind::custom},
      arguments_delta{2, "{\"a\""},
      arguments_delta{3, "x\ny"},
      arguments_delta{2, ":1}"},
      item_end{3},
      item_end{2},
      item_start{4, item_kind::image, "ig", {}, {}, {}, {}},
      image_chunk{4, true, "image/webp", "QQ"},
      image_chunk{4, false, "image/png", "QUJD"},
      item_end{4},
      item_start{5, item_kind::server_tool, "ws", "ws", "web_search", {}, tool_kind::server},
      arguments_delta{5, R"({"query":"q"})"},
      item_end{5},
      usage_event{{10, 4, 0, 5, 3}},
      finish_event{finish_reason::tool_use, "", "completed"}};
  CHECK(events_of(full_stream()) == expected);
}

TEST_CASE("responses: the events do not depend on how the bytes were cut") {
  const std::string stream = stream_of(full_stream());
  const auto whole = events_of(stream);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 1000U})
    CHECK(events_of(stream, piece) == whole);
}

TEST_CASE("responses: a stream cut anywhere fails in order") {
  const std::string stream = stream_of(full_stream());
  for (std::size_t cut = 0; cut + 2 < stream.size(); cut += 3) {
    const auto got = events_of(stream.substr(0, cut));
    CHECK(last<failed_event>(got).status == 502);
  }
}

TEST_CASE("responses: frames in any order, lost or doubled, make legal events") {
  auto frames = full_stream();
  frames.push_back(item_event("added", 2, R"({"type":"message"})"));
  frames.push_back(R"({"type":"response.incomplete","response":{"output":[{"type":"message"}]}})");
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::ranges::shuffle(frames, random);
    auto some = frames;
    some.resize(random() % (frames.size() + 1));
    some.insert(some.end(), frames.begin(), frames.begin() + static_cast<long>(random() % 4));
    events_of(some);
  }
}

TEST_CASE("responses: names that come late open their call late") {
  const auto got = events_of(
      {created, item_event("added", 0, R"({"type":"function_call","id":"a","call_id":"c"})"),
       delta("function_call_arguments", 0, "a", "{}"),
       item_event("done", 0,
                  R"({"type":"function_call","id":"a","call_id":"c","name":"f","namespace":"n",)"
                  R"("arguments":"{}"})"),
       completed()});
  CHECK(got == std::vector<event>{start_event{"resp_1", "gpt-x", 7},
                                  item_start{0, item_kind::tool_call, "a", "c", "f", "n", {}},
                                  arguments_delta{0, "{}"}, item_end{0},
                                  finish_event{finish_reason::tool_use, "", "completed"}});
}

TEST_CASE("responses: a call without a name is no call") {
  const auto got = events_of(
      {created, item_event("added", 0, R"({"type":"function_call","id":"a","call_id":"c"})"),
       delta("function_call_arguments", 0, "a", "{}"), completed()});
  CHECK(all<item_start>(got).empty());
  CHECK(last<finish_event>(got).reason == finish_reason::stop);
}

TEST_CASE("responses: the terminal output brings what deltas did not") {
  const auto got = events_of(
      {created, item_event("added", 0, R"({"type":"message","id":"m"})"),
       delta("output_text", 0, "m", "ab"),
       item_event("added", 1, R"({"type":"function_call","id":"f1","call_id":"c1","name":"f"})"),
       completed(
           R"("output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"abc"}]},)"
           R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},)"
           R"({"type":"function_call","id":"f2","call_id":"c2","name":"g","arguments":"{}"}])")});
  CHECK(all<text_delta>(got) == std::vector<text_delta>{{0, "ab"}, {0, "c"}});
  CHECK(all<arguments_delta>(got) == std::vector<arguments_delta>{{1, R"({"a":1})"}, {2, "{}"}});
  CHECK(all<item_end>(got).size() == 3);
}

TEST_CASE("responses: items are found by their place when ids change") {
  const auto got =
      events_of({created, item_event("added", 0, R"({"type":"message","id":"m1"})"),
                 delta("output_text", 0, "m2", "a"), delta("output_text", 0, "m3", "b"),
                 item_event("done", 0,
                            R"({"type":"message","id":"m4","content":[{"type":)"
                            R"("output_text","text":"ab"}]})"),
                 completed()});
  CHECK(all<item_start>(got).size() == 1);
  CHECK(all<text_delta>(got) == std::vector<text_delta>{{0, "a"}, {0, "b"}});
}

TEST_CASE("responses: reasoning with nothing but a token is kept") {
  const auto got = events_of(
      {created, item_event("done", 0, R"({"type":"reasoning","id":"r","encrypted_content":"tok"})"),
       completed()});
  CHECK(all<signature_event>(got) ==
        std::vector<signature_event>{{0, token_owner::unknown, false, "tok"}});
  CHECK(all<item_end>(got).size() == 1);
}

TEST_CASE("responses: a summary beats the same thinking as content, whichever came first") {
  const auto got =
      events_of({created, delta("reasoning_text", 0, "r", "c", R"(,"content_index":0)"),
                 delta("reasoning_summary_text", 0, "r", "s", R"(,"summary_index":0)"),
                 item_event("done", 0,
                            R"({"type":"reasoning","id":"r","summary":[{"text":"s"}],)"
                            R"("content":[{"text":"cd"}]})"),
                 completed()});
  CHECK(all<reasoning_delta>(got) == std::vector<reasoning_delta>{{0, 0, "c"}, {0, 0, "d"}});
}

TEST_CASE("responses: names go back to the client's own") {
  const tool_names names{{"ns__f", "f", "ns", tool_kind::function}};
  const auto got = events_of({created,
                              item_event("done", 0,
                                         R"({"type":"function_call","id":"a","call_id":"c",)"
                                         R"("name":"ns__f","arguments":"{}"})"),
                              completed()},
                             names);
  REQUIRE(all<item_start>(got).size() == 1);
  CHECK(all<item_start>(got)[0].name == "f");
  CHECK(all<item_start>(got)[0].name_space == "ns");
}

TEST_CASE("responses: endings") {
  struct row {
    std::string terminal;
    finish_reason reason;
    std::string native;
  };
  const std::string partial =
      R"("output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a"}])";
  const std::string refusal =
      R"("output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}])";
  const auto one = GENERATE_COPY(
      row{completed(), finish_reason::stop, "completed"},
      row{completed(refusal), finish_reason::refusal, "completed"},
      row{R"({"type":"response.done","response":{"output":[]}})", finish_reason::stop, "completed"},
      row{completed(R"("stop_reason":"pause_turn")"), finish_reason::pause, "pause_turn"},
      row{completed(R"("stop_reason":"tool_use")"), finish_reason::stop, "tool_use"},
      row{completed(R"("stop_sequence":"END")"), finish_reason::stop_sequence, "completed"},
      row{R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":)"
          R"("max_output_tokens"},)" +
              partial + "}}",
          finish_reason::length, "max_output_tokens"},
      row{R"({"type":"response.done","response":{"status":"incomplete","incomplete_details":)"
          R"({"reason":"content_filter"}}})",
          finish_reason::content_filter, "content_filter"},
      row{R"({"type":"response.incomplete","response":{}})", finish_reason::other, "incomplete"});
  CAPTURE(one.terminal);
  const auto got = events_of({created, one.terminal, delta("output_text", 0, "m", "late")});
  CHECK(last<finish_event>(got).reason == one.reason);
  CHECK(last<finish_event>(got).native == one.native);
}

TEST_CASE("responses: failures") {
  struct row {
    std::string frame;
    failed_event what;
  };
  const auto one = GENERATE(
      as<row>{},
      row{R"({"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded",)"
          R"("message":"slow"}}})",
          {429, "", "rate_limit_exceeded", "slow"}},
      row{R"({"type":"error","code":"server_error","message":"oops"})",
          {500, "", "server_error", "oops"}},
      row{R"({"type":"error","error":{"type":"invalid_request_error","message":"m"}})",
          {400, "invalid_request_error", "", "m"}},
      row{R"({"type":"error","status":418,"error":{"message":"m"}})", {418, "", "", "m"}},
      row{R"({"type":"response.failed","response":{"error":{"code":"cyber_policy"}}})",
          {400, "", "cyber_policy", "the provider failed"}},
      row{R"({"type":"response.completed","response":{"status":"failed","error":{"code":"x",)"
          R"("message":"y"}}})",
          {0, "", "x", "y"}},
      row{R"({"error":{"message":"bare"}})", {0, "", "", "bare"}});
  CHECK(last<failed_event>(events_of({created, one.frame, completed()})) == one.what);
}

TEST_CASE("responses: what is not of this protocol ends with a failure") {
  const auto frame = GENERATE(
      as<std::string>{}, R"({"type":"message_start"})", R"({"choices":[]})", "nonsense",
      R"({"type":"response.output_text.delta","delta":"x)", R"({"type":"response.completed"})",
      R"({"type":"response.output_item.done","item":)", R"([{"type":"response.created"}])");
  CAPTURE(frame);
  const std::string stream = "data: " + created + "\n\ndata: " + frame + "\n\n";
  CHECK(last<failed_event>(events_of(stream)).status == 502);
}

TEST_CASE("responses: comments, news and unknown events of the protocol are passed over") {
  const std::string stream =
      ": hi\n\ndata: [DONE]\n\n" +
      stream_of({R"({"type":"codex.rate_limits"})", R"({"type":"keepalive"})", created,
                 R"({"type":"response.something.new"})", completed()});
  CHECK(events_of(stream).size() == 2);
}

TEST_CASE("responses: a whole answer is read as its stream is") {
  const std::string body =
      R"({"id":"resp_1","object":"response","created_at":7,"model":"gpt-x","status":"completed",)"
      R"("output":[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"s"}]},)"
      R"({"type":"message","id":"m","content":[{"type":"output_text","text":"t"},)"
      R"({"type":"output_text","text":"u"}]}],"usage":{"input_tokens":1,"output_tokens":2}})";
  const auto got = responses_codec.decode_answer(body, {});
  REQUIRE(got);
  CHECK(*got == std::vector<event>{start_event{"resp_1", "gpt-x", 7},
                                   item_start{0, item_kind::reasoning, "rs", {}, {}, {}, {}},
                                   reasoning_delta{0, 0, "s"}, item_end{0},
                                   item_start{1, item_kind::text, "m", {}, {}, {}, {}},
                                   text_delta{1, "tu"}, item_end{1},
                                   usage_event{{1, {}, {}, 2, {}}},
                                   finish_event{finish_reason::stop, "", "completed"}});
}

TEST_CASE("responses: what is no whole answer") {
  const auto body = GENERATE(as<std::string>{}, "", "[]", "{", R"({"choices":[]})",
                             R"({"output":{}})", R"({"output":[],"status":"in_progress"})");
  CHECK(responses_codec.decode_answer(body, {}).error().code == errc::invalid_input);
  const auto failed = responses_codec.decode_answer(
      R"({"status":"failed","error":{"code":"server_error","message":"m"}})", {});
  REQUIRE(failed);
  CHECK(last<failed_event>(*failed).status == 500);
}
