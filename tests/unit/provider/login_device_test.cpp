#include "provider/login/device.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using namespace tidegate::provider::login;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr kind with_device_login[] = {kind::codex, kind::xai, kind::kimi};
constexpr kind standard[] = {kind::xai, kind::kimi};

constexpr std::string_view standard_start =
    R"({"device_code":"dc-1","user_code":"ABCD-EFGH","verification_uri":"https://v.example/d",)"
    R"("verification_uri_complete":"https://v.example/d?c=ABCD-EFGH","expires_in":600,"interval":7})";

result<device_session> begun(kind k, std::string_view body, int status = 200,
                             const oauth_client& client = {}) {
  return device_rules_of(k)->read_start(client, status, lookup_in({}), body, t0);
}

device_answer polled(kind k, int status, std::string_view body) {
  return device_rules_of(k)->read_poll(status, lookup_in({}), body, t0);
}

device_session some_session() {
  return {secret_string{"dc/1"}, "AB-CD", "https://v.example/d", seconds{5}, t0};
}

}  // namespace

TEST_CASE("each provider's device login begins in its own form") {
  const auto [k, url, body] = GENERATE(table<kind, std::string, std::string>({
      {kind::codex, "https://auth.openai.com/api/accounts/deviceauth/usercode",
       R"({"client_id":"app_EMoamEEZ73f0CkXaXp7hrann"})"},
      {kind::xai, "https://auth.x.ai/oauth2/device/code",
       "client_id=b1a00492-073a-47ea-816f-4c329264a828&scope=openid%20profile%20email%20"
       "offline_access%20grok-cli%3Aaccess%20api%3Aaccess"},
      {kind::kimi, "https://auth.kimi.com/api/oauth/device_authorization",
       "client_id=17e5f671-d194-4dfb-9706-5516cb48c098"},
  }));
  const auto request = device_rules_of(k)->start({}, "dev-1");
  REQUIRE(request.has_value());
  CHECK(request->url == url);
  CHECK(body_of(*request) == body);
  CHECK(header_of(*request, "X-Msh-Device-Id") == (k == kind::kimi ? "dev-1" : ""));
}

TEST_CASE("each provider is asked in its own form whether the login is done") {
  const auto [k, url, body] = GENERATE(table<kind, std::string, std::string>({
      {kind::codex, "https://auth.openai.com/api/accounts/deviceauth/token",
       R"({"device_auth_id":"dc/1","user_code":"AB-CD"})"},
      {kind::xai, "https://auth.x.ai/oauth2/token",
       "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc%2F1&"
       "client_id=b1a00492-073a-47ea-816f-4c329264a828"},
      {kind::kimi, "https://auth.kimi.com/api/oauth/token",
       "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc%2F1&"
       "client_id=17e5f671-d194-4dfb-9706-5516cb48c098"},
  }));
  const auto request = device_rules_of(k)->poll({}, some_session(), "dev-1");
  REQUIRE(request.has_value());
  CHECK(request->url == url);
  CHECK(body_of(*request) == body);
}

TEST_CASE("a standard login begins with a code, a page and a rhythm") {
  for (const auto k : standard) {
    const auto session = begun(k, standard_start);
    REQUIRE(session.has_value());
    CHECK(session->device_code.reveal() == "dc-1");
    CHECK(session->user_code == "ABCD-EFGH");
    CHECK(session->verification_url == "https://v.example/d?c=ABCD-EFGH");
    CHECK(session->interval == seconds{7});
    CHECK(session->expires_at == t0 + minutes{10});
  }
}

TEST_CASE("Codex's login begins with a code for the page beside it") {
  const auto* const body =
      GENERATE(R"({"device_auth_id":"da-1","user_code":"AB-CD","interval":"5"})",
               R"({"device_auth_id":"da-1","usercode":"AB-CD","expires_in":99999})");
  const auto session = begun(kind::codex, body);
  REQUIRE(session.has_value());
  CHECK(session->device_code.reveal() == "da-1");
  CHECK(session->user_code == "AB-CD");
  CHECK(session->verification_url == "https://auth.openai.com/codex/device");
  CHECK(session->interval == seconds{5});
  CHECK(session->expires_at == t0 + minutes{15});
  oauth_client own;
  own.device_url = "http://127.0.0.1:9/x/usercode";
  CHECK(begun(kind::codex, body, 200, own)->verification_url == "http://127.0.0.1:9/codex/device");
  CHECK(device_rules_of(kind::codex)->poll(own, *session, "")->url == "http://127.0.0.1:9/x/token");
}

TEST_CASE("intervals and lifetimes stay within bounds") {
  const auto with = [](kind k, std::string_view rest) {
    return begun(k, R"({"device_code":"d","user_code":"u","verification_uri":"https://v.example")" +
                        std::string{rest} + "}")
        .value();
  };
  CHECK(with(kind::xai, "").interval == seconds{5});
  CHECK(with(kind::xai, R"(,"interval":0)").interval == seconds{1});
  CHECK(with(kind::xai, R"(,"interval":-3)").interval == seconds{5});
  CHECK(with(kind::xai, R"(,"interval":1e9)").interval == seconds{60});
  CHECK(with(kind::xai, R"(,"interval":1e300)").interval == seconds{5});
  CHECK(with(kind::kimi, R"(,"interval":1)").interval == seconds{5});
  CHECK(with(kind::xai, R"(,"expires_in":86400)").expires_at == t0 + minutes{30});
  CHECK(with(kind::kimi, R"(,"expires_in":86400)").expires_at == t0 + minutes{15});
  CHECK(with(kind::kimi, "").expires_at == t0 + minutes{15});
}

