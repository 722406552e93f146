#include <nlohmann/json.hpp>
#include <thread>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"

namespace tidegate::test {
namespace {

rig_options one_reply(const std::string& reply, const std::string& key = "*") {
  rig_options options;
  options.sim_script = "rules:\n  - key: \"" + key + "\"\n    replies:\n      - " + reply + "\n";
  return options;
}

}  // namespace

TEST_CASE("a stream arrives whole and with its protocol's ending on every surface") {
  const std::vector<std::string> endings{"response.completed", "[DONE]", "message_stop"};
  for (std::size_t i = 0; i < surfaces().size(); ++i) {
    const auto& on = surfaces()[i];
    CAPTURE(on.name);
    rig gateway{one_reply("ok: {text: one two three four, chunks: 4}")};
    const auto answer = gateway.post(on.path, on.body(true));
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.field("content-type").starts_with("text/event-stream"));
    CHECK_THAT(answer.body, ContainsSubstring(endings[i]));
    CHECK_THAT(answer.body, ContainsSubstring("four"));
  }
}

TEST_CASE("a stream that is cut after content ends with the protocol's own error, never cleanly") {
  const std::vector<std::string> errors{"event: error", R"("error":)", "event: error"};
  const std::vector<std::string> endings{"response.completed", "[DONE]", "message_stop"};
  for (const std::string fault : {"cut-after-chunks: 2", "reset-after-chunks: 2",
                                  "malformed-chunk-after-chunks: 2"}) {
    for (std::size_t i = 0; i < surfaces().size(); ++i) {
      const auto& on = surfaces()[i];
      CAPTURE(on.name, fault);
      rig gateway{one_reply("ok: {chunks: 6}\n        fault: {" + fault + "}")};
      const auto answer = gateway.post(on.path, on.body(true));
      CHECK(answer.status == 200);
      CHECK_THAT(answer.body, ContainsSubstring("part1"));
      CHECK_THAT(answer.body, ContainsSubstring(errors[i]));
      CHECK_THAT(answer.body, !ContainsSubstring(endings[i]));
    }
  }
}

TEST_CASE("an error event before any content fails over to the next credential [T92]") {
  for (const auto& on : surfaces()) {
    CAPTURE(on.name);
    rig_options options;
    options.sim_script = "rules:\n  - key: " + on.key +
                         "-*\n    count-by: rule\n    replies:\n      - ok: {}\n        fault: "
                         "{error-event-after-chunks: 0}\n      - ok: {text: second}\n";
    rig gateway{options};
    const auto answer = gateway.post(on.path, on.body(true));
    CHECK(answer.status == 200);
    CHECK_THAT(answer.body, ContainsSubstring("second"));
    CHECK(gateway.calls(on.key + "-1") + gateway.calls(on.key + "-2") == 2);
  }
}

TEST_CASE("a connection that dies before the first byte fails over and cools nobody") {
  for (const std::string fault : {"reset: true", "close: true", "close-after-head: true"}) {
    const auto& on = surfaces().front();
    CAPTURE(fault);
    rig_options options;
    options.keys = keys_of("codex", "gpt-x", 1);
    options.sim_script = "rules:\n  - key: codex-1\n    replies:\n      - ok: {}\n        fault: {" +
                         fault + "}\n      - ok: {text: recovered}\n";
    options.retry = "{request-retry: 1, max-retry-interval: 5}";
    rig gateway{options};
    const auto answer = gateway.post(on.path, on.body(true));
    CHECK(answer.status == 200);
    CHECK_THAT(answer.body, ContainsSubstring("recovered"));
  }
}

TEST_CASE("a telemetry event inside a healthy stream ends nothing: every chunk arrives") {
  rig gateway{one_reply(
      "ok: {chunks: 20, limits: {codex: {event: true, primary: {used-percent: 99, "
      "window-minutes: 300, resets-in: 1h}}}}")};
  const auto& on = surfaces().front();
  const auto answer = gateway.post(on.path, on.body(true));
  CHECK_THAT(answer.body, ContainsSubstring("codex.rate_limits"));
  CHECK_THAT(answer.body, ContainsSubstring("part20"));
  CHECK_THAT(answer.body, ContainsSubstring("response.completed"));
}

TEST_CASE("a client that leaves cancels the upstream call and no other credential is tried") {
  const auto& on = surfaces().front();
  rig gateway{one_reply("ok: {}\n        fault: {never-answer: true}")};
  {
    raw_client client{gateway.port()};
    const auto body = on.body(true);
    client.send("POST " + on.path +
                " HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer client-key\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    REQUIRE(eventually([&] { return gateway.calls("codex-1") + gateway.calls("codex-2") == 1; }));
  }
  CHECK(eventually([&] {
    const auto seen = gateway.upstream().requests();
    return seen && seen->in_flight == 0;
  }));
  CHECK(gateway.calls("codex-1") + gateway.calls("codex-2") == 1);
  CHECK(gateway.get("/healthz").status == 200);
}

TEST_CASE("a non-streaming Responses client gets the whole object of an upstream stream") {
  rig gateway{one_reply("ok: {text: folded answer, chunks: 3}", "codex-*")};
  const auto& on = surfaces().front();
  const auto answer = gateway.post(on.path, on.body(false));
  REQUIRE(answer.status == 200);
  const auto body = nlohmann::json::parse(answer.body);
  CHECK(body["object"] == "response");
  CHECK_THAT(answer.body, ContainsSubstring("folded answer"));
}

TEST_CASE("unknown fields, key order and number text reach the provider as they were written") {
  rig gateway{one_reply("ok: {}", "compat-*")};
  const std::string body =
      R"({"zeta":1.50e3,"model":"chat-x","messages":[{"role":"user","content":"x"}],"unknown":{"b":1,"a":[0.10]}})";
  REQUIRE(gateway.post("/v1/chat/completions", body).status == 200);
  const auto seen = gateway.upstream().requests();
  REQUIRE(seen);
  CHECK(seen->requests.back().body == body);
}

}  // namespace tidegate::test
