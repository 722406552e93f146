#include "protocol/envelope.hpp"

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

TEST_CASE("model, stream and members are read from the top level only") {
  const std::string body =
      R"({"metadata":{"model":"inner","stream":true},"model":"gpt-\u0078","stream":false,)"
      R"("tools":[{"model":"tool"}]})";
  const auto head = read_envelope(body);
  REQUIRE(head);
  CHECK(head->model == "gpt-x");
  CHECK_FALSE(head->stream);
  REQUIRE(head->find("tools") != nullptr);
  CHECK(body.substr(head->find("tools")->value_offset, head->find("tools")->value_size) ==
        R"([{"model":"tool"}])");
  CHECK(head->find("nothing") == nullptr);
}

TEST_CASE("a stream is asked for by the literal true and nothing else") {
  const auto [value, streams] = GENERATE(table<std::string, bool>({
      {"true", true}, {"false", false}, {"null", false}, {"1", false}, {"\"true\"", false}}));
  CAPTURE(value);
  const auto head = read_envelope("{\"model\":\"m\",\"stream\":" + value + "}");
  REQUIRE(head);
  CHECK(head->stream == streams);
}

TEST_CASE("a body without a model is read and has none") {
  const auto head = read_envelope(R"({"contents":[]})");
  REQUIRE(head);
  CHECK(head->model.empty());
}

TEST_CASE("a body that two readers could understand differently is refused") {
  const auto body = GENERATE(as<std::string>{}, R"({"model":"a","model":"b"})",
                             R"({"model":"a","x":1,"model":"a"})", R"({"mod\u0065l":"a"})",
                             R"({"model":"a","m\u006fdel":"b"})",
                             R"({"stream":true,"stream":false})",
                             R"({"st\u006fre":true})", R"({"model":1})", R"({"model":null})",
                             R"({"model":["a"]})", R"({"model":"\ud800"})", R"(["model"])",
                             R"({"model":"a"}garbage)", "");
  CAPTURE(body);
  const auto head = read_envelope(body);
  REQUIRE_FALSE(head);
  CHECK(head.error().code == errc::invalid_input);
}

TEST_CASE("an escaped key that is no plain name is left alone") {
  CHECK(read_envelope(R"({"model":"a","x\u0020y":1,"\"":2})"));
}

TEST_CASE("a model name has a bound") {
  CHECK(read_envelope("{\"model\":\"" + std::string(1024, 'm') + "\"}"));
  CHECK_FALSE(read_envelope("{\"model\":\"" + std::string(1025, 'm') + "\"}"));
}

TEST_CASE("the session is the first usable of its sources") {
  const std::string claude = R"("metadata":{"user_id":"user_a_account_b_session_0f-1"})";
  const std::string claude_json =
      R"("metadata":{"user_id":"{\"device_id\":\"d\",\"session_id\":\" s-9 \"}"})";
  const std::string user = R"("metadata":{"user_id":"alice"})";
  const auto [members, session] = GENERATE_COPY(table<std::string, std::string>({
      {R"("x":1)", "-"},
      {R"("prompt_cache_key":" pck ")", "pck"},
      {R"("prompt_cache_key":"pck","session_id":"sid")", "sid"},
      {R"("prompt_cache_key":"pck","sessionId":"sid2")", "sid2"},
      {R"("session_id":"sid",)" + claude, "0f-1"},
      {R"("session_id":"sid",)" + claude_json, "s-9"},
      {R"("conversation":"conv",)" + user, "conv"},
      {R"("conversation":{"id":"conv-id"},"prompt_cache_key":"")", "conv-id"},
      {R"("conversation":{"id":7},)" + user, "alice"},
      {R"("conversation_id":"cid",)" + user, "alice"},
      {R"("conversation_id":"cid")", "cid"},
      {R"("prompt_cache_key":"a\nb","conversation_id":"cid")", "cid"},
      {R"("prompt_cache_key":12,"metadata":[1],"conversation":null)", "-"},
      {"\"prompt_cache_key\":\"" + std::string(257, 'k') + "\"", "-"},
      {"\"prompt_cache_key\":\"" + std::string(256, 'k') + "\"", std::string(256, 'k')},
  }));
  CAPTURE(members);
  const auto head = read_envelope("{\"model\":\"m\"," + members + "}");
  REQUIRE(head);
  CHECK(head->session.value_or("-") == session);
}

TEST_CASE("a body of ten megabytes is read") {
  std::string body = R"({"model":"m","input":")" + std::string(10'000'000, 'x') + "\"}";
  body.reserve(body.size() + 128);
  const auto head = read_envelope(body);
  REQUIRE(head);
  CHECK(head->members[1].value_size == 10'000'002);
}
