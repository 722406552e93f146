#include "http/front.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/management_rig.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

/// The front behind a real listener, over a control plane in memory.
struct front_rig {
  explicit front_rig(config::snapshot settings) {
    settings.server.host = "127.0.0.1";
    settings.server.port = 0;
    plane.settings = settings;
    rig.emplace(settings, http::make_front(with));
    with.management = http::make_management_state(rig->io().get_executor());
    with.listener = &rig->server();
  }
  ~front_rig() {
    rig->stop();
    with.management.reset();
    rig.reset();
  }

  raw_response ask(const std::string& bytes, bool head = false) {
    raw_client client{rig->port()};
    REQUIRE(client.send(bytes));
    return client.receive(head);
  }

  http::asio::io_context io;
  memory_control plane;
  http::client upstream{io};
  http::services with{plane, upstream};
  std::optional<server_rig> rig;
};

config::snapshot with_client_key() {
  config::snapshot out;
  out.access.api_keys.emplace_back("client-key-example");
  return out;
}

}  // namespace

TEST_CASE("health needs no key and readiness says what is missing") {
  front_rig front{with_client_key()};
  CHECK(front.ask(get("/healthz")).body == R"({"status":"ok"})");
  const auto empty = front.ask(get("/readyz"));
  CHECK(empty.status == 503);
  CHECK(json::parse(empty.body)["reasons"] == json{"no enabled credential"});
}

TEST_CASE("an enabled credential makes the gateway ready") {
  front_rig front{with_client_key()};
  front.plane.held = {codex_credential("a", {"m"})};
  const auto ready = front.ask(get("/readyz"));
  CHECK(ready.status == 200);
  CHECK(json::parse(ready.body)["credentials"] == 1);
}

TEST_CASE("what costs or tells something needs a client key") {
  front_rig front{with_client_key()};
  const std::string request =
      GENERATE(get("/v1/models"), get("/v1/models/m"), get("/v1beta/models"),
               post("/v1/responses", "{}"), post("/v1/messages", "{}"),
               post("/v1beta/models/m:generateContent", "{}"), get("/v1/responses"));
  CAPTURE(request);
  const auto reply = front.ask(request);
  CHECK(reply.status == 401);
  CHECK(json::accept(reply.body));
}

TEST_CASE("a right key opens the model list") {
  front_rig front{with_client_key()};
  front.plane.held = {codex_credential("a", {"m"})};
  const auto reply = front.ask(get("/v1/models", "Authorization: Bearer client-key-example\r\n"));
  CHECK(reply.status == 200);
  CHECK(json::parse(reply.body)["data"][0]["id"] == "m");
}

TEST_CASE("an unknown path and a wrong method are refused without a key") {
  front_rig front{with_client_key()};
  CHECK(front.ask(get("/nothing")).status == 404);
  const auto wrong = front.ask(get("/v1/messages"));
  CHECK(wrong.status == 405);
  CHECK(wrong.field("allow") == "POST");
}

TEST_CASE("a client key does not open management") {
  auto settings = with_client_key();
  settings.management.secret_key = secret_string{"client-key-other"};
  front_rig front{settings};
  const std::string key = "Authorization: Bearer client-key-example\r\n";
  CHECK(front.ask(get("/v0/management/version", key)).status == 401);
}

TEST_CASE("HEAD of a management endpoint is its GET without the body") {
  auto settings = with_client_key();
  settings.management.secret_key = secret_string{"management-key-example"};
  front_rig front{settings};
  const auto reply = front.ask(
      "HEAD /v0/management/version HTTP/1.1\r\nHost: local\r\n"
      "X-Management-Key: management-key-example\r\n\r\n",
      true);
  CHECK(reply.status == 200);
  CHECK(reply.body.empty());
  CHECK(reply.field("x-tidegate-version") == "0.1.0");
  CHECK(reply.field("cache-control") == "no-store");
}

TEST_CASE("a management path is a bare 404 while no key is configured") {
  front_rig front{with_client_key()};
  for (const char* path : {"/v0/management", "/v0/management/", "/v0/management/auth-files"}) {
    const auto reply = front.ask(get(path));
    CHECK(reply.status == 404);
    CHECK(reply.body.empty());
  }
}

TEST_CASE("nobody sends a body in vain: what is refused is refused on its head") {
  auto settings = with_client_key();
  settings.management.secret_key = secret_string{"management-key-example"};
  front_rig front{settings};
  const auto [line, status, member] = GENERATE(table<const char*, int, const char*>({
      {"POST /v1/responses", 401, "/error/code"},
      {"POST /v1/chat/completions", 401, "/error/code"},
      {"POST /v1/messages", 401, "/error/type"},
      {"POST /v1beta/models/m:generateContent", 401, "/error/status"},
      {"GET /v1/models", 401, "/error/code"},
      {"GET /v1/responses", 401, "/error/code"},
      {"POST /v1/nothing", 404, "/error/type"},
      {"POST /nothing", 404, "/error/type"},
      {"PUT /v1/messages", 405, "/error/type"},
      {"POST /v0/management/reload", 401, "/error"},
      {"GET /healthz", 413, "/error/type"},
  }));
  CAPTURE(line);
  const auto reply = front.ask(std::string{line} +
                               " HTTP/1.1\r\nHost: t\r\nContent-Length: 100000000\r\n"
                               "Expect: 100-continue\r\n\r\n");
  CHECK(reply.status == status);
  CHECK(json::parse(reply.body).contains(json::json_pointer{member}));
}

