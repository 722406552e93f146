#include <nlohmann/json.hpp>
#include <thread>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/script_server.hpp"

namespace tidegate::test {
namespace {

rig_options one_reply(const std::string& reply, const std::string& key = "*") {
  rig_options options;
  options.sim_script = "rules:\n  - key: \"" + key + "\"\n    replies:\n      - " + reply + "\n";
  return options;
}

/// One protocol in literal bytes.
struct spoken {
  std::string provider;
  std::string path;
  std::string body;
  std::vector<std::string> openings;  ///< nothing in them is output
  std::string refusal;                ///< an in-band error that another credential need not share
  std::string word;                   ///< output, a frame that says `word`
  std::string ending;                 ///< a finished answer's last frames
  std::string error;                  ///< what only the protocol's own error event has
  std::string head{};                 ///< more header lines of every reply
};

std::string event(const std::string& type, const std::string& members) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + members + "}\n\n";
}

std::string data(const std::string& json) { return "data: " + json + "\n\n"; }

spoken responses_stream() {
  const auto begun = event("response.created", R"(,"response":{"id":"r"})") +
                     event("response.in_progress", R"(,"response":{"id":"r"})");
  const auto item = event("response.output_item.added", R"(,"item":{"type":"message","content":[]})");
  return {"codex",
          "/v1/responses",
          R"({"model":"m","input":"hi","stream":true})",
          {begun, begun + item,
           begun + item + event("response.content_part.added", R"(,"part":{"text":""})") +
               event("response.output_text.delta", R"(,"delta":"")"),
           begun + event("response.output_item.added", R"(,"item":{"type":"reasoning"})") +
               event("response.reasoning_summary_part.added", R"(,"part":{"text":""})"),
           begun + event("response.output_item.added",
                         R"(,"item":{"type":"function_call","name":"f","arguments":""})")},
          event("response.failed",
                R"(,"response":{"error":{"type":"usage_limit_reached","resets_in_seconds":7200}})"),
          event("response.output_text.delta", R"(,"delta":"word")"),
          event("response.completed", R"(,"response":{"id":"r","output":[]})"),
          "event: error"};
}

spoken messages_stream() {
  const auto start = event("message_start", R"(,"message":{"id":"m"})");
  const auto block = [](const std::string& inner) {
    return event("content_block_start", R"(,"index":0,"content_block":)" + inner);
  };
  const auto ping = event("ping", "");
  return {"claude",
          "/v1/messages",
          R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"stream":true})",
          {start, start + block(R"({"type":"text","text":""})"),
           start + block(R"({"type":"text","text":""})") + ping,
           start + block(R"({"type":"thinking","thinking":""})") + ping +
               event("content_block_stop", R"(,"index":0)"),
           start + block(R"({"type":"tool_use","id":"t","name":"Read","input":{}})")},
          event("error", R"(,"error":{"type":"overloaded_error","message":"Overloaded"})"),
          event("content_block_delta", R"(,"delta":{"type":"text_delta","text":"word"})"),
          event("message_delta", R"(,"delta":{"stop_reason":"end_turn"})") +
              event("message_stop", ""),
          "event: error"};
}

spoken chat_stream() {
  const auto role = data(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})");
  return {"openai-compatibility",
          "/v1/chat/completions",
          R"({"model":"m","messages":[{"role":"user","content":"x"}],"stream":true})",
          {role, data(R"({"choices":[],"prompt_filter_results":[]})") + role},
          data(R"({"error":{"message":"slow down","code":429}})"),
          data(R"({"choices":[{"index":0,"delta":{"content":"word"}}]})"),
          data(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") + data("[DONE]"),
          R"("error":)"};
}

spoken gemini_stream() {
  return {"gemini",
          "/v1beta/models/m:streamGenerateContent?alt=sse",
          R"({"contents":[{"role":"user","parts":[{"text":"x"}]}]})",
          {data(R"({"candidates":[{"content":{"role":"model","parts":[]}}]})"),
           data(R"({"candidates":[{"content":{"parts":[{"text":""}]}}],"usageMetadata":{}})")},
          data(R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x"}})"),
          data(R"({"candidates":[{"content":{"parts":[{"text":"word"}]}}]})"),
          data(R"({"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]})"),
          R"("error":)"};
}

