#include "provider/xai/tool_book.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using protocol::surface;
using provider::kind;

namespace {

client_request responses(std::string body, std::string model = "grok-4.5") {
  client_request from{kind::xai, std::move(body)};
  from.model = std::move(model);
  from.who.base_url = "https://api.x.ai/v1";
  return from;
}

std::string sent(std::string body, std::string model = "grok-4.5") {
  const auto got = build(responses(std::move(body), std::move(model)));
  REQUIRE(got);
  return got->body;
}

}  // namespace

TEST_CASE("xAI: every answer comes as a stream, compact calls do not") {
  auto got = build(responses(R"({"model":"grok-4.5","input":"hi"})"));
  REQUIRE(got);
  CHECK(got->url == "https://api.x.ai/v1/responses");
  CHECK(got->body == R"({"model":"grok-4.5","input":"hi","stream":true})");
  CHECK(got->streams);
  CHECK(got->fold);
  CHECK(got->header("Authorization") == "Bearer sk-invented-0123456789");
  CHECK(got->header("Accept") == "text/event-stream");
  CHECK_FALSE(got->header("x-grok-conv-id"));

  got = build(responses(R"({"model":"grok-4.5","input":"hi","stream":true})"));
  REQUIRE(got);
  CHECK(got->body == R"({"model":"grok-4.5","input":"hi","stream":true})");
  CHECK_FALSE(got->fold);

  auto compact = responses(R"({"model":"grok-4.5","input":"hi","stream":true})");
  compact.surface = surface::responses_compact;
  got = build(compact);
  REQUIRE(got);
  CHECK(got->url == "https://api.x.ai/v1/responses/compact");
  CHECK(got->body == R"({"model":"grok-4.5","input":"hi"})");
  CHECK_FALSE(got->streams);
  CHECK_FALSE(got->fold);
}

TEST_CASE("xAI: a session keeps the cache of a conversation") {
  const auto got = build(responses(R"({"model":"grok-4.5","session_id":"s-1","stream":true})"));
  REQUIRE(got);
  CHECK(got->header("x-grok-conv-id") == "s-1");
  CHECK(got->body ==
        R"({"model":"grok-4.5","session_id":"s-1","stream":true,"prompt_cache_key":"s-1"})");
  const auto own = build(responses(R"({"model":"grok-4.5","prompt_cache_key":"k","stream":true})"));
  REQUIRE(own);
  CHECK(own->header("x-grok-conv-id") == "k");
  CHECK(own->body == R"({"model":"grok-4.5","prompt_cache_key":"k","stream":true})");
  auto told = responses(R"({"model":"grok-4.5","stream":true})");
  told.header_session = "h-1";
  const auto by_header = build(told);
  REQUIRE(by_header);
  CHECK(by_header->header("x-grok-conv-id") == "h-1");
  CHECK(by_header->body == R"({"model":"grok-4.5","stream":true,"prompt_cache_key":"h-1"})");
  const auto odd = build(responses(R"({"model":"grok-4.5","session_id":"a b","stream":true})"));
  REQUIRE(odd);
  CHECK_FALSE(odd->header("x-grok-conv-id"));
}

TEST_CASE("xAI: refused members go, limits and sampling stay") {
  CHECK(sent(R"({"model":"grok-4.5","prompt_cache_retention":"24h","safety_identifier":"x",)"
             R"("stream_options":{},"stop":["a"],"previous_response_id":null,"stream":true,)"
             R"("max_output_tokens":5,"temperature":0.1,"top_p":0.5,"top_k":3})") ==
        R"({"model":"grok-4.5","stream":true,"max_output_tokens":5,"temperature":0.1,)"
        R"("top_p":0.5,"top_k":3})");
  const auto stored = build(responses(R"({"model":"grok-4.5","previous_response_id":"resp_1"})"));
  REQUIRE_FALSE(stored);
  CHECK(stored.error().code == errc::not_found);
}