TEST_CASE("a WebSocket upgrade with a right key is refused on its head") {
  front_rig front{with_client_key()};
  const auto reply = front.ask(get("/v1/responses",
                                   "Authorization: Bearer client-key-example\r\n"
                                   "Content-Length: 100000000\r\n"));
  CHECK(reply.status == 426);
}

TEST_CASE("management refuses a body beyond its limit in its own words") {
  auto settings = with_client_key();
  settings.management.secret_key = secret_string{"management-key-example"};
  front_rig front{settings};
  const std::string start =
      "POST /v0/management/reset-quota HTTP/1.1\r\nHost: t\r\n"
      "X-Management-Key: management-key-example\r\n";
  const std::string bytes = GENERATE_COPY(start + "Content-Length: 65537\r\n\r\n",
                                          start + "Transfer-Encoding: chunked\r\n\r\n10001\r\n" +
                                              std::string(65537, ' ') + "\r\n0\r\n\r\n");
  const auto reply = front.ask(bytes);
  CHECK(reply.status == 413);
  CHECK(json::parse(reply.body)["error"].is_string());
  CHECK(reply.field("cache-control") == "no-store");
}

TEST_CASE("an unknown management endpoint and a wrong method are refused on the head") {
  auto settings = with_client_key();
  settings.management.secret_key = secret_string{"management-key-example"};
  front_rig front{settings};
  const std::string rest =
      " HTTP/1.1\r\nHost: t\r\nX-Management-Key: management-key-example\r\n"
      "Content-Length: 60000\r\nExpect: 100-continue\r\n\r\n";
  CHECK(front.ask("POST /v0/management/nothing" + rest).status == 404);
  const auto wrong = front.ask("POST /v8/management/config" + rest);
  CHECK(wrong.status == 405);
  CHECK(wrong.field("allow") == "GET, HEAD");
}

TEST_CASE("HEAD of a model list is its GET without the body") {
  front_rig front{with_client_key()};
  front.plane.held = {codex_credential("a", {"m"})};
  const std::string rest =
      " HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer client-key-example\r\n\r\n";
  for (const char* path : {"/v1/models", "/v1/models/m", "/v1beta/models", "/v1beta/models/m"}) {
    CAPTURE(path);
    const auto whole = front.ask(std::string{"GET "} + path + rest);
    const auto bare = front.ask(std::string{"HEAD "} + path + rest, true);
    CHECK(whole.status == 200);
    CHECK(bare.status == 200);
    CHECK(bare.body.empty());
    CHECK(bare.field("content-length") == std::to_string(whole.body.size()));
    CHECK(bare.field("content-type") == whole.field("content-type"));
  }
}

TEST_CASE("without client keys a page of another site is refused before its body") {
  front_rig front{config::snapshot{}};
  const auto [path, member] = GENERATE(table<const char*, const char*>({
      {"/v1/responses", "/error/message"},
      {"/v1/messages", "/error/type"},
      {"/v1beta/models/m:generateContent", "/error/status"},
      {"/v1/nothing", "/error/message"},
      {"/v0/management/reload", "/error"},
  }));
  CAPTURE(path);
  const auto reply = front.ask(std::string{"POST "} + path +
                               " HTTP/1.1\r\nHost: t\r\nOrigin: https://a.test\r\n"
                               "Content-Type: text/plain\r\nContent-Length: 100000000\r\n\r\n");
  CHECK(reply.status == 403);
  CHECK(json::parse(reply.body).contains(json::json_pointer{member}));
  CHECK_THAT(reply.head, !ContainsSubstring("Access-Control-"));
}

TEST_CASE("without client keys local pages, editor views and programs go on as before") {
  front_rig front{config::snapshot{}};
  const auto origin =
      GENERATE(as<std::string>{}, "", "Origin: http://localhost:3000\r\n",
               "Origin: http://127.0.0.1:8080\r\n", "Origin: https://[::1]\r\n",
               "Origin: vscode-webview://abc\r\n", "Origin: chrome-extension://abc\r\n");
  CAPTURE(origin);
  const auto reply = front.ask(get("/v1/models", origin));
  CHECK(reply.status == 200);
  CHECK(reply.field("access-control-allow-origin") == "*");
  const auto preflight =
      front.ask("OPTIONS /v1/messages HTTP/1.1\r\nHost: t\r\n" + origin + "\r\n");
  CHECK(preflight.status == 204);
  CHECK(preflight.field("access-control-allow-origin") == "*");
}

TEST_CASE("a preflight of another site is allowed only where client keys are configured") {
  const bool keys = GENERATE(true, false);
  front_rig front{keys ? with_client_key() : config::snapshot{}};
  const auto reply = front.ask(
      "OPTIONS /v1/messages HTTP/1.1\r\nHost: t\r\nOrigin: https://a.test\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n");
  CHECK(reply.status == 204);
  CHECK((reply.field("access-control-allow-origin") == "*") == keys);
}

TEST_CASE("with client keys any origin may call and read the answer") {
  front_rig front{with_client_key()};
  const std::string origin = "Origin: https://a.test\r\n";
  const auto refused = front.ask(post("/v1/messages", "{}", origin));
  CHECK(refused.status == 401);
  CHECK(refused.field("access-control-allow-origin") == "*");
  CHECK(front.ask(get("/v1/models", origin + "X-Api-Key: client-key-example\r\n")).status == 200);
}

}  // namespace tidegate::test
