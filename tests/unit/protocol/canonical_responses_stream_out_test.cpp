#include "tests/unit/protocol/canonical_responses_stream_rig.hpp"

using namespace tidegate;
using namespace tidegate::protocol;
using namespace tidegate::test;

namespace {

using json = nlohmann::json;

const start_event started{"resp_1", "up", 7};
const finish_event stopped{finish_reason::stop, "", ""};

item_start text_item(std::uint32_t index) {
  return {index, item_kind::text, {}, {}, {}, {}, {}};
}
item_start thought_item(std::uint32_t index) {
  return {index, item_kind::reasoning, {}, {}, {}, {}, {}};
}
item_start call_item(std::uint32_t index, const std::string& call, const std::string& name,
                     tool_kind kind = tool_kind::function) {
  return {index, item_kind::tool_call, {}, call, name, {}, kind};
}

/// The response of the terminal event; one terminal, and the last frame.
json response_of(const std::vector<event>& events, const answer_context& with = context()) {
  const auto frames = frames_of(encoded(events, with));
  int terminals = 0;
  std::int64_t sequence = 0;
  for (const auto& one : frames) {
    CHECK(one.event == one.data["type"].get<std::string>());
    CHECK(one.data["sequence_number"] == sequence++);
    if (one.data.contains("response") && one.data["response"]["status"] != "in_progress") {
      ++terminals;
    }
  }
  CHECK(terminals == 1);
  const json last = frames.back().data;
  CHECK(last["type"] == "response." + last["response"]["status"].get<std::string>());
  CHECK(json::parse(responses_codec.encode_answer(events, with)) == last["response"]);
  return last["response"];
}

std::vector<event> full_answer() {
  return {started,
          thought_item(0),
          reasoning_delta{0, 0, "on"},
          reasoning_delta{0, 0, "e"},
          reasoning_delta{0, 1, "two"},
          signature_event{0, token_owner::gpt, false, "gAAAAA" + std::string(120, 't')},
          item_end{0},
          text_item(1),
          text_delta{1, "he\u00e9 \"\n"},
          citation_added{1, "u", "t", 0, 2},
          item_end{1},
          call_item(2, "c1", "f"),
          call_item(3, "c2", "g", tool_kind::custom),
          arguments_delta{2, "{\"a\""},
          arguments_delta{3, "x\ny"},
          arguments_delta{2, ":1}"},
          item_end{3},
          item_end{2},
          usage_event{{10, 4, 0, 5, 3}},
          finish_event{finish_reason::tool_use, "", "completed"}};
}

}  // namespace

TEST_CASE("responses: a small stream, to the byte") {
  const std::string added =
      R"("item":{"id":"msg_resp_1_0","type":"message","status":"in_progress","role":"assistant",)"
      R"("content":[]})";
  const std::string place = R"("item_id":"msg_resp_1_0","output_index":0,"content_index":0)";
  const std::string part = R"({"type":"output_text","text":"hi\n","annotations":[],"logprobs":[]})";
  const std::string done =
      R"({"id":"msg_resp_1_0","type":"message","status":"completed","role":"assistant",)"
      R"("content":[)" +
      part + "]}";
  const std::string opened =
      R"("response":{"id":"resp_1","object":"response","created_at":7,"status":"in_progress",)"
      R"("background":false,"error":null,"incomplete_details":null,"model":"mine","output":[]}})";
  answer_context with = context();
  with.request_body = R"({"model":"mine","input":"x","temperature":0.50,"tools":[]})";
  CHECK(encoded({started, text_item(0), text_delta{0, "hi\n"}, item_end{0}, stopped,
                 usage_event{{3, {}, {}, 2, {}}}},
                with) ==
        "event: response.created\n"
        R"(data: {"type":"response.created","sequence_number":0,)" +
            opened +
            "\n\n"
            "event: response.in_progress\n"
            R"(data: {"type":"response.in_progress","sequence_number":1,)" +
            opened +
            "\n\n"
            "event: response.output_item.added\n"
            R"(data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,)" +
            added +
            "}\n\n"
            "event: response.content_part.added\n"
            R"(data: {"type":"response.content_part.added","sequence_number":3,)" +
            place +
            R"(,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}})"
            "\n\n"
            "event: response.output_text.delta\n"
            R"(data: {"type":"response.output_text.delta","sequence_number":4,)" +
            place +
            R"(,"delta":"hi\n","logprobs":[]})"
            "\n\n"
            "event: response.output_text.done\n"
            R"(data: {"type":"response.output_text.done","sequence_number":5,)" +
            place +
            R"(,"text":"hi\n","logprobs":[]})"
            "\n\n"
            "event: response.content_part.done\n"
            R"(data: {"type":"response.content_part.done","sequence_number":6,)" +
            place + R"(,"part":)" + part +
            "}\n\n"
            "event: response.output_item.done\n"
            R"(data: {"type":"response.output_item.done","sequence_number":7,"output_index":0,)"
            R"("item":)" +
            done +
            "}\n\n"
            "event: response.completed\n"
            R"(data: {"type":"response.completed","sequence_number":8,"response":{"id":"resp_1",)"
            R"("object":"response","created_at":7,"status":"completed","background":false,)"
            R"("error":null,"incomplete_details":null,"model":"mine","output":[)" +
            done +
            R"(],"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":0},)"
            R"("output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},)"
            R"("total_tokens":5},"temperature":0.50,"tools":[]}})"
            "\n\n");
}

