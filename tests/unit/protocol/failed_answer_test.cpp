#include "protocol/canonical/failed_answer.hpp"

#include "protocol/canonical/codec.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidegate::protocol;

namespace {

const failed_event overloaded{529, "overloaded_error", "", "Overloaded"};
const failed_event limited{429, "usage_limit_reached", "usage_limit_reached", "come back at noon"};
const failed_event unknown{0, "", "", ""};

}  // namespace

TEST_CASE("a provider's failure keeps its message in every client's error shape") {
  const auto [form, body] = GENERATE(table<wire, std::string>({
      {wire::openai_chat,
       R"({"error":{"message":"Overloaded","type":"server_error","code":"internal_server_error"}})"},
      {wire::openai_responses,
       R"({"error":{"message":"Overloaded","type":"server_error","code":"internal_server_error"}})"},
      {wire::anthropic_messages,
       R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"},
      {wire::gemini, R"({"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}})"},
  }));
  CHECK(failure_body(form, overloaded) == body);
}

TEST_CASE("a provider's code stays where codes exist, and no foreign type reaches Messages") {
  CHECK(failure_body(wire::openai_chat, limited) ==
        R"({"error":{"message":"come back at noon","type":"rate_limit_error",)"
        R"("code":"usage_limit_reached"}})");
  CHECK(failure_body(wire::anthropic_messages, limited) ==
        R"({"type":"error","error":{"type":"rate_limit_error","message":"come back at noon"}})");
  CHECK(failure_body(wire::gemini, limited) ==
        R"({"error":{"code":429,"message":"come back at noon","status":"RESOURCE_EXHAUSTED"}})");
}

TEST_CASE("a failure that says nothing is a bad gateway") {
  CHECK(failure_body(wire::gemini, unknown) ==
        R"({"error":{"code":502,"message":"Bad Gateway","status":"UNAVAILABLE"}})");
  CHECK(failure_body(wire::anthropic_messages, unknown) ==
        R"({"type":"error","error":{"type":"api_error","message":"Bad Gateway"}})");
}

TEST_CASE("a missing right does not read like a used-up quota") {
  const failed_event forbidden{403, "permission_error", "", "not yours"};
  CHECK(failure_body(wire::openai_chat, forbidden) ==
        R"({"error":{"message":"not yours","type":"permission_error"}})");
}

TEST_CASE("a stream's failure is one frame of the client's own kind") {
  const auto [form, codex, frame] = GENERATE(table<wire, bool, std::string>({
      {wire::openai_responses, false,
       "event: error\ndata: {\"type\":\"error\",\"code\":\"usage_limit_reached\",\"message\":"
       "\"come back at noon\",\"sequence_number\":7}\n\n"},
      {wire::openai_responses, true,
       "event: response.failed\ndata: {\"type\":\"response.failed\",\"sequence_number\":7,"
       "\"response\":{\"status\":\"failed\",\"error\":{\"message\":\"come back at noon\","
       "\"type\":\"rate_limit_error\",\"code\":\"usage_limit_reached\"}}}\n\n"},
      {wire::openai_chat, false,
       "data: {\"error\":{\"message\":\"come back at noon\",\"type\":\"rate_limit_error\","
       "\"code\":\"usage_limit_reached\"}}\n\n"},
      {wire::anthropic_messages, false,
       "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\","
       "\"message\":\"come back at noon\"}}\n\n"},
      {wire::gemini, false,
       "data: {\"error\":{\"code\":429,\"message\":\"come back at noon\",\"status\":"
       "\"RESOURCE_EXHAUSTED\"}}\n\n"},
  }));
  CHECK(failure_frame(form, limited, codex, 7) == frame);
}

TEST_CASE("every encoder ends with the failure, says nothing behind it and never a good ending") {
  const std::vector<event> before{start_event{"r", "m", 1},
                                  item_start{0, item_kind::text, "", "", "", "", {}},
                                  text_delta{0, "half an ans"}};
  for (const auto form :
       {wire::openai_responses, wire::openai_chat, wire::anthropic_messages, wire::gemini}) {
    for (const bool codex : {false, true}) {
      CAPTURE(form, codex);
      answer_context with;
      with.codex_client = codex;
      const auto encoder = codec_of(form).make_encoder(with);
      std::string out;
      for (const auto& one : before) encoder->on(one, out);
      const auto said = out.size();
      encoder->on(limited, out);
      CHECK_THAT(out.substr(said), ContainsSubstring("come back at noon"));
      const bool failed = out.find("event: response.failed") != std::string::npos;
      CHECK(failed == (codex && form == wire::openai_responses));
      const auto ended = out.size();
      encoder->on(finish_event{}, out);
      encoder->finish(out);
      CHECK(out.size() == ended);
    }
  }
}
