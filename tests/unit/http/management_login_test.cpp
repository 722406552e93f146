#include "tests/support/catch.hpp"
#include "tests/support/login_endpoints.hpp"
#include "tests/support/signing_key.hpp"
#include "tests/unit/http/management_rig.hpp"

namespace tidegate::test {
namespace {

constexpr std::string_view tokens =
    R"({"access_token":"at-1","refresh_token":"rt-1","expires_in":3600})";
constexpr std::string_view started =
    R"({"device_code":"dc-1","user_code":"AB-CD","verification_uri":"https://v.example/d",)"
    R"("interval":7,"expires_in":600})";

/// Management whose providers' login endpoints are scripted.
struct login_rig : management_rig {
  explicit login_rig(std::map<std::string, std::vector<std::string>> replies)
      : at(std::move(replies)) {
    for (const auto of : {provider::kind::codex, provider::kind::kimi, provider::kind::xai}) {
      plane.settings.credentials.oauth_clients.emplace_back(of, at.client());
    }
  }

  json begun(const std::string& tail, const std::string& query = {}) {
    const auto reply = get(tail, query);
    CHECK(reply.status == 200);
    return body_of(reply);
  }
  protocol::reply status(const json& login) {
    return get("get-auth-status", "state=" + login["state"].get<std::string>());
  }
  /// Without any key, as a browser or a panel's page sends it.
  http::request keyless(const std::string& method, std::string query, std::string body = {}) {
    auto in = call(method, std::move(query), std::move(body));
    in.headers.erase("X-Management-Key");
    return in;
  }

