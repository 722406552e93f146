/// What passes between the gateway and its providers, with upstreams and proxies that speak in
/// literal bytes.

#include <future>
#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/deflated.hpp"
#include "tests/support/script_server.hpp"

namespace tidegate::test {
namespace {

const surface_case& chat_case() { return surfaces()[1]; }

constexpr std::string_view answer_body =
    R"({"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
    R"("content":"hi"},"finish_reason":"stop"}]})";

/// One Chat key at `upstream`; `more` are further members of the key group.
rig_options chat_key_at(const script_server& upstream, const std::string& more = {}) {
  rig_options options;
  options.sim_script = "rules: [{replies: [{ok: {}}]}]\n";
  options.keys = "  openai-compatibility:\n    - name: raw\n      base-url: " + upstream.url("/v1") +
                 "\n      models: [{name: chat-x, alias: chat-x}]\n" + more +
                 "      keys: [{api-key: compat-1}]\n";
  return options;
}

std::string gzipped(std::string_view text) { return deflated(text, 31); }

std::string reply(std::string_view status, std::string_view type, std::string_view body,
                  std::string_view more = {}) {
  std::string out = "HTTP/1.1 " + std::string{status} + "\r\nContent-Type: " + std::string{type} +
                    "\r\n" + std::string{more} +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return out.append(body);
}

/// The client's answer when the upstream says `bytes` to every call.
raw_response answer_to(const std::string& bytes, bool stream = false) {
  script_server upstream([&](peer& at, int) {
    while (!at.read_request().empty()) at.send(bytes);
  });
  rig gateway{chat_key_at(upstream)};
  return gateway.post(chat_case().path, chat_case().body(stream));
}

std::string line_of(const std::string& head, std::string_view name) {
  const auto at = head.find("\r\n" + std::string{name} + ": ");
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 4;
  return head.substr(from, head.find("\r\n", from) - from);
}

}  // namespace

TEST_CASE("a silent stream is kept open by comments between whole events") {
  std::promise<void> comment_seen;
  auto seen = comment_seen.get_future();
  script_server upstream([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one\"}}]}\n\n"
            "data: {\"id\":\"c\",\"choices\":[{\"ind");
    seen.wait();
    at.send("ex\":0,\"delta\":{\"content\":\"two\"}}]}\n\ndata: [DONE]\n\n");
  });
  auto options = chat_key_at(upstream);
  options.extra = "requests: {streaming: {keepalive-seconds: 1}}\n";
  rig gateway{options};
  raw_client client{gateway.port()};
  const auto body = chat_case().body(true);
  client.send(post(chat_case().path, body, "Authorization: Bearer client-key\r\n"));
  std::string got;
  while (got.find(": keep-alive\n\n") == std::string::npos) {
    const auto piece = client.some();
    REQUIRE_FALSE(piece.empty());
    got += piece;
  }
  comment_seen.set_value();
  while (got.find("[DONE]") == std::string::npos) {
    const auto piece = client.some();
    REQUIRE_FALSE(piece.empty());
    got += piece;
  }
  CHECK_THAT(got, ContainsSubstring("\"one\""));
  CHECK_THAT(got, ContainsSubstring(R"({"id":"c","choices":[{"index":0,"delta":{"content":"two"}}]})"));
}

TEST_CASE("opening events are held for a bounded time, then the client sees them") {
  std::promise<void> opening_seen;
  auto seen = opening_seen.get_future();
  script_server upstream([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n");
    seen.wait();
    at.send("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"late\"}}]}\n\n"
            "data: [DONE]\n\n");
  });
  auto options = chat_key_at(upstream);
  options.extra = "requests: {streaming: {hold-seconds: " + std::string{GENERATE("0", "1")} + "}}\n";
  rig gateway{options};
  raw_client client{gateway.port()};
  client.send(post(chat_case().path, chat_case().body(true), "Authorization: Bearer client-key\r\n"));
  const auto read_up_to = [&client](std::string_view text) {
    std::string got;
    while (got.find(text) == std::string::npos) {
      const auto piece = client.some();
      if (piece.empty()) break;
      got += piece;
    }
    return got;
  };
  CHECK_THAT(read_up_to("assistant"), ContainsSubstring("200 OK"));
  opening_seen.set_value();
  CHECK_THAT(read_up_to("[DONE]"), ContainsSubstring("late"));
}

