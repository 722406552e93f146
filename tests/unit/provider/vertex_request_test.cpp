#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using protocol::surface;
using provider::kind;

namespace {

provider::credential service_account(std::string location = "europe-west4") {
  auto who = some_credential(kind::vertex);
  who.auth = provider::auth_kind::account;
  who.base_url = location == "global" ? "https://aiplatform.googleapis.com"
                                      : "https://" + location + "-aiplatform.googleapis.com";
  who.project_id = "invented-project";
  who.location = std::move(location);
  return who;
}

}  // namespace

TEST_CASE("Vertex: each login has its own address") {
  struct row {
    const char* what;
    provider::credential who;
    surface from;
    std::string query;
    std::string url;
  };
  auto express = some_credential(kind::vertex);
  express.base_url = "https://aiplatform.googleapis.com";
  const std::string regional =
      "https://europe-west4-aiplatform.googleapis.com/v1/projects/invented-project/locations/"
      "europe-west4/publishers/google/models/gemini-x:";
  const std::string global =
      "https://aiplatform.googleapis.com/v1/projects/invented-project/locations/global/"
      "publishers/google/models/gemini-x:";
  const std::string key = "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-x:";
  const std::vector<row> rows{
      {"region", service_account(), surface::gemini_generate, "", regional + "generateContent"},
      {"stream", service_account(), surface::gemini_stream_generate, "",
       regional + "streamGenerateContent?alt=sse"},
      {"count", service_account(), surface::gemini_count_tokens, "", regional + "countTokens"},
      {"alt", service_account(), surface::gemini_generate, "$alt=json",
       regional + "generateContent?$alt=json"},
      {"global", service_account("global"), surface::gemini_generate, "",
       global + "generateContent"},
      {"express", express, surface::gemini_stream_generate, "",
       key + "streamGenerateContent?alt=sse"},
      {"express count", express, surface::gemini_count_tokens, "", key + "countTokens"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    client_request from{kind::vertex, R"({"contents":[ ],"session_id":"s"})"};
    from.who = row.who;
    from.surface = row.from;
    from.model = "gemini-x";
    from.query = row.query;
    const auto got = build(from);
    REQUIRE(got);
    CHECK(got->url == row.url);
    CHECK(got->body == R"({"contents":[ ]})");
    CHECK(got->streams == (row.from == surface::gemini_stream_generate));
    const bool account = row.who.auth == provider::auth_kind::account;
    CHECK(got->header("Authorization").has_value() == account);
    CHECK(got->header("x-goog-api-key").has_value() != account);
  }
}

TEST_CASE("Vertex: open models are asked in Chat, by service accounts") {
  client_request from{kind::vertex, R"({"model":"alias","messages":[],"stream":true})"};
  from.who = service_account();
  from.surface = surface::chat_completions;
  from.model = "deepseek-ai/deepseek-x-maas";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url ==
        "https://europe-west4-aiplatform.googleapis.com/v1/projects/invented-project/locations/"
        "europe-west4/endpoints/openapi/chat/completions");
  CHECK(got->body == R"({"model":"deepseek-ai/deepseek-x-maas","messages":[],"stream":true,)"
                     R"("stream_options":{"include_usage":true}})");
  CHECK(got->header("Authorization") == "Bearer sk-invented-0123456789");
  CHECK(got->streams);
  from.who = service_account("global");
  CHECK(build(from)->url ==
        "https://aiplatform.googleapis.com/v1/projects/invented-project/locations/global/"
        "endpoints/openapi/chat/completions");
}

TEST_CASE("Vertex: what a login or a model cannot take is refused before it is sent") {
  client_request open{kind::vertex, R"({"model":"a","messages":[]})"};
  open.model = "deepseek-ai/deepseek-x-maas";
  open.surface = surface::chat_completions;
  CHECK(build(open).error().code == errc::invalid_input);
  open.who = service_account();
  open.surface = surface::gemini_count_tokens;
  CHECK(build(open).error().code == errc::invalid_input);
  client_request native{kind::vertex, R"({"model":"a","messages":[]})"};
  native.model = "gemini-x";
  native.surface = surface::chat_completions;
  CHECK(build(native).error().code == errc::invalid_input);
}

TEST_CASE("Vertex: a model's name decides the protocol") {
  const auto& vertex = provider::descriptor_of(kind::vertex);
  struct row {
    const char* model;
    surface from;
    protocol::wire form;
    bool natively;
  };
  for (const auto& row : {
           row{"gemini-2.5-pro", surface::gemini_generate, protocol::wire::gemini, true},
           row{"models/gemini-2.5-pro", surface::gemini_generate, protocol::wire::gemini, true},
           row{"gemini-2.5-pro", surface::chat_completions, protocol::wire::gemini, false},
           row{"gemini-2.5-pro", surface::gemini_count_tokens, protocol::wire::gemini, true},
           row{"meta/llama-x-maas", surface::chat_completions, protocol::wire::openai_chat, true},
           row{"meta/llama-x-maas", surface::gemini_generate, protocol::wire::openai_chat, false},
           row{"meta/llama-x-maas", surface::gemini_count_tokens, protocol::wire::openai_chat,
               false},
           row{"meta/llama-x-maas", surface::messages, protocol::wire::openai_chat, false},
       }) {
    CAPTURE(row.model, to_string(row.from));
    CHECK(vertex.speaks(row.from, row.model).form == row.form);
    CHECK(provider::serves_natively(vertex, row.from, row.model) == row.natively);
  }
  CHECK_FALSE(vertex.speaks(surface::responses, "gemini-2.5-pro").call_ids);
}

TEST_CASE("Vertex: the family is Gemini, and open models by their publisher and mark") {
  const auto& vertex = provider::descriptor_of(kind::vertex);
  for (const char* name : {"gemini-2.5-pro", "Gemini-3-pro-preview", "meta/llama-x-maas"}) {
    CHECK(vertex.is_family(name));
  }
  for (const char* name : {"gpt-5.5", "team/gemini-2.5-pro", "llama-x-maas", "/x-maas",
                           "a/b/x-maas", "meta/llama-x", "claude-opus-4-6"}) {
    CHECK_FALSE(vertex.is_family(name));
  }
  CHECK(vertex.odd.unreachable(some_credential(kind::vertex)) == "*/*");
  CHECK(vertex.odd.unreachable(service_account()).empty());
}
