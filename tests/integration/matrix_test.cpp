#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

/// Claude deadlines carry 1..30 s of jitter; everybody else's are exact.
std::int64_t jitter_max(const surface_case& on) { return on.name == "messages" ? 30 : 0; }

rig_options exhausted(const surface_case& on, const std::string& mode) {
  rig_options options;
  options.mode = mode;
  options.sim_script =
      "rules:\n  - key: " + on.key + "-*\n    replies:\n      - error: " + on.limit + "\n";
  return options;
}

void check_reset(const surface_case& on, std::int64_t resets_at) {
  const auto exact = to_unix_ceil(t0 + std::chrono::hours{2});
  CHECK(resets_at >= exact);
  CHECK(resets_at <= exact + jitter_max(on));
}

void check_usage_limit(const surface_case& on, const raw_response& answer) {
  CHECK(answer.status == 429);
  CHECK(answer.field("x-should-retry") == "false");
  CHECK(answer.fields.count("retry-after") == 0);
  CHECK(answer.field("content-type") == "application/json");
  const auto body = json::parse(answer.body);
  CHECK(body["error"]["retryable"] == false);
  REQUIRE(body["error"]["resets_at"].is_number_integer());
  check_reset(on, body["error"]["resets_at"].get<std::int64_t>());
  const auto message = body["error"]["message"].get<std::string>();
  CHECK_THAT(message, ContainsSubstring("All credentials for model " + on.model));
  if (on.name == "messages") {
    CHECK(body["type"] == "error");
    CHECK(body["error"]["type"] == "rate_limit_error");
    CHECK_THAT(message, ContainsSubstring(" (reset after 2h0m"));
    CHECK(message.back() == ')');
    CHECK(answer.field("anthropic-ratelimit-unified-status") == "rejected");
  } else {
    CHECK(body["error"]["code"] == "model_cooldown");
    CHECK(body["error"]["type"] == "usage_limit_reached");
    CHECK(body["error"]["reset_seconds"] == 7200);
    CHECK(body["error"]["reset_time"] == "2h0m0s");
  }
  const bool window_known = on.name != "chat";
  CHECK((answer.field("x-codex-primary-used-percent") == "100") == window_known);
  CHECK((answer.field("x-codex-primary-window-minutes") == "300") == window_known);
  CHECK(answer.fields.count("x-codex-secondary-used-percent") == 0);
}

void check_retryable(const surface_case& on, const raw_response& answer, bool cooling) {
  CHECK(answer.status == 429);
  CHECK(answer.fields.count("x-should-retry") == 0);
  CHECK(answer.fields.count("x-codex-primary-used-percent") == 0);
  const auto wait = answer.field("retry-after");
  REQUIRE_FALSE(wait.empty());
  CHECK(std::stoll(wait) >= 7200);
  CHECK(std::stoll(wait) <= 7200 + jitter_max(on));
  const auto body = json::parse(answer.body);
  CHECK_FALSE(body["error"].contains("retryable"));
  if (on.name == "messages") CHECK(body["error"]["type"] == "rate_limit_error");
  if (cooling && on.name != "messages") {
    CHECK(body["error"]["code"] == "model_cooldown");
    CHECK_FALSE(body["error"].contains("resets_at"));
    CHECK_FALSE(body["error"].contains("type"));
  }
}

}  // namespace

TEST_CASE("usage-limit mode: a used-up pool is a final answer on every surface [T10-T33]") {
  for (const auto& on : surfaces()) {
    for (const bool stream : {false, true}) {
      CAPTURE(on.name, stream);
      rig gateway{exhausted(on, "usage-limit")};
      check_usage_limit(on, gateway.post(on.path, on.body(stream)));  // path b: attempts fail now
      CHECK(gateway.calls(on.key + "-1") == 1);
      CHECK(gateway.calls(on.key + "-2") == 1);
      check_usage_limit(on, gateway.post(on.path, on.body(stream)));  // path a: already cooling
      CHECK(gateway.calls(on.key + "-1") == 1);
      CHECK(gateway.calls(on.key + "-2") == 1);
    }
  }
}

TEST_CASE("retryable mode: the same pool answers with a wait on every surface [T10-T33]") {
  for (const auto& on : surfaces()) {
    for (const bool stream : {false, true}) {
      CAPTURE(on.name, stream);
      rig gateway{exhausted(on, "retryable")};
      check_retryable(on, gateway.post(on.path, on.body(stream)), false);
      check_retryable(on, gateway.post(on.path, on.body(stream)), true);
      CHECK(gateway.calls(on.key + "-1") == 1);
    }
  }
}

TEST_CASE("a second healthy credential serves in both modes on every surface") {
  for (const auto& on : surfaces()) {
    for (const std::string mode : {"usage-limit", "retryable"}) {
      for (const bool stream : {false, true}) {
        CAPTURE(on.name, mode, stream);
        rig_options options;
        options.mode = mode;
        options.sim_script = "rules:\n  - key: " + on.key +
                             "-1\n    replies:\n      - error: " + on.limit + "\n  - key: " +
                             on.key + "-*\n    replies:\n      - ok: {text: served}\n";
        rig gateway{options};
        const auto answer = gateway.post(on.path, on.body(stream));
        CHECK(answer.status == 200);
        CHECK_THAT(answer.body, ContainsSubstring("served"));
        CHECK(answer.complete);
      }
    }
  }
}