TEST_CASE("a full set of connections is a short wait and then a 429 that blames no credential") {
  std::promise<void> begun;
  std::promise<void> over;
  auto end = over.get_future();
  script_server upstream([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one\"}}]}\n\n");
    end.wait();
    at.send("data: [DONE]\n\n");
  });
  auto options = chat_key_at(upstream);
  options.keys.replace(options.keys.find("{api-key: compat-1}"), 19,
                       "{api-key: compat-1}, {api-key: compat-2}, {api-key: compat-3}");
  options.extra = "requests: {connections: {per-origin: 1}, timeouts: {connect: 200ms}}\n";
  options.retry = "{request-retry: 3, max-retry-interval: 30}";
  rig gateway{options};
  raw_client first{gateway.port()};
  first.send(post(chat_case().path, chat_case().body(true), "Authorization: Bearer client-key\r\n"));
  std::string got;
  while (got.find("\"one\"") == std::string::npos) got += first.some();
  const auto refused = gateway.post(chat_case().path, chat_case().body(false));
  CHECK(refused.status == 429);
  CHECK(refused.field("retry-after") == "1");
  CHECK_THAT(refused.body, ContainsSubstring("connections to the provider"));
  CHECK(upstream.connections() == 1);
  const auto listed =
      gateway.get("/v0/management/auth-files", "Authorization: Bearer operator-key\r\n");
  const auto list = nlohmann::json::parse(listed.body);
  REQUIRE(list["files"].size() == 3);
  for (const auto& one : list["files"]) CHECK(one["failed"] == 0);
  over.set_value();
}

TEST_CASE("upstream headers pass only when asked for, and never the connection's own") {
  script_server upstream([](peer& at, int) {
    while (!at.read_request().empty()) {
      at.send(simple_answer(answer_body,
                            "Content-Type: application/json\r\nx-request-id: r-1\r\n"
                            "X-Cpa-Trace-Id: t\r\nX-Should-Retry: true\r\n"
                            "WWW-Authenticate: Bearer\r\n"
                            "Set-Cookie: a=b\r\nX-Hop: 1\r\nConnection: X-Hop\r\n"
                            "Access-Control-Allow-Origin: *\r\n"));
    }
  });
  const bool passthrough = GENERATE(false, true);
  auto options = chat_key_at(upstream);
  if (passthrough) options.extra = "requests: {passthrough-headers: true}\n";
  rig gateway{options};
  const auto answer = gateway.post(chat_case().path, chat_case().body(false));
  CHECK(answer.status == 200);
  CHECK(answer.field("x-request-id") == (passthrough ? "r-1" : ""));
  for (const auto* name :
       {"set-cookie", "x-hop", "x-cpa-trace-id", "x-should-retry", "www-authenticate"}) {
    CHECK(answer.fields.count(name) == 0);
  }
  CHECK(answer.fields.count("content-type") == 1);
}

TEST_CASE("a proxy that wants a login is a failure of the way, not of the client") {
  script_server proxy([](peer& at, int) {
    while (!at.read_request().empty()) {
      at.send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno");
    }
  });
  auto options = chat_key_at(proxy);
  rig gateway{options};
  const auto answer = gateway.post(chat_case().path, chat_case().body(false));
  CHECK(answer.status == 502);
  CHECK_THAT(answer.body, ContainsSubstring("407"));
}

TEST_CASE("a key's own proxy is used, the shared one otherwise, and direct uses none") {
  transcript seen;
  const auto answering = [&](const char* who) {
    return [&seen, who](peer& at, int) {
      const auto request = at.read_request();
      seen.add(who + (" " + request.substr(0, request.find("\r\n"))));
      at.send(simple_answer(answer_body, "Content-Type: application/json\r\n"));
    };
  };
  script_server origin(answering("origin"));
  script_server shared(answering("shared"));
  script_server own(answering("own"));
  struct row {
    std::string key;
    std::string asked;
  };
  const std::vector<row> rows{
      {"", "shared POST " + origin.url("/v1/chat/completions") + " HTTP/1.1"},
      {"      proxy-url: " + own.url("") + "\n",
       "own POST " + origin.url("/v1/chat/completions") + " HTTP/1.1"},
      {"      proxy-url: direct\n", "origin POST /v1/chat/completions HTTP/1.1"}};
  std::vector<std::string> asked;
  for (const auto& row : rows) {
    auto options = chat_key_at(origin, row.key);
    options.extra = "requests: {proxy-url: \"" + shared.url("") + "\"}\n";
    rig gateway{options};
    CHECK(gateway.post(chat_case().path, chat_case().body(false)).status == 200);
    asked.push_back(row.asked);
    CHECK(seen.all() == asked);
  }
}

