#include "app/sim/call.hpp"

#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using protocol::wire;

incoming post(std::string target, std::string body = "{}", std::vector<header> headers = {}) {
  incoming out;
  out.method = "POST";
  out.target = std::move(target);
  out.body = std::move(body);
  out.headers = std::move(headers);
  return out;
}

TEST_CASE("knows the operation and protocol of every path") {
  auto [target, what, form] = GENERATE(table<std::string, operation, wire>({
      {"/v1/responses", operation::generate, wire::openai_responses},
      {"/backend-api/codex/responses", operation::generate, wire::openai_responses},
      {"/v1/responses/compact", operation::compact, wire::openai_responses},
      {"/v1/chat/completions?x=1", operation::generate, wire::openai_chat},
      {"/v1/messages?beta=true", operation::generate, wire::anthropic_messages},
      {"/v1/messages/count_tokens", operation::count_tokens, wire::anthropic_messages},
      {"/v1beta/models/g:generateContent", operation::generate, wire::gemini},
      {"/v1beta/models/g:countTokens", operation::count_tokens, wire::gemini},
      {"/v1beta/models/g:other", operation::other, wire::openai_chat},
      {"/oauth/token", operation::other, wire::openai_chat},
  }));
  const auto found = identify(post(target));
  CAPTURE(target);
  CHECK(found.what == what);
  CHECK(found.wire == form);
}

TEST_CASE("only POST reaches a protocol") {
  auto request = post("/v1/responses");
  request.method = "GET";
  CHECK(identify(request).what == operation::other);
}

TEST_CASE("takes the key from whichever place holds it") {
  auto [name, value, target] = GENERATE(table<std::string, std::string, std::string>({
      {"Authorization", "Bearer sim-1", "/v1/responses"},
      {"authorization", "bearer sim-1", "/v1/responses"},
      {"X-Api-Key", "sim-1", "/v1/messages"},
      {"x-goog-api-key", "sim-1", "/v1beta/models/g:generateContent"},
      {"accept", "*/*", "/v1beta/models/g:generateContent?alt=sse&key=sim-1"},
  }));
  CHECK(identify(post(target, "{}", {{name, value}})).key == "sim-1");
}

TEST_CASE("reads model and stream from the body, Google's from the path") {
  const auto chat = identify(post("/v1/chat/completions",
                                  R"({"messages":[{"model":"no"}],"model":"m","stream":true,)"
                                  R"("stream_options":{"include_usage":true}})"));
  CHECK(chat.model == "m");
  CHECK(chat.stream);
  CHECK(chat.stream_usage);
  const auto google = identify(post("/v1beta/models/a/b:streamGenerateContent?alt=sse"));
  CHECK(google.model == "a/b");
  CHECK(google.stream);
  CHECK(google.sse);
  CHECK_FALSE(identify(post("/v1beta/models/a:streamGenerateContent")).sse);
}

TEST_CASE("a body that cannot be read leaves model and stream empty") {
  const std::string body = GENERATE(as<std::string>{}, "", "[1]", "{\"model\":1,\"stream\":\"x\"}",
                                    "{\"model\"", "\xff\xfe");
  const auto found = identify(post("/v1/responses", body));
  CHECK(found.model.empty());
  CHECK_FALSE(found.stream);
}

}  // namespace
}  // namespace tidegate::sim