TEST_CASE("responses: an answer survives encoding and decoding") {
  auto expected = full_answer();
  const auto again = events_of(encoded(expected, context()));
  // Ids are made anew; the model is the client's.
  std::get<start_event>(expected[0]).model = "mine";
  std::get<item_start>(expected[1]).id = "rs_resp_1_0";
  std::get<item_start>(expected[7]).id = "msg_resp_1_1";
  std::get<item_start>(expected[11]).id = "fc_c1";
  std::get<item_start>(expected[12]).id = "ctc_c2";
  CHECK(again == expected);
}

TEST_CASE("responses: a whole answer survives encoding and decoding") {
  const auto body = responses_codec.encode_answer(full_answer(), context());
  const auto again = responses_codec.decode_answer(body, {});
  REQUIRE(again);
  CHECK(responses_codec.encode_answer(*again, context()) == body);
}

TEST_CASE("responses: texts that follow each other are one message") {
  const auto response = response_of(
      {started, text_item(0), text_delta{0, "é1"}, citation_added{0, "a", "", 0, 2}, item_end{0},
       item_start{1, item_kind::server_tool, {}, {}, "web_search", {}, tool_kind::server},
       arguments_delta{1, "{}"}, item_end{1}, text_item(2), text_delta{2, "34"},
       citation_added{2, "b", "", 0, 2}, item_end{2}, thought_item(3), item_end{3}, text_item(4),
       text_delta{4, "5"}, item_end{4}, stopped});
  const auto& output = response["output"];
  REQUIRE(output.size() == 3);
  CHECK(output[0]["content"][0]["text"] == "é134");
  CHECK(output[0]["content"][0]["annotations"][1]["start_index"] == 2);
  CHECK(output[1] == json::parse(R"({"id":"rs_resp_1_1","type":"reasoning","summary":[]})"));
  CHECK(output[2]["id"] == "msg_resp_1_2");
}

TEST_CASE("responses: texts that are open together are messages of their own") {
  const auto response =
      response_of({started, text_item(0), text_delta{0, "a"}, text_item(1), text_delta{1, "b"},
                   call_item(2, "c", "f"), text_delta{0, "A"}, text_delta{1, "B"}, item_end{1},
                   item_end{0}, item_end{2}, stopped});
  REQUIRE(response["output"].size() == 3);
  CHECK(response["output"][0]["content"][0]["text"] == "aA");
  CHECK(response["output"][1]["content"][0]["text"] == "bB");
  CHECK(response["output"][2]["arguments"] == "{}");
}

TEST_CASE("responses: calls keep kind, namespace and empty input") {
  item_start spaced = call_item(0, "c 1", "f");
  spaced.name_space = "ns";
  const auto response =
      response_of({started, spaced, item_end{0}, call_item(1, "", "g", tool_kind::custom),
                   item_end{1}, finish_event{finish_reason::tool_use, "", ""}});
  CHECK(response["output"][0] ==
        json::parse(R"({"id":"fc_c 1","type":"function_call","status":"completed","call_id":"c 1",)"
                    R"("name":"f","namespace":"ns","arguments":"{}"})"));
  CHECK(response["output"][1]["input"] == "");
  CHECK(response["output"][1]["call_id"] == "call_resp_1_1");
}

TEST_CASE("responses: tokens of every owner have a spelling") {
  const auto reasoning_with = [](const signature_event& token) {
    return response_of(
        {started, thought_item(0), token, item_end{0}, stopped})["output"][0]["encrypted_content"];
  };
  CHECK(reasoning_with({0, token_owner::claude, false, "Eabc"}) == "Eabc");
  CHECK(reasoning_with({0, token_owner::claude, true, "data"}) == "claude-redacted-thinking:data");
  CHECK(reasoning_with({0, token_owner::gemini, false, "QUJD"}) ==
        "cpa-gemini-responses-carrier-v1:standalone:any:QUJD");
  const auto signed_call = response_of({started, call_item(0, "c", "f"),
                                        signature_event{0, token_owner::gemini, false, "QUJD"},
                                        item_end{0}, call_item(1, "d", "f"), item_end{1}, stopped});
  REQUIRE(signed_call["output"].size() == 3);
  CHECK(signed_call["output"][1]["encrypted_content"] ==
        "cpa-gemini-responses-carrier-v1:previous:function:QUJD");
  const auto signed_text =
      response_of({started, text_item(0), text_delta{0, "a"},
                   signature_event{0, token_owner::gemini, false, "QUJD"}, item_end{0}, stopped});
  CHECK(signed_text["output"][1]["encrypted_content"] ==
        "cpa-gemini-responses-carrier-v1:previous:text:QUJD");
}