std::vector<spoken> all_spoken() { return {responses_stream(), messages_stream(), chat_stream(), gemini_stream()}; }

/// Two keys of one provider at an upstream that answers its calls with these bodies, in order; the
/// last one repeats. A body that `is_cut` ends without the end that its framing promised.
class literal_rig {
 public:
  literal_rig(const spoken& of, std::vector<std::string> bodies, bool is_cut = false)
      : of_(of),
        upstream_([this, bodies = std::move(bodies), is_cut](peer& at, int) {
          at.read_request();
          const auto nth = static_cast<std::size_t>(calls_++);
          const bool cut = is_cut && nth == 0;
          at.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n" +
                  of_.head +
                  std::string{cut ? "Content-Length: 99999\r\n\r\n" : "\r\n"} +
                  bodies[std::min(nth, bodies.size() - 1)]);
        }),
        gateway_(options()) {}

  raw_response ask() { return gateway_.post(of_.path, of_.body); }
  int calls() const { return calls_; }

 private:
  rig_options options() const {
    rig_options out;
    out.sim_script = "rules: [{replies: [{ok: {}}]}]\n";
    out.keys = "  " + of_.provider + ":\n    - name: literal\n      base-url: " +
               upstream_.url("/v1") +
               "\n      models: [{name: m, alias: m}]\n      keys: [{api-key: a}, {api-key: b}]\n";
    return out;
  }

  const spoken& of_;
  std::atomic<int> calls_{0};
  script_server upstream_;
  rig gateway_;
};

/// Without the last `count` bytes.
std::string without(std::string text, std::size_t count) {
  text.resize(text.size() - count);
  return text;
}

}  // namespace

TEST_CASE("a limit inside a stream is as final as one before it, by the reply's head and events") {
  const std::string codex_limit =
      event("response.failed",
            R"(,"response":{"error":{"type":"usage_limit_reached","resets_at":1800007200}})");
  auto codex = responses_stream();
  codex.head = "X-Codex-Primary-Window-Minutes: 300\r\nX-Codex-Primary-Reset-At: 1800007200\r\n";
  const auto codex_event = responses_stream();
  const auto telemetry = event("codex.rate_limits",
                               R"(,"rate_limits":{"secondary":{"used_percent":100,)"
                               R"("window_minutes":300,"reset_at":1800007200}})");
  auto claude = messages_stream();
  claude.head =
      "anthropic-ratelimit-unified-5h-status: rejected\r\n"
      "anthropic-ratelimit-unified-5h-reset: 1800007200\r\n";
  auto compat = chat_stream();
  compat.head = "Retry-After: 7200\r\n";
  struct limit_row {
    const spoken* on;
    std::string body;
    bool window;
  };
  const std::vector<limit_row> rows{
      {&codex, codex_limit, true},
      {&codex_event, telemetry + codex_limit, true},
      {&claude, event("error", R"(,"error":{"type":"rate_limit_error","message":"m"})"), true},
      {&compat, data(R"({"error":{"status":429,"type":"insufficient_quota","message":"m"}})"),
       false},
  };
  for (const auto& row : rows) {
    INFO(row.on->provider << ": " << row.body);
    literal_rig upstream{*row.on, {row.body}};
    const auto got = upstream.ask();
    CHECK(got.status == 429);
    CHECK(got.field("x-should-retry") == "false");
    CHECK((got.field("x-codex-primary-window-minutes") == "300") == row.window);
    CHECK(got.body.find("reset") != std::string::npos);
  }
}

TEST_CASE("an error or a cut behind frames that say nothing yet is served by another credential") {
  for (const auto& on : all_spoken()) {
    const auto good = on.word + on.ending;
    for (const auto& opening : on.openings) {
      CAPTURE(on.path, opening);
      for (const bool cut : {false, true}) {
        literal_rig gateway{on, {opening + (cut ? "" : on.refusal), good}, cut};
        const auto answer = gateway.ask();
        CHECK(answer.status == 200);
        CHECK(answer.body == good);
        CHECK(gateway.calls() == 2);
      }
    }
  }
}