TEST_CASE("the provider sees its own key and the gateway's own name, nothing of the client's") {
  transcript seen;
  script_server upstream([&](peer& at, int) {
    seen.add(at.read_request());
    at.send(simple_answer(answer_body, "Content-Type: application/json\r\n"));
  });
  rig gateway{chat_key_at(upstream)};
  (void)gateway.post(chat_case().path, chat_case().body(false),
                     "Authorization: Bearer client-key\r\nCookie: planted=1\r\n"
                     "X-Forwarded-For: 10.0.0.1\r\nUser-Agent: some-client/1\r\n");
  REQUIRE(seen.size() == 1);
  const auto head = seen.all().front();
  CHECK(line_of(head, "Authorization") == "Bearer compat-1");
  CHECK(line_of(head, "Host") == upstream.authority());
  CHECK_THAT(head, !ContainsSubstring("client-key"));
  CHECK_THAT(head, !ContainsSubstring("planted"));
  CHECK_THAT(head, !ContainsSubstring("10.0.0.1"));
}

TEST_CASE("a key in a passed header or in escapes of an error is hidden as well") {
  const std::string headers = "x-request-id: compat-1\r\nx-auth: Bearer compat-1\r\n";
  script_server upstream([&](peer& at, int nth) {
    const bool good = nth == 0;
    while (!at.read_request().empty()) {
      at.send(reply(good ? "200 OK" : "400 Bad Request", "application/json",
                    good ? answer_body : R"({"error":{"message":"bad key \u0063ompat-1"}})",
                    headers));
    }
  });
  auto options = chat_key_at(upstream);
  options.extra = "requests: {passthrough-headers: true}\n";
  rig gateway{options};
  const auto answer = gateway.post(chat_case().path, chat_case().body(false));
  CHECK(answer.status == 200);
  CHECK_THAT(answer.head, !ContainsSubstring("compat-1"));
  CHECK(answer.field("x-auth") == "Bearer [redacted]");
}

TEST_CASE("an answer that is cut inside its body is never passed on as whole") {
  script_server upstream([](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"id\"");
  });
  rig gateway{chat_key_at(upstream)};
  const auto answer = gateway.post(chat_case().path, chat_case().body(false));
  const bool says_so = answer.status >= 500 || !answer.complete;
  CHECK(says_so);
}

TEST_CASE("a compressed answer is undone, and its evidence counts") {
  const auto gzip = "Content-Encoding: gzip\r\n";
  const auto served =
      answer_to(reply("200 OK", "application/json", gzipped(answer_body), gzip));
  CHECK(served.status == 200);
  CHECK(served.body == answer_body);
  const auto used_up = answer_to(
      reply("429 Too Many Requests", "application/json",
            gzipped(R"({"error":{"code":"insufficient_quota","message":"used up"}})"),
            std::string{gzip} + "Retry-After: 7200\r\n"));
  CHECK(used_up.status == 429);
  CHECK(used_up.field("x-should-retry") == "false");
  const auto stream =
      answer_to(reply("200 OK", "text/event-stream", gzipped("data: [DONE]\n\n"), gzip), true);
  CHECK(stream.status == 502);
  CHECK_THAT(stream.body, ContainsSubstring("compressed a stream"));
}

TEST_CASE("a byte order mark before an answer or an error hides nothing from anybody") {
  const std::string marked = "\xEF\xBB\xBF" + std::string{answer_body};
  script_server upstream([&](peer& at, int) {
    while (!at.read_request().empty()) at.send(reply("200 OK", "application/json", marked));
  });
  rig gateway{chat_key_at(upstream)};
  CHECK(gateway.post(chat_case().path, chat_case().body(false)).body == answer_body);
  const auto translated = gateway.post(
      "/v1/messages",
      R"({"model":"chat-x","max_tokens":9,"messages":[{"role":"user","content":"x"}]})");
  CHECK(translated.status == 200);
  CHECK_THAT(translated.body, ContainsSubstring(R"("text":"hi")"));
  const auto used_up = answer_to(
      reply("429 Too Many Requests", "application/json",
            "\xEF\xBB\xBF{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"m\"}}",
            "Retry-After: 7200\r\n"));
  CHECK(used_up.field("x-should-retry") == "false");
}

