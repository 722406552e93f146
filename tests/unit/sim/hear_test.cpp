/// A reply that follows its request refuses what the vendor's API refuses, and hears the rest the
/// same in every protocol.

#include "app/sim/conversation.hpp"

#include "app/sim/thought_token.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using protocol::wire;

heard hear_body(wire form, std::string body) {
  incoming request;
  request.headers.emplace_back("anthropic-version", "2023-06-01");
  request.body = std::move(body);
  return hear(form, request, true);
}

struct row {
  std::string rule;
  wire form;
  std::string body;
  std::string objection;  ///< a part of it
};

std::string codex_body(const std::string& input) {
  return R"({"model":"m","instructions":"","store":false,"stream":true,"input":[)" + input + "]}";
}

std::string messages_body(const std::string& messages, const std::string& more = "") {
  return R"({"model":"m","max_tokens":2000)" + more + R"(,"messages":[)" + messages + "]}";
}

std::string chat_body(const std::string& messages, const std::string& more = "") {
  return R"({"model":"m")" + more + R"(,"messages":[)" + messages + "]}";
}

std::string gemini_body(const std::string& contents, const std::string& more = "") {
  return R"({"contents":[)" + contents + "]" + more + "}";
}

const std::string chat_call =
    R"({"role":"user","content":"x"},{"role":"assistant","tool_calls":[)"
    R"({"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]})";
const std::string messages_call =
    R"({"role":"user","content":"x"},)"
    R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]})";
const std::string gemini_call =
    R"({"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[)"
    R"({"functionCall":{"name":"f"},"thoughtSignature":"skip_thought_signature_validator"}]})";

std::vector<row> refusals() {
  return {
      {"an unknown member", wire::openai_chat, chat_body("", R"(,"top_k":3)"), "top_k"},
      {"a call without result", wire::openai_chat, chat_body(chat_call), "tool_call_id"},
      {"a result without call", wire::openai_chat,
       chat_body(R"({"role":"tool","tool_call_id":"c1","content":"r"})"), "preceding message"},
      {"a tool choice without tools", wire::openai_chat,
       chat_body(R"({"role":"user","content":"x"})", R"(,"tool_choice":"auto")"), "tools"},
      {"stream options without a stream", wire::openai_chat,
       chat_body(R"({"role":"user","content":"x"})", R"(,"stream_options":{})"), "stream"},
      {"an open schema", wire::openai_chat,
       chat_body(R"({"role":"user","content":"x"})",
                 R"(,"response_format":{"type":"json_schema","json_schema":{"name":"s",)"
                 R"("strict":true,"schema":{"type":"object","properties":{}}}})"),
       "additionalProperties"},
      {"a limit that the backend does not take", wire::openai_responses,
       R"({"model":"m","max_output_tokens":3})", "max_output_tokens"},
      {"a system message", wire::openai_responses,
       codex_body(R"({"role":"system","content":"x"})"), "'system' is not supported"},
      {"an id of another kind", wire::openai_responses,
       codex_body(R"({"type":"message","id":"abc","role":"user","content":"x"})"), "begins with"},
      {"reasoning by id", wire::openai_responses,
       codex_body(R"({"type":"reasoning","id":"rs_1","summary":[]})"), "encrypted_content"},
      {"foreign reasoning", wire::openai_responses,
       codex_body(R"({"type":"reasoning","summary":[],"encrypted_content":")" +
                  thought_token(wire::anthropic_messages, "t") + "\"}"),
       "could not be verified"},
      {"an output without call", wire::openai_responses,
       codex_body(R"({"type":"function_call_output","call_id":"c","output":"r"})"), "No tool call"},
      {"no limit", wire::anthropic_messages, R"({"model":"m","messages":[]})", "max_tokens"},
      {"an assistant first", wire::anthropic_messages,
       messages_body(R"({"role":"assistant","content":"x"})"), "first message"},
      {"an empty text", wire::anthropic_messages,
       messages_body(R"({"role":"user","content":[{"type":"text","text":""}]})"), "non-empty"},
      {"a call without result", wire::anthropic_messages,
       messages_body(messages_call + R"(,{"role":"user","content":"y"})"), "tool_result"},
      {"a foreign signature", wire::anthropic_messages,
       messages_body(R"({"role":"user","content":"x"},{"role":"assistant","content":[{)"
                     R"("type":"thinking","thinking":"t","signature":")" +
                     thought_token(wire::anthropic_messages, "other") + R"("}]})"),
       "Invalid `signature`"},
      {"a loop without its thinking", wire::anthropic_messages,
       messages_body(messages_call +
                         R"(,{"role":"user","content":[)"
                         R"({"type":"tool_result","tool_use_id":"c1"}]})",
                     R"(,"thinking":{"type":"enabled","budget_tokens":1024})"),
       "must start with a thinking block"},
      {"a model first", wire::gemini, gemini_body(R"({"role":"model","parts":[{"text":"x"}]})"),
       "first content"},
      {"an unknown member", wire::gemini, gemini_body("", R"(,"model":"m")"), "model"},
      {"two kinds of data", wire::gemini,
       gemini_body(R"({"role":"user","parts":[{"text":"x","functionCall":{"name":"f"}}]})"),
       "oneof"},
      {"a missing response", wire::gemini,
       gemini_body(gemini_call + R"(,{"role":"user","parts":[{"text":"y"}]})"), "equal"},
      {"an unsigned call", wire::gemini,
       gemini_body(R"({"role":"user","parts":[{"text":"x"}]},)"
                   R"({"role":"model","parts":[{"functionCall":{"name":"f"}}]})"),
       "thought_signature"},
      {"a foreign signature", wire::gemini,
       gemini_body(R"({"role":"user","parts":[{"text":"x","thoughtSignature":"Eabc"}]})"),
       "not valid"},
  };
}

}  // namespace

