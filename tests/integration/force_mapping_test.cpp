/// Answers under the client's own name of a model.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

struct row {
  std::string name;
  std::string keys;  ///< the family's group
  std::string path;
  std::string stream_path;
  std::string body;  ///< with `${stream}`
};

std::string group(const std::string& family, const std::string& base, bool force) {
  return "  " + family + ":\n    - name: group\n      base-url: ${sim}" + base +
         "\n      models: [{name: real-model, alias: mine, force-mapping: " +
         (force ? "true" : "false") + "}]\n      keys: [{api-key: key-1}]\n";
}

std::vector<row> rows(bool force) {
  const std::string model = force ? "mine(high)" : "mine";
  const std::string chat =
      R"({"model":")" + model +
      R"(","max_tokens":5,"messages":[{"role":"user","content":"hi"}],"stream":${stream}})";
  const std::string google = R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})";
  return {{"responses", group("codex", "/backend-api/codex", force), "/v1/responses",
           "/v1/responses", R"({"model":")" + model + R"(","input":"hi","stream":${stream}})"},
          {"chat", group("openai-compatibility", "/v1", force), "/v1/chat/completions",
           "/v1/chat/completions", chat},
          {"messages", group("claude", "", force), "/v1/messages", "/v1/messages", chat},
          {"gemini", group("gemini", "", force), "/v1beta/models/" + model + ":generateContent",
           "/v1beta/models/" + model + ":streamGenerateContent?alt=sse", google}};
}

raw_response answer(const row& on, bool stream) {
  rig_options options;
  options.sim_script = "rules: [{replies: [{ok: {text: served}}]}]\n";
  options.keys = on.keys;
  rig gateway{options};
  auto body = on.body;
  if (const auto at = body.find("${stream}"); at != std::string::npos) {
    body.replace(at, 9, stream ? "true" : "false");
  }
  return gateway.post(stream ? on.stream_path : on.path, body);
}

}  // namespace

TEST_CASE("with force-mapping every answer names the model as the client did") {
  for (const auto& on : rows(true)) {
    for (const bool stream : {false, true}) {
      CAPTURE(on.name, stream);
      const auto got = answer(on, stream);
      CHECK(got.status == 200);
      CHECK_THAT(got.body, ContainsSubstring("mine(high)"));
      CHECK_THAT(got.body, !ContainsSubstring("real-model"));
      CHECK_THAT(got.body, ContainsSubstring("served"));
      if (!stream) CHECK(json::accept(got.body));
    }
  }
}

TEST_CASE("without force-mapping an answer that is passed on keeps the provider's name") {
  for (const auto& on : rows(false)) {
    for (const bool stream : {false, true}) {
      CAPTURE(on.name, stream);
      const auto got = answer(on, stream);
      CHECK_THAT(got.body, ContainsSubstring("real-model"));
    }
  }
}

TEST_CASE("a translated answer names the model as the client did, without any setting") {
  for (const auto& provider : rows(false)) {
    for (const auto& client : rows(false)) {
      if (client.name == provider.name) continue;
      for (const bool stream : {false, true}) {
        CAPTURE(client.name, provider.name, stream);
        auto on = client;
        on.keys = provider.keys;
        const auto got = answer(on, stream);
        CHECK(got.status == 200);
        CHECK_THAT(got.body, ContainsSubstring("\"mine\""));
        CHECK_THAT(got.body, !ContainsSubstring("real-model"));
      }
    }
  }
}

}  // namespace tidegate::test