TEST_CASE("xAI: tools are written as it takes them") {
  struct row {
    const char* what;
    const char* model;
    const char* given;
    const char* expected;
  };
  const auto each = GENERATE(
      row{"none", "grok-4.5", R"("tools":[],"tool_choice":"auto","parallel_tool_calls":true,"n":1)",
          R"("n":1)"},
      row{"a choice without tools", "grok-4.5", R"("tool_choice":"auto","n":1)", R"("n":1)"},
      row{"as they are", "grok-4.5",
          R"("tools":[ {"type":"function","name":"f","parameters":{"type":"object"}} ])",
          R"("tools":[ {"type":"function","name":"f","parameters":{"type":"object"}} ])"},
      row{"no parameters", "grok-4.5", R"("tools":[{"type":"function","name":"f"}])",
          R"("tools":[{"type":"function","name":"f",)"
          R"("parameters":{"type":"object","properties":{}}}])"},
      row{"null parameters", "grok-4.5",
          R"("tools":[{"type":"function","name":"f","parameters":null}])",
          R"("tools":[{"type":"function","name":"f",)"
          R"("parameters":{"type":"object","properties":{}}}])"},
      row{"web access", "grok-4.5",
          R"("tools":[{"type":"web_search","external_web_access":true,"filters":{}}])",
          R"("tools":[{"type":"web_search","filters":{}}])"},
      row{"tool search", "grok-4.5",
          R"("tools":[{"type":"tool_search"},{"type":"x_search"}],"tool_choice":"auto")",
          R"("tools":[{"type":"x_search"}],"tool_choice":"auto")"},
      row{"images, too old", "grok-4.20",
          R"("tools":[{"type":"image_generation"}],"tool_choice":{"type":"image_generation"})", ""},
      row{"images, new", "grok-4.6",
          R"("tools":[{"type":"image_generation"}],"tool_choice":{"type":"image_generation"})",
          R"("tools":[{"type":"image_generation"}],"tool_choice":{"type":"allowed_tools",)"
          R"("mode":"required","tools":[{"type":"image_generation"}]})"},
      row{"a choice of a tool that went", "grok-4.5",
          R"("tools":[{"type":"image_generation"},{"type":"x_search"}],)"
          R"("tool_choice":{"type":"image_generation"})",
          R"("tools":[{"type":"x_search"}])"},
      row{"a chosen function", "grok-4.5",
          R"("tools":[{"type":"x_search"}],"tool_choice":{"type":"function","name":"f"})",
          R"("tools":[{"type":"x_search"}],"tool_choice":{"type":"function","name":"f"})"},
      row{"no list", "grok-4.5", R"("tools":{"a":1})", R"("tools":{"a":1})"});
  CAPTURE(each.what);
  const std::string begin = std::string{R"({"model":")"} + each.model + R"(","stream":true)";
  const std::string expected{each.expected};
  CHECK(sent(begin + "," + each.given + "}", each.model) ==
        begin + (expected.empty() ? "" : ",") + expected + "}");
}

TEST_CASE("xAI: images come with grok 4.6") {
  for (const char* model : {"grok-4.6", "Grok-4.7-fast", "grok-5", "grok-10.1", "grok-4.10"}) {
    CHECK(provider::xai::makes_images(model));
  }
  for (const char* model : {"grok-4", "grok-4.5", "grok-4.20-0309-reasoning", "grok-3-mini",
                            "grok-code-fast-1", "grok-4.", "grok-", "gpt-5", ""}) {
    CHECK_FALSE(provider::xai::makes_images(model));
  }
}

TEST_CASE("xAI: other protocols are not its own") {
  auto chat = responses(R"({"model":"m","messages":[]})");
  chat.surface = surface::chat_completions;
  CHECK(build(chat).error().code == errc::invalid_input);
  const auto& xai = provider::descriptor_of(kind::xai);
  CHECK(provider::serves_natively(xai, surface::responses, "grok-4.5"));
  CHECK_FALSE(provider::serves_natively(xai, surface::messages, "grok-4.5"));
}
