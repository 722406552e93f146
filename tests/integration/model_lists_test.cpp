/// Model lists of the running gateway, one shape after the other.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

rig_options two_models() {
  rig_options options;
  options.sim_script = "rules: [{replies: [{ok: {text: served}}]}]\n";
  options.keys =
      "  claude:\n    - name: group\n      base-url: ${sim}\n      prefix: team\n"
      "      models: [{name: claude-opus-4-6, alias: opus, display-name: Our Opus}]\n"
      "      keys: [{api-key: claude-1}]\n"
      "    - name: off\n      base-url: ${sim}\n      disabled: true\n"
      "      models: [{name: hidden, alias: hidden}]\n      keys: [{api-key: claude-2}]\n";
  return options;
}

}  // namespace

TEST_CASE("every client gets its own list, with aliases and prefixes, of enabled credentials") {
  rig gateway{two_models()};
  const auto plain = json::parse(gateway.get("/v1/models").body);
  REQUIRE(plain["data"].size() == 2);
  CHECK(plain["data"][0] == json{{"id", "opus"}, {"object", "model"}, {"owned_by", "claude"}});
  CHECK(plain["data"][1]["id"] == "team/opus");

  const auto anthropic =
      json::parse(gateway.get("/v1/models", "Anthropic-Version: 2023-06-01\r\n").body);
  CHECK(anthropic["data"][0]["display_name"] == "Our Opus");
  CHECK(anthropic["data"][0]["max_input_tokens"] == 1'000'000);

  const auto codex = json::parse(gateway.get("/v1/models?client_version=0.120.0").body);
  REQUIRE(codex["models"].size() == 2);
  CHECK(codex["models"][0]["slug"] == "opus");

  const auto grok = json::parse(gateway.get("/v1/models", "User-Agent: grok-shell/1\r\n").body);
  CHECK(grok["data"][0]["api_backend"] == "responses");

  const auto gemini = json::parse(gateway.get("/v1beta/models").body);
  CHECK(gemini["models"][1]["name"] == "models/team/opus");
  CHECK(json::parse(gateway.get("/v1beta/models/opus").body)["displayName"] == "Our Opus");
  CHECK(gateway.get("/v1beta/models/hidden").status == 404);
}

TEST_CASE("auto calls the newest listed model") {
  rig gateway{two_models()};
  const auto answer = gateway.post(
      "/v1/messages",
      R"({"model":"auto","max_tokens":5,"messages":[{"role":"user","content":"hi"}]})");
  CHECK(answer.status == 200);
  const auto seen = gateway.upstream().requests();
  REQUIRE(seen);
  CHECK_THAT(seen->requests.back().body, ContainsSubstring("\"claude-opus-4-6\""));
}

}  // namespace tidegate::test
