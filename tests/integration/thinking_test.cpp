/// Thinking suffixes and limits through the whole gateway: what the provider is asked, what the
/// client is told.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

rig_options known_models() {
  rig_options options;
  options.sim_script = "rules: [{replies: [{ok: {text: high tide, chunks: 2}}]}]\n";
  options.keys = keys_of("codex", "gpt-5.4", 2) + keys_of("claude", "claude-sonnet-4-5", 2) +
                 keys_of("openai-compatibility", "gpt-oss-120b", 2) +
                 keys_of("gemini", "gemini-2.5-pro", 2);
  return options;
}

/// The last body that reached the provider.
json asked(rig& gateway) {
  const auto seen = gateway.upstream().requests();
  REQUIRE(seen);
  REQUIRE_FALSE(seen->requests.empty());
  return json::parse(seen->requests.back().body);
}

std::uint64_t asked_times(rig& gateway) {
  const auto seen = gateway.upstream().requests();
  return seen ? seen->total : 0;
}

const std::string chat_path = "/v1/chat/completions";
const std::string responses_path = "/v1/responses";
const std::string messages_path = "/v1/messages";

std::string gemini(const std::string& model, bool stream = false) {
  return "/v1beta/models/" + model +
         (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

json body_for(const std::string& path, const std::string& model, json more = json::object()) {
  json body;
  if (path == responses_path) {
    body = {{"input", "hi"}};
  } else if (path == chat_path || path == messages_path) {
    body = {{"max_tokens", 60'000}, {"messages", {{{"role", "user"}, {"content", "hi"}}}}};
  } else {
    body = {{"contents", {{{"role", "user"}, {"parts", {{{"text", "hi"}}}}}}}};
  }
  if (!path.starts_with("/v1beta")) body["model"] = model;
  body.update(more);
  return body;
}

struct suffix_case {
  std::string path;
  std::string model;
  std::string place;  ///< JSON pointer into the provider's body
  json expect;
};

const std::vector<suffix_case> passed_on{
    {responses_path, "gpt-5.4(high)", "/reasoning/effort", "high"},
    {chat_path, "gpt-oss-120b(8192)", "/reasoning_effort", "medium"},
    {messages_path, "claude-sonnet-4-5(200000)", "/thinking/budget_tokens", 59'999},
    {messages_path, "claude-sonnet-4-5(none)", "/thinking/type", "disabled"},
    {gemini("gemini-2.5-pro(64000)"), "gemini-2.5-pro(64000)",
     "/generationConfig/thinkingConfig/thinkingBudget", 32'768},
};

const std::vector<suffix_case> translated{
    {chat_path, "claude-sonnet-4-5(8192)", "/thinking/budget_tokens", 8192},
    {messages_path, "gpt-5.4(high)", "/reasoning/effort", "high"},
    {messages_path, "gpt-oss-120b(max)", "/reasoning_effort", "high"},
    {responses_path, "gemini-2.5-pro(none)", "/generationConfig/thinkingConfig/thinkingBudget", 128},
    {chat_path, "gpt-5.4", "/reasoning/effort", "medium"},
    {gemini("gpt-5.4(1024)"), "gpt-5.4(1024)", "/reasoning/effort", "low"},
};

void check_suffixes(const std::vector<suffix_case>& cases) {
  rig gateway{known_models()};
  for (const auto& one : cases) {
    CAPTURE(one.path, one.model);
    const auto answer = gateway.post(one.path, body_for(one.path, one.model).dump());
    CHECK(answer.status == 200);
    const auto body = asked(gateway);
    CHECK(body.value(json::json_pointer{one.place}, json{}) == one.expect);
    if (body.contains("model")) CHECK(one.model.starts_with(body["model"].get<std::string>()));
    CHECK(body.value("model", "").find('(') == std::string::npos);
    const auto told = json::parse(answer.body, nullptr, false);
    REQUIRE(told.is_object());
    CHECK(told.value(told.contains("modelVersion") ? "modelVersion" : "model", "") == one.model);
  }
}

}  // namespace

TEST_CASE("a suffix sets the thinking of a call that is passed on") { check_suffixes(passed_on); }

TEST_CASE("a suffix sets the thinking of a call that is translated") { check_suffixes(translated); }

TEST_CASE("a stream shows the model as it was asked for, with its suffix") {
  rig gateway{known_models()};
  for (const auto& one : passed_on) {
    CAPTURE(one.path, one.model);
    const bool google = one.path.starts_with("/v1beta");
    auto body = body_for(one.path, one.model);
    if (!google) body["stream"] = true;
    const auto answer = gateway.post(google ? gemini(one.model, true) : one.path, body.dump());
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK_THAT(answer.body, ContainsSubstring("\"" + one.model + "\""));
  }
}

TEST_CASE("what a known model does not take is refused in the client's own shape") {
  rig gateway{known_models()};
  const auto refused = [&](const std::string& path, const std::string& model, const json& more) {
    const auto answer = gateway.post(path, body_for(path, model, more).dump());
    CHECK(answer.status == 400);
    return json::parse(answer.body, nullptr, false);
  };
  const auto level = refused(responses_path, "gpt-5.4", {{"reasoning", {{"effort", "max"}}}});
  CHECK(level["error"]["code"] == "LEVEL_NOT_SUPPORTED");
  CHECK(level["error"]["type"] == "invalid_request_error");
  CHECK(level["error"]["message"] ==
        "model gpt-5.4 does not take the level \"max\"; it takes: none, low, medium, high, xhigh");
  const auto family = refused(chat_path, "gpt-5.4(max)", json::object());
  CHECK(family["error"]["code"] == "LEVEL_NOT_SUPPORTED");
  const auto word = refused(chat_path, "gpt-oss-120b", {{"reasoning_effort", "turbo"}});
  CHECK(word["error"]["code"] == "UNKNOWN_LEVEL");
  const auto budget = refused(messages_path, "claude-sonnet-4-5",
                              {{"thinking", {{"type", "enabled"}, {"budget_tokens", 200'000}}}});
  CHECK(budget["type"] == "error");
  CHECK(budget["error"]["type"] == "invalid_request_error");
  CHECK(budget["error"]["message"] ==
        "BUDGET_OUT_OF_RANGE: model claude-sonnet-4-5 does not take a budget of 200000 tokens; "
        "it takes: 1024 to 128000 tokens, 0 for off");
  const auto number = refused(gemini("gemini-2.5-pro(99999999999999999999)"), "", json::object());
  CHECK(number["error"]["status"] == "INVALID_ARGUMENT");
  CHECK(number["error"]["message"].get<std::string>().starts_with("INVALID_SUFFIX: "));
  CHECK(asked_times(gateway) == 0);
}

TEST_CASE("a suffix that speaks of something else is taken off and otherwise passed over") {
  rig gateway{known_models()};
  const auto body =
      body_for(responses_path, "gpt-5.4(beta)", {{"reasoning", {{"effort", "low"}}}});
  CHECK(gateway.post(responses_path, body.dump()).status == 200);
  CHECK(asked(gateway)["model"] == "gpt-5.4");
  CHECK(asked(gateway)["reasoning"] == json{{"effort", "low"}});
}

TEST_CASE("a suffix of a configured name holds for every call of its alias") {
  auto options = known_models();
  options.keys =
      "  codex:\n    - name: quick-group\n      base-url: ${sim}/backend-api/codex\n"
      "      models: [{name: gpt-5.4(low), alias: quick}]\n      keys: [{api-key: codex-1}]\n";
  rig gateway{options};
  for (const std::string model : {"quick", "quick(high)"}) {
    CAPTURE(model);
    CHECK(gateway.post(responses_path, body_for(responses_path, model).dump()).status == 200);
    CHECK(asked(gateway)["model"] == "gpt-5.4");
    CHECK(asked(gateway)["reasoning"]["effort"] == "low");
  }
}

TEST_CASE("an unknown model gets what the client wrote") {
  auto options = known_models();
  options.keys = keys_of("codex", "gpt-x", 1);
  rig gateway{options};
  const auto body = body_for(responses_path, "gpt-x", {{"reasoning", {{"effort", "turbo"}}}});
  CHECK(gateway.post(responses_path, body.dump()).status == 200);
  CHECK(asked(gateway)["reasoning"] == json{{"effort", "turbo"}});
}

}  // namespace tidegate::test
