/// Codex keys at an endpoint of the Responses API that is not the ChatGPT backend.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

const surface_case& responses() {
  return surfaces().front();
}

/// One key `codex-1` with this reply, below `path`.
rig_options key_below(const std::string& path, const std::string& reply,
                      const std::string& mode = "retryable") {
  rig_options options;
  options.sim_script = "rules: [{replies: [" + reply + "]}]\n";
  options.mode = mode;
  options.keys = "  codex:\n    - name: own\n      base-url: ${sim}" + path +
                 "\n      models: [{name: gpt-x, alias: gpt-x}]\n"
                 "      keys: [{api-key: codex-1}]\n";
  return options;
}

std::string seen_body(rig& gateway) {
  const auto seen = gateway.upstream().requests();
  return seen && !seen->requests.empty() ? seen->requests.back().body : std::string{};
}

}  // namespace

TEST_CASE("a key's rate limit is waited for as long as its Retry-After says, without more calls") {
  auto options = key_below("/v1", "{error: {preset: rate-limit, resets-in: 2h}}");
  options.retry = "{request-retry: 3, max-retry-interval: 30}";
  rig gateway{options};
  const auto answer = gateway.post(responses().path, responses().body(false));
  CHECK(answer.status == 429);
  CHECK(answer.field("retry-after") == "7200");
  CHECK(gateway.calls("codex-1") == 1);
}

TEST_CASE("a key's used-up quota is told with its reset, final only in usage-limit mode") {
  const bool is_final = GENERATE(false, true);
  rig gateway{key_below("/v1", "{error: {preset: insufficient-quota, resets-in: 2h}}",
                        is_final ? "usage-limit" : "retryable")};
  for (int i = 0; i < 2; ++i) {
    const auto answer = gateway.post(responses().path, responses().body(true));
    CHECK(answer.status == 429);
    CHECK(answer.field("retry-after") == (is_final ? "" : "7200"));
    CHECK(answer.field("x-should-retry") == (is_final ? "false" : ""));
  }
  CHECK(gateway.calls("codex-1") == 1);
}

TEST_CASE("a Responses request reaches an ordinary endpoint as it was written") {
  rig gateway{key_below("/v1", "{ok: {text: as asked}}")};
  const std::string body =
      R"({"model":"gpt-x","input":"x","temperature":0.20,"store":true,"max_output_tokens":9})";
  const auto answer = gateway.post(responses().path, body);
  CHECK(answer.status == 200);
  CHECK(answer.field("content-type").starts_with("application/json"));
  CHECK_THAT(answer.body, ContainsSubstring("as asked"));
  CHECK(seen_body(gateway) == body);
}

TEST_CASE(
    "previous_response_id is refused by the ChatGPT backend's entry and passed on elsewhere") {
  const std::string body =
      R"({"model":"gpt-x","input":"x","previous_response_id":"resp_1","stream":false})";
  rig backend{key_below("/backend-api/codex", "{ok: {}}")};
  const auto refused = backend.post(responses().path, body);
  CHECK(refused.status == 400);
  const auto error = nlohmann::json::parse(refused.body)["error"];
  CHECK(error["type"] == "invalid_request_error");
  CHECK_THAT(error["message"].get<std::string>(), ContainsSubstring("previous_response_id"));
  CHECK(backend.calls("codex-1") == 0);
  rig endpoint{key_below("/v1", "{ok: {}}")};
  CHECK(endpoint.post(responses().path, body).status == 200);
  CHECK(seen_body(endpoint) == body);
}

TEST_CASE("what one credential cannot take goes to one of the same pool that can") {
  auto options = key_below("/backend-api/codex", "{ok: {text: with history}}");
  options.keys += "    - name: other\n      base-url: ${sim}/v1\n"
                  "      models: [{name: gpt-x, alias: gpt-x}]\n"
                  "      keys: [{api-key: codex-2}]\n";
  rig gateway{options};
  const std::string body = R"({"model":"gpt-x","input":"x","previous_response_id":"resp_1"})";
  for (int i = 0; i < 4; ++i) {
    const auto answer = gateway.post(responses().path, body);
    CHECK(answer.status == 200);
    CHECK_THAT(answer.body, ContainsSubstring("with history"));
  }
  CHECK(gateway.calls("codex-1") == 0);
  CHECK(gateway.calls("codex-2") == 4);
}

}  // namespace tidegate::test
