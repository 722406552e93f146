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

protocol::reply ask(const std::string& path, const char* header = "", const char* value = "",
                    std::vector<std::string> models = {"m-one", "m-two"}) {
  request in;
  in.method = "GET";
  in.path = path;
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
                                {"type", "model"},
                                {"display_name", "m-one"}});
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

TEST_CASE("one model is its entry of the list") {
  CHECK(json::parse(ask("/v1/models/m-two").body)["id"] == "m-two");
  CHECK(json::parse(ask("/v1/models/m-two", "Anthropic-Version", "1").body)["type"] == "model");
  CHECK(json::parse(ask("/v1beta/models/m-two").body)["name"] == "models/m-two");
  CHECK(json::parse(ask("/v1/models/a%2Fb", "", "", {"a/b"}).body)["id"] == "a/b");
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