  login_endpoints at;
};

std::string state_of(const json& login) {
  return login["state"].get<std::string>();
}

}  // namespace

TEST_CASE("a login in a browser is begun, answered and stored") {
  login_rig rig{{{"/token", {reply(200, tokens)}}}};
  const auto login = rig.begun("codex-auth-url", "is_webui=true");
  CHECK(login["status"] == "ok");
  CHECK(state_of(login).size() == 32);
  CHECK_THAT(login["url"].get<std::string>(),
             ContainsSubstring("/authorize?") && ContainsSubstring("state=" + state_of(login)));
  CHECK(rig.status(login).body == R"({"status":"wait"})");
  const bool pasted = GENERATE(false, true);
  const auto url = "http://localhost:1455/auth/callback?code=c-1&state=" + state_of(login);
  const auto in =
      pasted ? rig.keyless("POST", "", json{{"provider", "codex"}, {"redirect_url", url}}.dump())
             : rig.keyless("GET", "code=c-1&state=" + state_of(login));
  const auto reply = rig.send(in, pasted ? "oauth-callback" : "oauth/callback");
  CHECK(reply.body == R"({"status":"ok"})");
  CHECK(rig.status(login).body == R"({"status":"ok"})");
  REQUIRE(rig.plane.files.files.size() == 1);
  const auto file = json::parse(rig.plane.files.files.begin()->second);
  CHECK(file["type"] == "codex");
  CHECK(file["access_token"] == "at-1");
  CHECK(
      rig.send(rig.keyless("GET", "code=c-1&state=" + state_of(login)), "oauth/callback").status ==
      409);
  CHECK(rig.at.seen("/token").size() == 1);
  rig.plane.clock += 61s;
  CHECK(rig.status(login).status == 404);
}

TEST_CASE("a login on another device asks the provider when it is due and asked about") {
  login_rig rig{{{"/device", {reply(200, started)}},
                 {"/token",
                  {reply(400, R"({"error":"authorization_pending"})"),
                   reply(400, R"({"error":"slow_down"})"), reply(200, tokens)}}}};
  const auto login = rig.begun("oauth/auth-url", "provider=kimi");
  CHECK(login["flow"] == "device");
  CHECK(login["user_code"] == "AB-CD");
  CHECK(login["expires_in"] == 600);
  CHECK(login["url"] == "https://v.example/d");
  CHECK(rig.status(login).body == R"({"status":"wait"})");
  CHECK(rig.at.seen("/token").empty());
  rig.plane.clock += 7s;
  CHECK(rig.status(login).body == R"({"status":"wait"})");
  CHECK(rig.status(login).body == R"({"status":"wait"})");
  CHECK(rig.at.seen("/token").size() == 1);
  rig.plane.clock += 7s;
  rig.status(login);
  rig.plane.clock += 7s;
  CHECK(rig.status(login).body == R"({"status":"wait"})");
  CHECK(rig.at.seen("/token").size() == 2);
  rig.plane.clock += 5s;
  CHECK(rig.status(login).body == R"({"status":"ok"})");
  REQUIRE(rig.plane.files.files.size() == 1);
  CHECK_THAT(rig.plane.files.files.begin()->first, ContainsSubstring("kimi-"));
}

TEST_CASE("a device login that is refused or runs out of time is told as an error") {
  const bool refused = GENERATE(true, false);
  login_rig rig{{{"/device", {reply(200, started)}},
                 {"/token", {reply(400, R"({"error":"access_denied"})")}}}};
  const auto login = rig.begun("xai-auth-url");
  rig.plane.clock += refused ? 7s : 600s;
  const auto reply = rig.status(login);
  CHECK(reply.status == 200);
  CHECK(body_of(reply)["status"] == "error");
  CHECK(rig.at.seen("/token").size() == (refused ? 1U : 0U));
  CHECK(rig.plane.files.files.empty());
}

TEST_CASE("a login that the page refuses, or whose code is refused, is told as an error") {
  login_rig rig{{{"/token", {reply(400, R"({"error":"invalid_grant"})")}}}};
  const auto denied = rig.begun("codex-auth-url");
  CHECK(rig.send(rig.keyless("GET", "error=access_denied&state=" + state_of(denied)),
                 "oauth-callback")
            .status == 200);
  CHECK_THAT(rig.status(denied).body, ContainsSubstring("access_denied"));
  const auto stale = rig.begun("codex-auth-url");
  CHECK(rig.send(rig.keyless("GET", "code=c&state=" + state_of(stale)), "oauth-callback").status ==
        502);
  CHECK(body_of(rig.status(stale))["status"] == "error");
  CHECK(rig.plane.files.files.empty());
}

TEST_CASE("a callback that belongs to no pending login is refused") {
  login_rig rig{{{"/device", {reply(200, started)}}, {"/token", {reply(200, tokens)}}}};
  const auto code = rig.begun("codex-auth-url");
  const auto device = rig.begun("xai-auth-url");
  const auto answer = [&](const std::string& query) {
    return rig.send(rig.keyless("GET", query), "oauth-callback").status;
  };
  CHECK(answer("code=c&state=0123456789abcdef0123456789abcdef") == 404);
  CHECK(answer("code=c&state=" + state_of(device)) == 409);
  CHECK(answer("code=c") == 400);
  CHECK(answer("state=" + state_of(code)) == 400);
  CHECK(answer("code=c&state=..") == 400);
  CHECK(answer("code=c&code=d&state=" + state_of(code)) == 400);
  CHECK(answer("provider=xai&code=c&state=" + state_of(code)) == 400);
  CHECK(rig.send(rig.keyless("POST", "", "[]"), "oauth-callback").status == 400);
  CHECK(rig.send(rig.keyless("HEAD", "code=c&state=" + state_of(code)), "oauth-callback").status ==
        405);
  CHECK(answer("provider=codex&code=c&state=" + state_of(code)) == 200);
}

TEST_CASE("only the callback is served without a key, and only where management is allowed") {
  login_rig rig{{}};
  CHECK(rig.send(rig.keyless("GET", ""), "codex-auth-url").status == 401);
  CHECK(rig.send(rig.keyless("GET", "state=x"), "get-auth-status").status == 401);
  CHECK(rig.send(rig.keyless("DELETE", "state=x"), "oauth-session").status == 401);
  CHECK(rig.send(rig.keyless("POST", "", "{}"), "vertex/import").status == 401);
  auto remote = rig.keyless("GET", "code=c&state=x");
  remote.peer = "192.0.2.7";
  remote.peer_is_loopback = false;
  CHECK(rig.send(remote, "oauth-callback").status == 403);
}

TEST_CASE("logins that vendors keep to themselves are not begun") {
  login_rig rig{{}};
  const auto [tail, query, status] = GENERATE(table<std::string, std::string, int>({
      {"anthropic-auth-url", "", 501},
      {"antigravity-auth-url", "", 501},
      {"oauth/auth-url", "provider=claude", 501},
      {"oauth/auth-url", "provider=anthropic", 501},
      {"oauth/auth-url", "", 400},
      {"oauth/auth-url", "provider=vertex", 404},
      {"oauth/auth-url", "provider=nobody", 404},
  }));
  const auto reply = rig.get(tail, query);
  CHECK(reply.status == status);
  CHECK(body_of(reply)["error"].is_string());
}

TEST_CASE("a flow that the provider does not have is refused") {
  login_rig rig{{}};
  const auto [tail, query, text] = GENERATE(table<std::string, std::string, std::string>({
      {"codex-auth-url", "flow=zzz", "flow is code or device"},
      {"kimi-auth-url", "flow=code", "flow is device"},
      {"oauth/auth-url", "provider=xai&flow=browser", "flow is device"},
  }));
  const auto reply = rig.get(tail, query);
  CHECK(reply.status == 400);
  CHECK_THAT(reply.body, ContainsSubstring(text));
}

TEST_CASE("a login that cannot begin is told and not kept") {
  login_rig rig{{{"/device", {reply(500, "{}")}}}};
  CHECK(rig.get("kimi-auth-url").status == 502);
}

TEST_CASE("a cancelled login is forgotten, also while it is asked about") {
  login_rig rig{{{"/token", {reply(200, tokens)}}}};
  const auto login = rig.begun("codex-auth-url");
  const auto cancel = [&] {
    return rig.send(rig.call("DELETE", "state=" + state_of(login)), "oauth/session").body;
  };
  CHECK(cancel() == R"({"status":"ok","cancelled":true})");
  CHECK(cancel() == R"({"status":"ok","cancelled":false})");
  CHECK(rig.status(login).status == 404);
  CHECK(rig.send(rig.keyless("GET", "code=c&state=" + state_of(login)), "oauth-callback").status ==
        404);
  CHECK(rig.plane.files.files.empty());
}

TEST_CASE("no more than a hundred logins are kept, and none for longer than half an hour") {
  login_rig rig{{}};
  json first;
  for (std::size_t i = 0; i < http::login_sessions_max; ++i) {
    const auto login = rig.begun("codex-auth-url");
    if (i == 0) first = login;
  }
  const auto full = rig.get("codex-auth-url");
  CHECK(full.status == 429);
  CHECK(header_of(full, "Retry-After") == "60");
  rig.plane.clock += 30min;
  CHECK(body_of(rig.status(first))["status"] == "error");
  rig.plane.clock += 1min;
  CHECK(rig.status(first).status == 404);
  CHECK(rig.get("codex-auth-url").status == 200);
}

TEST_CASE("a new login of an account keeps its file's settings") {
  const std::string whose =
      R"({"access_token":"at-1","refresh_token":"rt-1",)"
      R"("id_token":"x.eyJlbWFpbCI6ImJAZXhhbXBsZS5jb20ifQ.y"})";
  login_rig rig{{{"/token", {reply(200, whose)}}}};
  rig.plane.files.files["codex-b@example.com.json"] =
      R"({"type":"codex","access_token":"old","refresh_token":"old","priority":4})";
  const auto login = rig.begun("codex-auth-url");
  rig.send(rig.keyless("GET", "code=c&state=" + state_of(login)), "oauth-callback");
  const auto file = json::parse(rig.plane.files.files["codex-b@example.com.json"]);
  CHECK(file["access_token"] == "at-1");
  CHECK(file["priority"] == 4);
}

TEST_CASE("a service account key is imported from a form or from JSON") {
  login_rig rig{{}};
  const json key{{"type", "service_account"},
                 {"project_id", "my-project"},
                 {"private_key", signing_key_pem()},
                 {"client_email", "bot@my-project.example"}};
  const json expected{{"status", "ok"},
                      {"auth-file", "vertex-my-project.json"},
                      {"project_id", "my-project"},
                      {"email", "bot@my-project.example"},
                      {"location", "europe-west4"}};
  auto form = rig.call("POST", "",
                       "--b\r\nContent-Disposition: form-data; name=\"location\"\r\n\r\n"
                       "europe-west4\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; "
                       "filename=\"k.json\"\r\n\r\n" +
                           key.dump() + "\r\n--b--\r\n");
  form.headers.insert("Content-Type", "multipart/form-data; boundary=b");
  CHECK(body_of(rig.send(form, "vertex/import")) == expected);
  CHECK(body_of(rig.send(rig.call("POST", "provider=vertex&location=europe-west4", key.dump()),
                         "oauth/import")) == expected);
  const json wrapped{{"service_account", key}, {"location", "europe-west4"}};
  CHECK(body_of(rig.send(rig.call("POST", "", wrapped.dump()), "vertex/import")) == expected);
  CHECK(rig.plane.files.files.size() == 1);

  const auto refused = [&](const std::string& query, const std::string& body,
                           const std::string& tail = "vertex/import") {
    const auto reply = rig.send(rig.call("POST", query, body), tail);
    return std::to_string(reply.status) + " " + body_of(reply)["error"].get<std::string>();
  };
  CHECK(refused("", "") == "400 file required");
  CHECK(refused("", "{") == "400 invalid json");
  CHECK_THAT(refused("", "{}"), ContainsSubstring("400 invalid service account: \"type\" is not"));
  CHECK(refused("", R"({"type":"service_account"})") == "400 project_id missing");
  auto dead = key;
  dead["token_uri"] = "http://evil.example/token";
  CHECK_THAT(refused("", dead.dump()), ContainsSubstring("400 invalid service account: ") &&
                                           ContainsSubstring("`token_uri` must be an https URL"));
  CHECK(refused("", key.dump(), "oauth/import") == "400 provider is required");
  CHECK(refused("provider=codex", key.dump(), "oauth/import") == "404 provider_not_found");
}

}  // namespace tidegate::test