TEST_CASE("what is no answer under a good status is a failed attempt, not a success") {
  for (const std::string& bytes :
       {reply("200 OK", "text/html", "<html>sign in</html>"),
        reply("200 OK", "application/json", "{\"choices\":[{\"ind"),
        reply("200 OK", "application/json", R"({"error":{"message":"boom","type":"server_error"}})"),
        reply("302 Found", "text/html", "", "Location: http://127.0.0.1:1/\r\n"),
        reply("307 Temporary Redirect", "text/html", "moved", "Location: /v1/other\r\n")}) {
    CAPTURE(bytes);
    const auto answer = answer_to(bytes);
    CHECK(answer.status == 502);
    CHECK_THAT(answer.body, ContainsSubstring("error"));
  }
  const auto limited = answer_to(
      reply("200 OK", "application/json", R"({"error":{"message":"slow down","code":429}})"));
  CHECK(limited.status == 429);
}

TEST_CASE("in retryable mode a provider's own Retry-After passes untouched [T85]") {
  script_server upstream([](peer& at, int) {
    while (!at.read_request().empty()) {
      at.send(reply("429 Too Many Requests", "application/json", R"({"error":{"message":"slow"}})",
                    "Retry-After: 17\r\nx-ratelimit-limit-requests: 5\r\n"));
    }
  });
  auto options = chat_key_at(upstream);
  options.mode = "retryable";
  options.extra = "requests: {passthrough-headers: true}\n";
  rig gateway{options};
  const auto answer = gateway.post(chat_case().path, chat_case().body(false));
  CHECK(answer.status == 429);
  CHECK(answer.field("retry-after") == "17");
  CHECK(answer.field("x-ratelimit-limit-requests") == "5");
}

TEST_CASE("a key that a provider repeats never reaches the client") {
  const std::string echo = R"({"error":{"message":"Incorrect API key provided: compat-1"}})";
  for (const auto* status : {"400 Bad Request", "401 Unauthorized", "404 Not Found",
                             "429 Too Many Requests", "500 Internal Server Error"}) {
    CAPTURE(status);
    const auto answer = answer_to(reply(status, "application/json", echo));
    CHECK_THAT(answer.body, ContainsSubstring("Incorrect API key"));
    CHECK_THAT(answer.body, !ContainsSubstring("compat-1"));
  }
  const std::string content = R"(data: {"id":"c","choices":[{"index":0,"delta":{"content":"x"}}]})";
  for (const auto& before : {std::string{}, content + "\n\n"}) {
    const auto stream =
        answer_to(reply("200 OK", "text/event-stream", before + "data: " + echo + "\n\n"), true);
    CHECK_THAT(stream.body, ContainsSubstring("Incorrect API key"));
    CHECK_THAT(stream.body, !ContainsSubstring("compat-1"));
  }
}

TEST_CASE("a used-up credential is tested by one request and opens when that is served [A1]") {
  rig_options options;
  options.keys = keys_of("codex", "gpt-x", 1);
  options.sim_script =
      "rules:\n  - key: codex-1\n    replies:\n"
      "      - error: {preset: usage-limit, resets-in: 2h}\n      - ok: {text: bought more}\n";
  options.cooldown = "quota-retry-interval-seconds: 60";
  rig gateway{options};
  const auto& on = surfaces().front();
  CHECK(gateway.post(on.path, on.body(false)).status == 429);
  gateway.clock().advance(std::chrono::seconds{59});
  CHECK(gateway.post(on.path, on.body(false)).status == 429);
  CHECK(gateway.calls("codex-1") == 1);
  gateway.clock().advance(std::chrono::seconds{1});
  CHECK_THAT(gateway.post(on.path, on.body(false)).body, ContainsSubstring("bought more"));
  CHECK(gateway.post(on.path, on.body(false)).status == 200);
}

}  // namespace tidegate::test