TEST_CASE("what keeps an answer retryable does so on every surface [T34-T38]") {
  struct row {
    std::string name;
    std::string first;
    std::string second;
  };
  for (const auto& on : surfaces()) {
    const std::string soon =
        on.name == "responses" ? "{preset: usage-limit, resets-in: 4m, window-minutes: 300}"
        : on.name == "chat"    ? "{preset: insufficient-quota, resets-in: 4m}"
                               : "{preset: claude-unified, resets-in: 4m, window-minutes: 300}";
    const std::string timeless =
        on.name == "responses" ? "{preset: usage-limit, reset-fields: none}"
                               : R"({status: 429, type: insufficient_quota, message: "used up"})";
    const std::vector<row> rows{
        {"a credential with a server fault beside it [T34]", on.limit, "{status: 503}"},
        {"a long generic 429 [T35]", "{status: 429, retry-after: \"7200\"}",
         "{status: 429, retry-after: \"7200\"}"},
        {"a reset within five minutes [T36]", on.limit, soon},
        {"exhaustion without a reset [T37]", timeless, timeless}};
    for (const auto& row : rows) {
      CAPTURE(on.name, row.name);
      rig_options options;
      options.sim_script = "rules:\n  - key: " + on.key + "-1\n    replies: [{error: " + row.first +
                           "}]\n  - key: " + on.key + "-*\n    replies: [{error: " + row.second +
                           "}]\n";
      rig gateway{options};
      for (int i = 0; i < 2; ++i) {
        const auto answer = gateway.post(on.path, on.body(false));
        CHECK(answer.fields.count("x-should-retry") == 0);
        CHECK(json::parse(answer.body)["error"].value("type", "") != "usage_limit_reached");
        if (answer.status == 429) CHECK_FALSE(answer.field("retry-after").empty());
      }
    }
  }
}

TEST_CASE("the threshold is strictly more than five minutes [T39-T41]") {
  const auto& on = surfaces().front();
  rig gateway{exhausted(on, "usage-limit")};
  (void)gateway.post(on.path, on.body(false));
  gateway.clock().advance(std::chrono::hours{2} - std::chrono::minutes{5} - std::chrono::seconds{1});
  CHECK(gateway.post(on.path, on.body(false)).field("x-should-retry") == "false");
  gateway.clock().advance(std::chrono::seconds{1});
  const auto at_five = gateway.post(on.path, on.body(false));
  CHECK(at_five.status == 429);
  CHECK(at_five.fields.count("x-should-retry") == 0);
  CHECK(at_five.field("retry-after") == "300");
}

TEST_CASE("a used-up alias behind a prefix is final under the name the client used [T60]") {
  rig_options options;
  options.sim_script =
      "rules: [{replies: [{error: {preset: usage-limit, resets-in: 2h}}]}]\n";
  options.keys =
      "  codex:\n    - name: group\n      base-url: ${sim}/backend-api/codex\n      prefix: team\n"
      "      models: [{name: gpt-x, alias: fast}]\n      keys: [{api-key: codex-1}]\n";
  rig gateway{options};
  for (const std::string model : {"team/fast", "fast"}) {
    CAPTURE(model);
    const auto answer =
        gateway.post("/v1/responses", R"({"model":")" + model + R"(","input":"hello"})");
    CHECK(answer.status == 429);
    CHECK(answer.field("x-should-retry") == "false");
    CHECK_THAT(answer.body, ContainsSubstring("All credentials for model " + model + " "));
  }
  CHECK(gateway.calls("codex-1") == 1);
}

TEST_CASE("a mode switched during a cooldown counts from the next failure on [T79]") {
  rig_options options;
  options.mode = "retryable";
  options.sim_script =
      "rules: [{replies: [{error: {preset: google-quota, resets-in: 2h}}]}]\n";
  options.keys = keys_of("gemini", "gemini-x", 1);
  rig gateway{options};
  const std::string path = "/v1beta/models/gemini-x:generateContent";
  const std::string body = R"({"contents":[{"parts":[{"text":"hi"}]}]})";
  CHECK(gateway.post(path, body).status == 429);
  gateway.write_config("usage-limit");
  gateway.gateway().reload();
  REQUIRE(eventually([&] {
    const auto shown =
        gateway.get("/v0/management/config", "Authorization: Bearer operator-key\r\n");
    return shown.body.find("usage-limit") != std::string::npos;
  }));
  const auto is_final = [&] { return gateway.post(path, body).field("x-should-retry") == "false"; };
  CHECK_FALSE(is_final());
  gateway.clock().advance(std::chrono::minutes{31});
  CHECK(is_final());
}

TEST_CASE("a credential serves again from its reset on, without a restart") {
  rig_options options;
  options.keys = keys_of("codex", "gpt-x", 1);
  options.sim_script =
      "rules:\n  - key: codex-*\n    replies:\n"
      "      - error: {preset: usage-limit, resets-in: 2h}\n      - ok: {text: back}\n";
  rig gateway{options};
  const auto& on = surfaces().front();
  CHECK(gateway.post(on.path, on.body(false)).status == 429);
  gateway.clock().advance(std::chrono::hours{2});
  CHECK_THAT(gateway.post(on.path, on.body(false)).body, ContainsSubstring("back"));
}

}  // namespace tidegate::test