TEST_CASE("an opening arrives unchanged in front of the first output, which commits the stream") {
  for (const auto& on : all_spoken()) {
    for (const auto& opening : on.openings) {
      CAPTURE(on.path, opening);
      const auto whole = opening + on.word + on.ending;
      literal_rig served{on, {whole}};
      CHECK(served.ask().body == whole);
      literal_rig failed{on, {opening + on.word + on.refusal}};
      CHECK(failed.ask().body == opening + on.word + on.refusal);
      CHECK(failed.calls() == 1);
    }
  }
}

TEST_CASE("a stream that ends without having said anything is an empty answer and fails over") {
  const auto whole = chat_stream();
  for (const std::string empty : {"", ": comment\n\n", "data: [DONE]\n\n", "data: [DONE]",
                                  "data: {}\n\ndata: [DONE]\n\n"}) {
    CAPTURE(empty);
    literal_rig gateway{whole, {empty, whole.word + whole.ending}};
    CHECK(gateway.ask().body == whole.word + whole.ending);
    CHECK(gateway.calls() == 2);
  }
  for (const auto& on : all_spoken()) {
    CAPTURE(on.path);
    literal_rig gateway{on, {on.openings.back(), on.word + on.ending}};
    CHECK(gateway.ask().body == on.word + on.ending);
  }
}

TEST_CASE("a finished Chat answer is completed when its provider forgot the ending") {
  const auto on = chat_stream();
  const auto whole = on.word + on.ending;
  const auto done = data("[DONE]").size();
  for (const auto& sent : {whole, without(whole, 1), without(whole, 2), without(whole, done),
                           without(whole, done + 1), without(whole, done) + "\n",
                           without(whole, done) + ": comment\n"}) {
    CAPTURE(sent);
    literal_rig gateway{on, {sent}};
    const auto answer = gateway.ask();
    CHECK(answer.complete);
    CHECK(answer.body.ends_with("data: [DONE]\n\n"));
    CHECK_THAT(answer.body, ContainsSubstring("\"stop\"}]}\n\n"));
    CHECK_THAT(answer.body, !ContainsSubstring("error"));
    CHECK(answer.body.find("[DONE]") == answer.body.rfind("[DONE]"));
  }
}

TEST_CASE("the last event of a body needs no blank line behind it, when it is whole") {
  for (const auto& on : all_spoken()) {
    CAPTURE(on.path);
    const auto whole = on.word + on.ending;
    literal_rig gateway{on, {without(whole, 2)}};
    CHECK(gateway.ask().body.starts_with(whole));
    literal_rig failing{on, {without(on.refusal, 2), whole}};
    CHECK(failing.ask().body == whole);
    literal_rig torn{on, {on.word + without(on.refusal, 4)}};
    CHECK_THAT(torn.ask().body, ContainsSubstring(on.error));
  }
}

TEST_CASE("a Chat stream that is cut or ends before a reason to stop ends with an error") {
  const auto on = chat_stream();
  const auto finish = without(on.ending, data("[DONE]").size());
  for (const auto& [sent, cut] : std::vector<std::pair<std::string, bool>>{
           {on.word, false}, {on.word, true}, {on.word + finish, true},
           {on.word + finish + "data: {\"usage\":{", false}}) {
    CAPTURE(sent, cut);
    literal_rig gateway{on, {sent}, cut};
    const auto answer = gateway.ask();
    CHECK_THAT(answer.body, ContainsSubstring(on.error));
    CHECK_THAT(answer.body, !ContainsSubstring("[DONE]"));
  }
}

