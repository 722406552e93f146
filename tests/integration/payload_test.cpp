/// Payload rules through the whole gateway: what reaches the provider.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

rig_options with_rules(const std::string& rules) {
  rig_options options;
  options.sim_script = "rules: [{replies: [{ok: {text: served}}]}]\n";
  options.extra = "requests:\n  payload:\n" + rules;
  return options;
}

std::string sent(rig& gateway) {
  const auto seen = gateway.upstream().requests();
  return seen && !seen->requests.empty() ? seen->requests.back().body : std::string{};
}

}  // namespace

TEST_CASE("payload rules change the body of a call that is passed on, and nothing else in it") {
  rig gateway{with_rules(
      "    default: [{models: [{name: chat-*, protocol: openai}], params: {max_tokens: 7, "
      "metadata.tier: a}}]\n"
      "    override: [{models: [{name: chat-x}], params: {/temperature: 0.5}}]\n"
      "    filter: [{models: [{name: chat-x}], params: [user, 'tools.#(type==\"web\")#']}]\n")};
  const auto answer = gateway.post(
      "/v1/chat/completions",
      R"({ "model":"chat-x", "messages":[{"role":"user", "content":"hi"}],"temperature":1.0,)"
      R"("user":"u","tools":[{"type":"web"},{"type":"function","function":{"name":"f"}}], "x" : 1e2})");
  CHECK(answer.status == 200);
  CHECK(sent(gateway) ==
        R"({ "model":"chat-x", "messages":[{"role":"user", "content":"hi"}],"temperature":0.5,)"
        R"("tools":[{"type":"function","function":{"name":"f"}}], "x" : 1e2,)"
        R"("max_tokens":7,"metadata":{"tier":"a"}})");
}

TEST_CASE("payload rules act on a translated call in the provider's words") {
  rig gateway{with_rules(
      "    default: [{models: [{name: claude-x, protocol: claude, from-protocol: openai}], "
      "params: {thinking: {type: disabled}}}]\n"
      "    override: [{models: [{name: claude-x}], params: {max_tokens: 99}}]\n"
      "    filter: [{models: [{name: claude-x}], params: [temperature]}]\n")};
  const auto answer = gateway.post("/v1/chat/completions",
                                   R"({"model":"claude-x","temperature":0.25,"max_tokens":5,)"
                                   R"("messages":[{"role":"user","content":"hi"}]})");
  CHECK(answer.status == 200);
  const auto body = json::parse(sent(gateway));
  CHECK(body["max_tokens"] == 99);
  CHECK(body["thinking"] == json{{"type", "disabled"}});
  CHECK_FALSE(body.contains("temperature"));
}

TEST_CASE("payload rules leave other models and token counts alone") {
  rig gateway{
      with_rules("    override: [{models: [{name: claude-*}], params: {max_tokens: 99}}]\n")};
  CHECK(gateway.post(surfaces()[1].path, surfaces()[1].body(false)).status == 200);
  CHECK(sent(gateway) == surfaces()[1].body(false));
  const std::string count = R"({"model":"claude-x","messages":[{"role":"user","content":"hi"}]})";
  CHECK(gateway.post("/v1/messages/count_tokens", count).status == 200);
  CHECK(sent(gateway) == count);
}

TEST_CASE("a rule can depend on the client's headers") {
  rig gateway{with_rules(
      "    override: [{models: [{name: '*', headers: {X-Tier: gold-*}}], params: {service_tier: "
      "priority}}]\n")};
  const auto& on = surfaces()[1];
  (void)gateway.post(on.path, on.body(false), "x-tier: silver\r\n");
  CHECK_FALSE(json::parse(sent(gateway)).contains("service_tier"));
  (void)gateway.post(on.path, on.body(false), "x-tier: gold-1\r\n");
  CHECK(json::parse(sent(gateway))["service_tier"] == "priority");
}

}  // namespace tidegate::test