TEST_CASE("a page that is not protected is not shown") {
  const auto page = [](std::string_view complete, std::string_view plain) {
    const auto session =
        begun(kind::xai, R"({"device_code":"d","user_code":"u","verification_uri_complete":")" +
                             std::string{complete} + R"(","verification_uri":")" +
                             std::string{plain} + "\"}");
    return session ? session->verification_url : std::string{};
  };
  CHECK(page("javascript:x", "https://v.example") == "https://v.example");
  CHECK(page("http://v.example", "file:///etc/x").empty());
}

TEST_CASE("a start that cannot be used is told without its text") {
  const auto [status, body] = GENERATE(table<int, std::string>({
      {200, ""},
      {200, "<html>"},
      {200, R"({"device_code":7,"user_code":"u","verification_uri":"https://v.example"})"},
      {200, R"({"device_code":"d","user_code":"a\nb","verification_uri":"https://v.example"})"},
      {400, R"({"error":"secret words"})"},
      {404, ""},
      {503, ""},
  }));
  for (const auto k : with_device_login) {
    const auto session = begun(k, body, status);
    REQUIRE_FALSE(session.has_value());
    CHECK(session.error().code == errc::unavailable);
    CHECK(session.error().detail.find("secret") == std::string::npos);
  }
  CHECK(begun(kind::xai, R"({"error":"invalid_client"})", 401).error().detail ==
        "the device login answered 401 invalid_client");
}

TEST_CASE("a standard login says how it stands") {
  const auto [status, body, state] = GENERATE(table<int, std::string, device_state>({
      {400, R"({"error":"authorization_pending"})", device_state::pending},
      {200, R"({"error":"authorization_pending"})", device_state::pending},
      {400, R"({"error":"slow_down"})", device_state::slow_down},
      {429, "", device_state::slow_down},
      {400, R"({"error":"expired_token"})", device_state::expired},
      {403, R"({"error":"access_denied"})", device_state::denied},
      {400, R"({"error":"invalid_grant"})", device_state::denied},
      {502, "<html>", device_state::unavailable},
      {200, "<html>", device_state::unavailable},
      {0, "", device_state::unavailable},
  }));
  CAPTURE(status, body);
  for (const auto k : standard) CHECK(polled(k, status, body).state == state);
}

TEST_CASE("a standard login ends with tokens") {
  const auto answer =
      polled(kind::kimi, 200, R"({"access_token":"at-1","refresh_token":"rt-1","expires_in":900})");
  CHECK(answer.state == device_state::done);
  CHECK(answer.tokens.access_token.reveal() == "at-1");
  CHECK(answer.tokens.refresh_token.reveal() == "rt-1");
  CHECK(answer.tokens.expires_at == t0 + seconds{900});
  CHECK(device_rules_of(kind::kimi)->exchange == nullptr);
}

TEST_CASE("Codex's login says by its status how it stands") {
  const auto [status, body, state] = GENERATE(table<int, std::string, device_state>({
      {403, "", device_state::pending},
      {404, "<html>", device_state::pending},
      {403, R"({"error":"access_denied"})", device_state::denied},
      {400, R"({"error":{"code":"expired_token"}})", device_state::expired},
      {400, "", device_state::denied},
      {408, "", device_state::unavailable},
      {429, "", device_state::slow_down},
      {500, "", device_state::unavailable},
      {200, "", device_state::unavailable},
      {200, R"({"authorization_code":"c"})", device_state::unavailable},
      {200, R"({"authorization_code":"c","code_verifier":7})", device_state::unavailable},
  }));
  CAPTURE(status, body);
  CHECK(polled(kind::codex, status, body).state == state);
}

TEST_CASE("Codex's login ends with a code that is exchanged at the same origin") {
  const auto answer =
      polled(kind::codex, 200,
             R"({"authorization_code":"c-1","code_challenge":"x","code_verifier":"v-1"})");
  REQUIRE(answer.state == device_state::approved);
  const auto request = device_rules_of(kind::codex)->exchange({}, answer);
  REQUIRE(request.has_value());
  CHECK(request->url == "https://auth.openai.com/oauth/token");
  CHECK(body_of(*request) ==
        "grant_type=authorization_code&client_id=app_EMoamEEZ73f0CkXaXp7hrann&code=c-1&"
        "redirect_uri=https%3A%2F%2Fauth.openai.com%2Fdeviceauth%2Fcallback&code_verifier=v-1");
}

TEST_CASE("whoever is too fast waits five seconds more, a minute at most") {
  CHECK(interval_after(seconds{5}, device_state::slow_down) == seconds{10});
  CHECK(interval_after(seconds{58}, device_state::slow_down) == seconds{60});
  CHECK(interval_after(seconds{5}, device_state::pending) == seconds{5});
}

TEST_CASE("accounts that are imported have no device login") {
  for (const auto k :
       {kind::claude, kind::antigravity, kind::vertex, kind::gemini, kind::openai_compatibility}) {
    CHECK(device_rules_of(k) == nullptr);
  }
}

TEST_CASE("no bytes make a reader of device logins throw") {
  CHECK(rc::check([](int status, const std::string& body) {
    for (const auto k : with_device_login) {
      static_cast<void>(begun(k, body, status % 600));
      static_cast<void>(polled(k, status % 600, body));
    }
  }));
}