TEST_CASE("a Gemini stream ends well only with a finish reason, and never over broken frames") {
  const auto on = gemini_stream();
  const auto broken = data(R"({"candidates":[{"content":)");
  for (const auto& sent :
       {on.word, on.word + "data: {\"cand", on.word + broken, on.word + broken + on.ending,
        on.word + broken + on.word + on.ending, on.word + "data: not json\n\n" + on.ending}) {
    CAPTURE(sent);
    literal_rig gateway{on, {sent}};
    const auto answer = gateway.ask();
    CHECK(answer.body.starts_with(on.word));
    CHECK_THAT(answer.body, ContainsSubstring(R"("status":"UNAVAILABLE")"));
    CHECK_THAT(answer.body, !ContainsSubstring("STOP"));
    CHECK(gateway.ask().status == 200);  // nobody cools down for it
  }
  const auto blocked = data(R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{}})");
  literal_rig gateway{on, {blocked}};
  CHECK(gateway.ask().body == blocked);
}


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

TEST_CASE("a client that streams gets events, also of a provider that answers whole") {
  struct whole_row {
    spoken on;
    std::string body;
    std::string ending;
  };
  const std::vector<whole_row> rows{
      {responses_stream(),
       R"({"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"m",)"
       R"("role":"assistant","content":[{"type":"output_text","text":"word","annotations":[]}]}]})",
       "event: response.completed"},
      {messages_stream(),
       R"({"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text",)"
       R"("text":"word"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}})",
       "event: message_stop"},
      {chat_stream(),
       R"({"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
       R"("content":"word"},"finish_reason":"stop"}]})",
       "data: [DONE]"},
      {gemini_stream(),
       R"({"candidates":[{"content":{"role":"model","parts":[{"text":"word"}]},)"
       R"("finishReason":"STOP"}],"unknown":1.50})",
       R"("unknown":1.50})"},
  };
  for (const auto& [on, body, ending] : rows) {
    CAPTURE(on.provider);
    script_server upstream([&](peer& at, int) {
      at.read_request();
      at.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
    });
    rig_options options;
    options.sim_script = "rules: [{replies: [{ok: {}}]}]\n";
    options.keys = "  " + on.provider + ":\n    - name: whole\n      base-url: " +
                   upstream.url("/v1") +
                   "\n      models: [{name: m, alias: m}]\n      keys: [{api-key: a}]\n";
    rig gateway{options};
    const auto got = gateway.post(on.path, on.body);
    CAPTURE(got.body);
    CHECK(got.status == 200);
    CHECK(got.field("content-type") == "text/event-stream");
    CHECK_THAT(got.body, ContainsSubstring("data: {"));
    CHECK_THAT(got.body, ContainsSubstring("word"));
    CHECK_THAT(got.body, ContainsSubstring(ending));
  }
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

TEST_CASE("a Responses stream that is cut goes on counting in its error event") {
  const auto on = responses_stream();
  const auto numbered = event("response.output_text.delta", R"(,"sequence_number":4,"delta":"word")");
  literal_rig upstream{on, {numbered + event("codex.rate_limits", "")}, true};
  const auto got = upstream.ask();
  CHECK_THAT(got.body, ContainsSubstring("event: error"));
  CHECK_THAT(got.body, ContainsSubstring(R"("sequence_number":5)"));
}

TEST_CASE("a Responses stream that stops behind some of the answer is a 408 where it was wanted whole") {
  struct client {
    std::string path;
    std::string body;
  };
  const client native{"/v1/responses", R"({"model":"m","input":"hi"})"};
  const client translated{"/v1/chat/completions",
                          R"({"model":"m","messages":[{"role":"user","content":"x"}]})"};
  for (const auto& from : {native, translated}) {
    CAPTURE(from.path);
    auto on = responses_stream();
    on.provider = "xai";
    on.path = from.path;
    on.body = from.body;
    const auto good = on.openings[2] + on.word + on.ending;
    literal_rig stopped{on, {on.openings[2] + on.word, good}};
    const auto refused = stopped.ask();
    CHECK(refused.status == 408);
    CHECK_THAT(refused.body, ContainsSubstring("stream disconnected before completion"));
    CHECK(stopped.calls() == 1);
    CHECK(stopped.ask().status == 200);
    CHECK(stopped.calls() == 2);
    literal_rig wordless{on, {on.openings[2], good}};
    CHECK(wordless.ask().status == 200);
    CHECK(wordless.calls() == 2);
  }
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
