#include "http/model_list.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

using json = nlohmann::json;

std::shared_ptr<const provider::catalog> catalog_of(std::vector<std::string> models) {
  auto one = std::make_shared<provider::credential>();
  one->id = {"a"};
  one->provider = provider::kind::openai_compatibility;
  one->provider_name = "acme";
  for (auto& name : models) one->models.push_back({name, name, false});
  return std::make_shared<const provider::catalog>(
      std::vector<provider::credential_ptr>{std::move(one)}, quota::routing_options{});
}

protocol::reply ask(const std::string& target, const char* header = "", const char* value = "",
                    std::vector<std::string> models = {"m-one", "m-two"}) {
  request in;
  in.method = "GET";
  in.path = target.substr(0, target.find('?'));
  if (target.contains('?')) in.query = target.substr(target.find('?') + 1);
  if (header[0] != '\0') in.headers.insert(header, value);
  return list_models(catalog_of(std::move(models)), in, match_route("GET", in.path));
}

}  // namespace

TEST_CASE("the plain list has id, object and owner only (http 2.8)") {
  const auto reply = ask("/v1/models", "User-Agent", "curl/8");
  CHECK(reply.status == 200);
  CHECK(reply.headers == std::vector<protocol::header>{{"Content-Type", "application/json"}});
  CHECK(json::parse(reply.body) ==
        json{{"object", "list"},
             {"data",
              {{{"id", "m-one"}, {"object", "model"}, {"owned_by", "acme"}},
               {{"id", "m-two"}, {"object", "model"}, {"owned_by", "acme"}}}}});
}

