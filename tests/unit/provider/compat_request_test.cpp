#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;

TEST_CASE("asks for usage on a stream only when the client said nothing about it") {
  const auto row = GENERATE(table<std::string, std::string>({
      {R"({"model":"a","stream":true})",
       R"({"model":"upstream-model","stream":true,"stream_options":{"include_usage":true}})"},
      {R"({"model":"a","stream":true,"stream_options":{"include_usage":false}})",
       R"({"model":"upstream-model","stream":true,"stream_options":{"include_usage":false}})"},
      {R"({"model":"a","stream":false})", R"({"model":"upstream-model","stream":false})"},
      {R"({"messages":[], "model":"a" , "seed":0012e-1x})", ""},
      {R"({"messages":[], "zz":{"b":1,"a":2.50}, "model":"a" })",
       R"({"messages":[], "zz":{"b":1,"a":2.50}, "model":"upstream-model" })"},
  }));
  const auto got = build({kind::openai_compatibility, std::get<0>(row)});
  if (std::get<1>(row).empty()) {
    CHECK_FALSE(got);
    return;
  }
  REQUIRE(got);
  CHECK(got->body == std::get<1>(row));
}

TEST_CASE("posts to chat completions below the base URL") {
  client_request from{kind::openai_compatibility, R"({"model":"a","stream":true})"};
  from.who.base_url = "https://upstream.example/openai/v1";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url == "https://upstream.example/openai/v1/chat/completions");
  CHECK(got->header("authorization") == "Bearer sk-invented-0123456789");
  CHECK(got->header("accept") == "text/event-stream");
  CHECK(got->header("cache-control") == "no-cache");
  CHECK(got->header("user-agent") == "tidegate/0.1.0");
  from.who.secret = secret_string{};
  REQUIRE(build(from));
  CHECK_FALSE(build(from)->header("authorization"));
}

TEST_CASE("posts a compaction below the base URL, never as a stream") {
  client_request from{kind::openai_compatibility,
                      R"({"model":"a","stream":false,"input":[{"n":1.50}]})"};
  from.surface = protocol::surface::responses_compact;
  from.who.base_url = "https://upstream.example/v1";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url == "https://upstream.example/v1/responses/compact");
  CHECK(got->body == R"({"model":"upstream-model","input":[{"n":1.50}]})");
  CHECK(got->header("accept") == "application/json");
  CHECK_FALSE(got->header("cache-control"));
}

TEST_CASE("leaves the model alone when it is already the right one") {
  client_request from{kind::openai_compatibility, R"({"model":"\u0061bc"})"};
  from.model = "abc";
  REQUIRE(build(from));
  CHECK(build(from)->body == R"({"model":"\u0061bc"})");
}

TEST_CASE("has no model family of its own") {
  const auto& compat = provider::descriptor_of(kind::openai_compatibility);
  CHECK(compat.listed_models.empty());
  CHECK_FALSE(compat.is_family("gpt-5.5"));
}
