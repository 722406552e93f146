#include "http/exchange/provider_words.hpp"
#include "http/exchange/stream_form.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::http {

TEST_CASE("only alt=sse asks for events, however the query spells it") {
  const auto [query, events] = GENERATE(table<std::string, bool>({
      {"alt=sse", true},
      {"$alt=sse", true},
      {"%24alt=sse", true},
      {"key=x&alt=sse&y=", true},
      {"alt=%73se", true},
      {"", false},
      {"alt=json", false},
      {"alt=SSE", false},
      {"alt", false},
      {"salt=sse", false},
      {"alt=ssee", false},
      {"&&&", false},
  }));
  CAPTURE(query);
  CHECK(wants_event_stream(query) == events);
}

TEST_CASE("a call that leans on a provider's memory does not stand alone") {
  const auto [member, code] = GENERATE(table<std::string, std::optional<errc>>({
      {R"("previous_response_id":"r")", errc::not_found},
      {R"("previous_response_id":null)", std::nullopt},
      {R"("conversation":{"id":"c"})", errc::invalid_input},
      {R"("conversation":"c")", errc::invalid_input},
      {R"("prompt":{"id":"p"})", errc::invalid_input},
      {R"("background":true)", errc::invalid_input},
      {R"("background":false)", std::nullopt},
      {R"("store":true)", std::nullopt},
  }));
  const std::string body = R"({"model":"m","input":"x",)" + member + "}";
  const auto head = protocol::read_envelope(body);
  REQUIRE(head);
  const auto alone = check_stands_alone(body, *head);
  CAPTURE(body);
  REQUIRE(alone.has_value() == !code.has_value());
  if (code) CHECK(alone.error().code == *code);
}

TEST_CASE("what a provider says of its failure is found in every protocol's shape") {
  const auto [text, type, code, message] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
           "overloaded_error", "", "Overloaded"},
          {R"({"error":{"message":"m","type":"t","code":"c"}})", "t", "c", "m"},
          {R"({"type":"response.failed","response":{"error":{"code":"c","message":"m"}}})",
           "response.failed", "c", "m"},
          {R"([{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}])", "", "", "m"},
          {R"({"code":429,"message":"slow"})", "", "", "slow"},
          {R"({"error":"boom"})", "", "", "boom"},
          {R"({"error":{"message":"m"},"object":"error"})", "", "", "m"},
          {"just words", "", "", "just words"},
          {"", "", "", ""},
      }));
  const auto said = failure_said(503, text);
  CHECK(said.status == 503);
  CHECK(said.type == type);
  CHECK(said.code == code);
  CHECK(said.message == message);
}

}  // namespace tidegate::http