TEST_CASE("what a vendor's API refuses is refused with its reason") {
  for (const auto& one : refusals()) {
    CAPTURE(one.rule, one.body);
    const auto heard = hear_body(one.form, one.body);
    REQUIRE_FALSE(heard.has_value());
    CHECK_THAT(heard.error().detail, ContainsSubstring(one.objection));
  }
}

TEST_CASE("a Messages request without its version header is refused") {
  incoming request;
  request.body = messages_body(R"({"role":"user","content":"x"})");
  CHECK_FALSE(hear(wire::anthropic_messages, request, false).has_value());
}

TEST_CASE("one conversation is heard the same in every protocol") {
  const std::vector<std::pair<wire, std::string>> bodies{
      {wire::openai_chat,
       chat_body(chat_call + R"(,{"role":"tool","tool_call_id":"c1","content":"4.2 m"})")},
      {wire::openai_responses,
       codex_body(R"({"role":"user","content":"x"},)"
                  R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},)"
                  R"({"type":"function_call_output","call_id":"c1","output":"4.2 m"})")},
      {wire::anthropic_messages,
       messages_body(messages_call + R"(,{"role":"user","content":[)"
                                     R"({"type":"tool_result","tool_use_id":"c1",)"
                                     R"("content":[{"type":"text","text":"4.2 m"}]}]})")},
      {wire::gemini,
       gemini_body(gemini_call + R"(,{"role":"user","parts":[{"functionResponse":{"name":"f",)"
                                 R"("response":{"result":"4.2 m"}}}]})")}};
  for (const auto& [form, body] : bodies) {
    CAPTURE(body);
    const auto heard = hear_body(form, body);
    INFO((heard ? std::string{} : heard.error().detail));
    REQUIRE(heard.has_value());
    CHECK(heard->order == "x");
    CHECK(heard->rounds == 1);
    REQUIRE(heard->results.size() == 1);
    CHECK(heard->results[0].name == "f");
    CHECK(heard->results[0].text == "4.2 m");
  }
}

TEST_CASE("a token of thinking is known to its vendor alone") {
  const std::vector<wire> vendors{wire::openai_responses, wire::anthropic_messages, wire::gemini};
  for (const auto maker : vendors) {
    for (const auto reader : vendors) {
      CHECK(is_thought_token(reader, thought_token(maker, "why")) == (maker == reader));
    }
  }
  for (const auto* text : {"", "====", "gAAAA", "RUVF", "\x80"}) {
    CHECK_FALSE(is_thought_token(wire::gemini, text));
  }
}

}  // namespace tidegate::sim