TEST_CASE("responses: images, partial and final") {
  const std::vector<event> events{started,
                                  item_start{0, item_kind::image, {}, {}, {}, {}, {}},
                                  image_chunk{0, true, "image/webp", "QQ"},
                                  image_chunk{0, false, "image/webp", "QUJD"},
                                  item_end{0},
                                  stopped};
  const auto output = response_of(events)["output"];
  CHECK(output[0]["result"] == "QUJD");
  CHECK(output[0]["output_format"] == "webp");
  const auto again = events_of(encoded(events, context()));
  CHECK(all<image_chunk>(again) == all<image_chunk>(events));
}

TEST_CASE("responses: how an answer ends") {
  struct row {
    finish_reason reason;
    std::string status;
    std::string why;
  };
  const auto one = GENERATE(as<row>{}, row{finish_reason::stop, "completed", ""},
                            row{finish_reason::stop_sequence, "completed", ""},
                            row{finish_reason::tool_use, "completed", ""},
                            row{finish_reason::pause, "completed", ""},
                            row{finish_reason::length, "incomplete", "max_output_tokens"},
                            row{finish_reason::context_exceeded, "incomplete", "max_output_tokens"},
                            row{finish_reason::content_filter, "incomplete", "content_filter"},
                            row{finish_reason::refusal, "incomplete", "content_filter"},
                            row{finish_reason::other, "incomplete", ""});
  const auto response = response_of({started, finish_event{one.reason, "", ""}});
  CHECK(response["status"] == one.status);
  if (one.why.empty()) {
    const bool whole = one.status == "completed";
    CHECK(response["incomplete_details"] == (whole ? json{} : json::object()));
  } else {
    CHECK(response["incomplete_details"]["reason"] == one.why);
  }
  const auto refused =
      response_of({started, item_start{0, item_kind::refusal, {}, {}, {}, {}, {}},
                   text_delta{0, "no"}, item_end{0}, finish_event{finish_reason::refusal, "", ""}});
  CHECK(refused["status"] == "completed");
  CHECK(refused["output"][0]["content"][0] == json::parse(R"({"type":"refusal","refusal":"no"})"));
}

TEST_CASE("responses: usage is merged, and thinking that nobody counted estimated") {
  const auto usage = response_of({started, usage_event{{10, 2, 1, {}, {}}}, thought_item(0),
                                  reasoning_delta{0, 0, std::string(40, 't')}, item_end{0}, stopped,
                                  usage_event{{{}, {}, {}, 30, {}}}})["usage"];
  CHECK(usage == json::parse(R"({"input_tokens":10,"input_tokens_details":{"cached_tokens":2,)"
                             R"("cache_write_tokens":1},"output_tokens":30,)"
                             R"("output_tokens_details":{"reasoning_tokens":10},)"
                             R"("total_tokens":40})"));
  CHECK(response_of({started, stopped})["usage"].is_null());
}

TEST_CASE("responses: an answer without an id or time has the gateway's") {
  const auto response = response_of({start_event{}, stopped});
  CHECK(response["id"] == "resp_g1");
  CHECK(response["created_at"] == 1'800'000'000);
}

TEST_CASE("responses: a finished answer repeats what its request said") {
  answer_context with = context();
  with.request_body =
      R"({"model":"mine","instructions":"i\n","input":[1],"stream":true,"tools":[{"a":1.0}],)"
      R"("metadata":{"k":"v"},"reasoning":null,"store":false,"unknown":1})";
  const auto response = response_of({started, stopped}, with);
  CHECK(response["instructions"] == "i\n");
  CHECK(response["metadata"]["k"] == "v");
  CHECK(response["reasoning"].is_null());
  CHECK(response["store"] == false);
  CHECK_FALSE(response.contains("input"));
  CHECK_FALSE(response.contains("stream"));
  CHECK_FALSE(response.contains("unknown"));
  CHECK_FALSE(response.contains("output_text"));
}

TEST_CASE("responses: what a request said over several lines is repeated in one") {
  answer_context with = context();
  with.request_body = "{\"metadata\": {\r\n  \"k\": \"v\"\n}}";
  const auto frames = frames_of(encoded({started, stopped}, with));
  CHECK(frames.back().data["response"]["metadata"]["k"] == "v");
}

TEST_CASE("responses: after a failure comes nothing that looks like a success") {
  const failed_event broke{400, "", "", "too \"long\""};
  const auto frames = frames_of(
      encoded({started, text_item(0), text_delta{0, "a"}, broke, item_end{0}, stopped}, context()));
  CHECK(frames.back().event == "error");
  CHECK(frames.back().data["message"] == "too \"long\"");
  for (const auto& one : frames) CHECK(one.event != "response.completed");
  const auto body = json::parse(responses_codec.encode_answer({started, broke}, context()));
  CHECK(body["error"]["message"] == "too \"long\"");
}

TEST_CASE("responses: events that stop too early are a failure") {
  const auto frames = frames_of(encoded({started, text_item(0), text_delta{0, "a"}}, context()));
  CHECK(frames.back().event == "error");
  CHECK(frames_of(encoded({}, context())).size() == 1);
  CHECK(json::parse(responses_codec.encode_answer({started}, context())).contains("error"));
}
