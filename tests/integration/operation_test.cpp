#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

const surface_case& responses_case() {
  return surfaces().front();
}

rig_options used_up_codex() {
  rig_options options;
  options.sim_script =
      "rules:\n  - key: codex-*\n    replies:\n"
      "      - error: {preset: usage-limit, resets-in: 2h}\n"
      "  - key: \"*\"\n    replies: [{ok: {}}]\n";
  return options;
}

rig_options always_answers() {
  rig_options options;
  options.sim_script = "rules: [{replies: [{ok: {}}]}]\n";
  return options;
}

}  // namespace

TEST_CASE(
    "bad input is answered in the surface's own shape, cools nothing and keeps the connection") {
  rig gateway{always_answers()};
  for (const auto& on : surfaces()) {
    CAPTURE(on.name);
    struct row {
      std::string body;
      int status;
      std::string says;
    };
    const std::vector<row> rows{{"{not json", 400, ""},
                                {"[]", 400, ""},
                                {R"({"input":"x"})", 400, "model"},
                                {R"({"model":7})", 400, ""},
                                {R"({"model":"nobody-knows"})", 400, "unknown provider for model"}};
    for (const auto& row : rows) {
      CAPTURE(row.body);
      const auto answer = gateway.post(on.path, row.body);
      CHECK(answer.status == row.status);
      const auto body = json::parse(answer.body);
      CHECK(body.contains("error"));
      if (on.name == "messages") CHECK(body["type"] == "error");
      CHECK_THAT(answer.body, ContainsSubstring(row.says));
    }
    const auto missing = gateway.post(on.path, on.body(false), "Authorization:\r\n");
    CHECK(missing.status == 401);
    const auto wrong = gateway.post(on.path, on.body(false), "Authorization: Bearer wrong\r\n");
    CHECK(wrong.status == 401);
    CHECK_THAT(wrong.body, ContainsSubstring("Invalid API key"));
    CHECK(gateway.post(on.path, on.body(false)).status == 200);
  }
}

TEST_CASE(
    "a surface that a model's provider lacks is refused with a sentence that says who serves it") {
  rig gateway{always_answers()};
  const auto answer = gateway.post("/v1/responses/compact", R"({"model":"claude-x","input":"x"})");
  CHECK(answer.status == 501);
  CHECK_THAT(answer.body, ContainsSubstring("claude"));
}

