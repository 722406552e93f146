#include "protocol/model_rename.hpp"

#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/protocol/json_maker.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

std::string renamed(wire form, const std::string& stream, std::string_view name = "mine") {
  sse_splitter split{1024 * 1024};
  REQUIRE(split.feed(stream));
  const model_rename rename{form, name};
  std::string out;
  for (sse_frame frame; split.next(frame);) rename.frame(frame, out);
  return out;
}

std::string renamed_body(wire form, std::string body) {
  model_rename{form, "mine"}.whole(body);
  return body;
}

}  // namespace

TEST_CASE("a whole answer names the client's model, every other byte stays") {
  const auto [form, body, expected] = GENERATE(table<wire, std::string, std::string>({
      {wire::openai_chat, R"({ "id":"c", "model" : "gpt\u002d5" ,"x":{"model":"gpt"}})",
       R"({ "id":"c", "model" : "mine" ,"x":{"model":"gpt"}})"},
      {wire::openai_responses, R"({"model":"gpt","output":[]})", R"({"model":"mine","output":[]})"},
      {wire::anthropic_messages, R"({"model":"claude"})", R"({"model":"mine"})"},
      {wire::gemini, R"({"model":"g","modelVersion":"gemini-3"})",
       R"({"model":"g","modelVersion":"mine"})"},
      {wire::openai_chat, R"({"model":null})", R"({"model":null})"},
      {wire::openai_chat, R"({"id":1})", R"({"id":1})"},
      {wire::openai_chat, R"({"model":"x")", R"({"model":"x")"},
      {wire::openai_chat, "", ""},
  }));
  CAPTURE(body);
  CHECK(renamed_body(form, body) == expected);
}

TEST_CASE("events name the client's model where their protocol has the name") {
  const auto [form, frame, expected] = GENERATE(table<wire, std::string, std::string>({
      {wire::openai_chat, "data: {\"model\":\"gpt\",\"choices\":[]}\n\n",
       "data: {\"model\":\"mine\",\"choices\":[]}\n\n"},
      {wire::openai_chat, "data: [DONE]\n\n", "data: [DONE]\n\n"},
      {wire::openai_responses,
       "event: response.created\r\nid: 7\r\ndata: {\"type\":\"response.created\",\"response\":"
       "{\"id\":\"r\",\"model\":\"gpt\"}}\r\n\r\n",
       "event: response.created\r\nid: 7\r\ndata: {\"type\":\"response.created\",\"response\":"
       "{\"id\":\"r\",\"model\":\"mine\"}}\r\n\r\n"},
      {wire::openai_responses,
       "data: {\"type\":\"response.output_text.delta\",\"delta\":\"model\"}\n\n",
       "data: {\"type\":\"response.output_text.delta\",\"delta\":\"model\"}\n\n"},
      {wire::openai_responses, "data: {\"model\":\"gpt\"}\n\n", "data: {\"model\":\"gpt\"}\n\n"},
      {wire::anthropic_messages,
       "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"c\"}}\n\n",
       "event: message_start\ndata: "
       "{\"type\":\"message_start\",\"message\":{\"model\":\"mine\"}}\n\n"},
      {wire::gemini, "data: {\"candidates\":[],\"modelVersion\":\"g\"}\n\n",
       "data: {\"candidates\":[],\"modelVersion\":\"mine\"}\n\n"},
      {wire::gemini, "data: {\"modelVersion\":\ndata: \"g\"}\n\n",
       "data: {\"modelVersion\": \"mine\"}\n\n"},
      {wire::openai_chat, ": comment with \"model\"\n\n", ": comment with \"model\"\n\n"},
      {wire::openai_chat, "data: {\"model\":\"gpt\"\n\n", "data: {\"model\":\"gpt\"\n\n"},
  }));
  CAPTURE(frame);
  CHECK(renamed(form, frame) == expected);
}

TEST_CASE("a name with quotes is written as JSON") {
  CHECK(renamed(wire::openai_chat, "data: {\"model\":\"g\"}\n\n", "a\"b") ==
        "data: {\"model\":\"a\\\"b\"}\n\n");
}

TEST_CASE("a renamed answer differs in the name alone") {
  REQUIRE(rc::check("whole answers of random JSON", [](std::uint64_t seed) {
    test::json_maker maker{seed};
    auto body = maker.object(3, {"k0", "model", "k1"});
    auto expected = nlohmann::json::parse(body);
    if (expected["model"].is_string()) expected["model"] = "mine";
    model_rename{wire::openai_chat, "mine"}.whole(body);
    RC_ASSERT(nlohmann::json::parse(body) == expected);
  }));
}