TEST_CASE("Anthropic clients get their own list (http 2.8)") {
  const auto [header, value] = GENERATE(table<const char*, const char*>(
      {{"Anthropic-Version", "2023-06-01"}, {"User-Agent", "claude-cli/2.0 (external, cli)"}}));
  const auto body = json::parse(ask("/v1/models", header, value).body);
  CHECK(body["has_more"] == false);
  CHECK(body["first_id"] == "m-one");
  CHECK(body["last_id"] == "m-two");
  CHECK_FALSE(body.contains("object"));
  REQUIRE(body["data"].size() == 2);
  CHECK(body["data"][0] == json{{"id", "m-one"},
                                {"object", "model"},
                                {"owned_by", "acme"},
                                {"created_at", "1970-01-01T00:00:00Z"},
                                {"type", "model"},
                                {"display_name", "m-one"},
                                {"max_input_tokens", 200'000},
                                {"max_tokens", 64'000}});
}

TEST_CASE("Anthropic's list is sorted by the names for people, with the limits that are known") {
  const auto body = json::parse(
      ask("/v1/models", "Anthropic-Version", "1", {"zeta", "claude-opus-4-6", "alpha"}).body);
  REQUIRE(body["data"].size() == 3);
  CHECK(body["first_id"] == "claude-opus-4-6");
  CHECK(body["data"][0]["display_name"] == "Claude Opus 4.6");
  CHECK(body["data"][0]["max_tokens"] == 128'000);
  CHECK(body["data"][1]["id"] == "alpha");
  CHECK(body["last_id"] == "zeta");
}

TEST_CASE("Grok's shell gets its own list, before any other reason (http 2.8)") {
  const auto body = json::parse(
      ask("/v1/models?client_version=1", "User-Agent", "grok-shell/1.0", {"claude-opus-4-6", "m"})
          .body);
  CHECK(body["object"] == "list");
  CHECK(
      body["data"][0] ==
      json{{"id", "claude-opus-4-6"},
           {"model", "claude-opus-4-6"},
           {"name", "Claude Opus 4.6"},
           {"context_window", 1'000'000},
           {"api_backend", "responses"},
           {"supported_in_api", true},
           {"reasoning_efforts",
            {{{"value", "low"}}, {{"value", "medium"}}, {{"value", "high"}}, {{"value", "max"}}}}});
  CHECK(body["data"][1] == json{{"id", "m"},
                                {"model", "m"},
                                {"name", "m"},
                                {"api_backend", "responses"},
                                {"supported_in_api", true}});
}

TEST_CASE("a client version asks for the Codex catalogue, whatever its value") {
  for (const auto* const query :
       {"client_version=0.98.0", "client_version", "a=b&client_version="}) {
    const auto body =
        json::parse(ask(std::string{"/v1/models?"} + query, "Anthropic-Version", "1").body);
    CHECK(body["models"].size() == 2);
  }
  CHECK(json::parse(ask("/v1/models?client_versions=1&x=client_version").body).contains("data"));
}

TEST_CASE("an empty list keeps its shape") {
  CHECK(json::parse(ask("/v1/models", "", "", {}).body)["data"] == json::array());
  const auto body = json::parse(ask("/v1/models", "Anthropic-Version", "1", {}).body);
  CHECK(body["data"] == json::array());
  CHECK(body["first_id"].is_null());
  CHECK(body["last_id"].is_null());
  CHECK(json::parse(ask("/v1beta/models", "", "", {}).body)["models"] == json::array());
}

TEST_CASE("without a catalog nothing is listed and nothing is found") {
  request in;
  in.path = "/v1/models";
  CHECK(json::parse(list_models(nullptr, in, match_route("GET", in.path)).body)["data"].empty());
  in.path = "/v1/models/m";
  CHECK(list_models(nullptr, in, match_route("GET", in.path)).status == 404);
}

TEST_CASE("the Gemini list prefixes names and states the methods (http 2.7)") {
  const auto body = json::parse(ask("/v1beta/models", "Anthropic-Version", "1").body);
  REQUIRE(body["models"].size() == 2);
  CHECK(body["models"][0] == json{{"name", "models/m-one"},
                                  {"displayName", "m-one"},
                                  {"description", "m-one"},
                                  {"supportedGenerationMethods",
                                   {"generateContent", "streamGenerateContent", "countTokens"}}});
}

TEST_CASE("the Gemini list has the limits and modalities that are known") {
  const auto body =
      json::parse(ask("/v1beta/models/gemini-2.5-pro", "", "", {"gemini-2.5-pro"}).body);
  CHECK(body["displayName"] == "Gemini 2.5 Pro");
  CHECK(body["inputTokenLimit"] == 1'048'576);
  CHECK(body["outputTokenLimit"] == 65'536);
  CHECK(body["supportedInputModalities"] == json{"text", "image", "audio", "video"});
  CHECK(body["supportedOutputModalities"] == json::array({"text"}));
}

TEST_CASE("one model is its entry of the list") {
  CHECK(json::parse(ask("/v1/models/m-two").body)["id"] == "m-two");
  CHECK(json::parse(ask("/v1/models/m-two", "Anthropic-Version", "1").body)["type"] == "model");
  CHECK(json::parse(ask("/v1beta/models/m-two").body)["name"] == "models/m-two");
  CHECK(json::parse(ask("/v1/models/a%2Fb", "", "", {"a/b"}).body)["id"] == "a/b");
}

TEST_CASE("Google's libraries get Google's shapes at OpenAI's path, too") {
  for (const auto* header : {"X-Goog-Api-Client", "X-Goog-Api-Key"}) {
    CHECK(ask("/v1/models", header, "genai-js/3").body == ask("/v1beta/models").body);
    CHECK(ask("/v1/models/m-one", header, "k").body == ask("/v1beta/models/m-one").body);
    CHECK(json::parse(ask("/v1/models/nope", header, "k").body)["error"]["status"] == "NOT_FOUND");
  }
}

TEST_CASE("an unknown model is told to Anthropic's clients in their own shape") {
  const auto reply = ask("/v1/models/nope", "Anthropic-Version", "2023-06-01");
  CHECK(reply.status == 404);
  const auto body = json::parse(reply.body);
  CHECK(body["type"] == "error");
  CHECK(body["error"]["type"] == "not_found_error");
}

TEST_CASE("an unknown model is 404 in the shape of its path") {
  const auto openai = ask("/v1/models/nobody");
  CHECK(openai.status == 404);
  CHECK(json::parse(openai.body)["error"]["code"] == "model_not_found");
  const auto gemini = ask("/v1beta/models/nobody");
  CHECK(gemini.status == 404);
  CHECK(json::parse(gemini.body)["error"]["status"] == "NOT_FOUND");
  CHECK(json::accept(ask("/v1/models/%ff%00").body));
}

}  // namespace tidegate::http