TEST_CASE("a WebSocket upgrade is answered 426") {
  rig gateway{always_answers()};
  const auto answer =
      gateway.get("/v1/responses",
                  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
  CHECK(answer.status == 426);
}

TEST_CASE("models, health, readiness and the banner answer") {
  rig gateway{always_answers()};
  CHECK(gateway.get("/healthz").status == 200);
  CHECK(gateway.get("/readyz").status == 200);
  CHECK(gateway.get("/").status == 200);
  const auto models = json::parse(gateway.get("/v1/models").body);
  std::vector<std::string> ids;
  for (const auto& one : models["data"]) ids.push_back(one["id"]);
  CHECK(ids == std::vector<std::string>{"chat-x", "claude-x", "gemini-x", "gpt-x"});
}

TEST_CASE("evidence survives a restart and still makes the answer final [T80]") {
  rig gateway{used_up_codex()};
  CHECK(gateway.post(responses_case().path, responses_case().body(false)).status == 429);
  gateway.restart();
  const auto again = gateway.post(responses_case().path, responses_case().body(false));
  CHECK(again.status == 429);
  CHECK(again.field("x-should-retry") == "false");
  CHECK(gateway.calls("codex-1") == 1);
  CHECK(gateway.calls("codex-2") == 1);
}

TEST_CASE("explain names every credential, its block, evidence and the verdict") {
  rig gateway{used_up_codex()};
  (void)gateway.post(responses_case().path, responses_case().body(false));
  const auto answer = gateway.get("/v0/management/explain?model=gpt-x", operator_key);
  REQUIRE(answer.status == 200);
  CHECK_THAT(answer.body, ContainsSubstring("usage_limit"));
  CHECK_THAT(answer.body, !ContainsSubstring("codex-1\""));  // the key itself stays secret
}

TEST_CASE("an operator's reset reopens one credential at once [T49]") {
  rig_options options = used_up_codex();
  options.keys = keys_of("codex", "gpt-x", 1);
  options.sim_script =
      "rules:\n  - key: codex-1\n    replies:\n"
      "      - error: {preset: usage-limit, resets-in: 2h}\n      - ok: {text: back}\n";
  rig gateway{options};
  (void)gateway.post(responses_case().path, responses_case().body(false));
  const auto listed = json::parse(gateway.get("/v0/management/auth-files", operator_key).body);
  const auto index = listed["files"][0]["auth_index"].get<std::string>();
  const auto reset =
      gateway.post("/v0/management/reset-quota", json{{"auth_index", index}}.dump(), operator_key);
  CHECK(reset.status == 200);
  CHECK_THAT(gateway.post(responses_case().path, responses_case().body(false)).body,
             ContainsSubstring("back"));
}

TEST_CASE("a saved configuration is in force without a restart, however the editor saves") {
  rig gateway{used_up_codex()};
  (void)gateway.post(responses_case().path, responses_case().body(false));
  const auto is_final = [&] {
    return gateway.post(responses_case().path, responses_case().body(false)).fields.count("x-should-retry") ==
           1;
  };
  REQUIRE(is_final());
  SECTION("rename over the old file") {
    gateway.directory().put("config.new", gateway.config_text("retryable", ""));
    std::rename((gateway.directory() / "config.new").c_str(),
                (gateway.directory() / "config.yaml").c_str());
    CHECK(eventually([&] { return !is_final(); }));
    gateway.directory().put("config.new", gateway.config_text("usage-limit", ""));
    std::rename((gateway.directory() / "config.new").c_str(),
                (gateway.directory() / "config.yaml").c_str());
    CHECK(eventually(is_final));
  }
  SECTION("in place") {
    gateway.write_config("retryable");
    CHECK(eventually([&] { return !is_final(); }));
  }
  SECTION("a bad file changes nothing and readiness says why [T8]") {
    gateway.directory().put("config.yaml", gateway.config_text("never-heard-of", ""));
    CHECK(eventually([&] {
      return gateway.get("/readyz").body.find("quota-response-mode") != std::string::npos;
    }));
    CHECK(is_final());
  }
}

TEST_CASE("200 parallel calls against two credentials: none after the evidence, all answered") {
  rig gateway{used_up_codex()};
  std::vector<std::thread> clients;
  std::atomic<int> refused{0};
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back([&] {
      const auto answer = gateway.post(responses_case().path, responses_case().body(false));
      if (answer.status == 429 && answer.complete) ++refused;
    });
  }
  for (auto& client : clients) client.join();
  CHECK(refused == 200);
  const auto before = gateway.calls("codex-1") + gateway.calls("codex-2");
  for (int i = 0; i < 20; ++i) {
    CHECK(gateway.post(responses_case().path, responses_case().body(false)).field("x-should-retry") ==
          "false");
  }
  CHECK(gateway.calls("codex-1") + gateway.calls("codex-2") == before);
}

TEST_CASE("a drain lets running requests finish and takes no new ones") {
  rig_options options;
  options.keys = keys_of("codex", "gpt-x", 1);
  options.sim_script = "rules: [{replies: [{ok: {chunks: 3, gap-ms: 50}}]}]\n";
  rig gateway{options};
  std::atomic<bool> whole{false};
  std::jthread running{[&] {
    const auto answer = gateway.post(responses_case().path, responses_case().body(true));
    whole = answer.complete && answer.body.find("response.completed") != std::string::npos;
  }};
  REQUIRE(eventually([&] { return gateway.calls("codex-1") == 1; }));
  CHECK(gateway.gateway().drain_and_stop());
  running.join();
  CHECK(whole);
}

}  // namespace tidegate::test
