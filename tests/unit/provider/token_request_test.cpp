#include "provider/token_request.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;

namespace {

result<upstream_request> build(kind k, const oauth_client& client = {},
                               const credential* who = nullptr) {
  const credential usual = some_account(k);
  return token_rules_of(k)->build(who != nullptr ? *who : usual, client, t0);
}

}  // namespace

TEST_CASE("each provider is asked for new tokens in its own form") {
  const auto [k, url, body] = GENERATE(table<kind, std::string, std::string>({
      {kind::codex, "https://auth.openai.com/oauth/token",
       "grant_type=refresh_token&refresh_token=rt-invented%2F%2B%201&"
       "client_id=app_EMoamEEZ73f0CkXaXp7hrann&scope=openid%20profile%20email"},
      {kind::claude, "https://platform.claude.com/v1/oauth/token",
       R"({"grant_type":"refresh_token","refresh_token":"rt-invented/+ 1",)"
       R"("client_id":"9d1c250a-e61b-44d9-88ed-5944d1962f5e"})"},
      {kind::xai, "https://auth.x.ai/oauth2/token",
       "grant_type=refresh_token&refresh_token=rt-invented%2F%2B%201&"
       "client_id=b1a00492-073a-47ea-816f-4c329264a828"},
      {kind::kimi, "https://auth.kimi.com/api/oauth/token",
       "grant_type=refresh_token&refresh_token=rt-invented%2F%2B%201&"
       "client_id=17e5f671-d194-4dfb-9706-5516cb48c098"},
  }));
  CAPTURE(to_string(k));
  const auto request = build(k);
  REQUIRE(request.has_value());
  CHECK(request->method == "POST");
  CHECK(request->url == url);
  CHECK(body_of(*request) == body);
  CHECK(header_of(*request, "content-type") ==
        (k == kind::claude ? "application/json" : "application/x-www-form-urlencoded"));
  CHECK(header_of(*request, "accept") == "application/json");
  CHECK(header_of(*request, "user-agent") == "tidegate/0.1.0");
}

TEST_CASE("the configured client replaces the built-in one") {
  const oauth_client own{.client_id = "my&id",
                         .client_secret = secret_string{"my=secret"},
                         .authorize_url = {},
                         .token_url = "http://127.0.0.1:9/t",
                         .device_url = {}};
  const auto request = build(kind::antigravity, own);
  REQUIRE(request.has_value());
  CHECK(request->url == "http://127.0.0.1:9/t");
  CHECK(body_of(*request) ==
        "grant_type=refresh_token&refresh_token=rt-invented%2F%2B%201&"
        "client_id=my%26id&client_secret=my%3Dsecret");
}

TEST_CASE("no client of Antigravity is built in") {
  CHECK(build(kind::antigravity).error().detail ==
        "oauth.providers.antigravity.client-id is not set");
  oauth_client half;
  half.client_id = "my-id";
  CHECK(build(kind::antigravity, half).error().detail ==
        "oauth.providers.antigravity.client-secret is not set");
}

TEST_CASE("a refresh token is not sent in the clear to another machine") {
  oauth_client own;
  own.token_url = "http://auth.example.com/token";
  const auto request = build(kind::codex, own);
  REQUIRE_FALSE(request.has_value());
  CHECK(request.error().code == errc::invalid_input);
}

TEST_CASE("a record without a refresh token cannot ask") {
  for (const auto k : {kind::codex, kind::claude, kind::xai, kind::kimi}) {
    credential who = some_account(k);
    who.refresh_token = {};
    CHECK(build(k, {}, &who).error().code == errc::invalid_input);
    CHECK_FALSE(renewable(who));
  }
}

TEST_CASE("Kimi is told this program's name and the device of the login") {
  credential who = some_account(kind::kimi);
  who.device_id = "device-7";
  const auto request = build(kind::kimi, {}, &who);
  REQUIRE(request.has_value());
  CHECK(header_of(*request, "X-Msh-Platform") == "tidegate");
  CHECK(header_of(*request, "X-Msh-Version") == "0.1.0");
  CHECK(header_of(*request, "X-Msh-Device-Id") == "device-7");
  who.device_id = "two\r\nlines";
  const auto odd = build(kind::kimi, {}, &who);
  REQUIRE(odd.has_value());
  CHECK(header_of(*odd, "X-Msh-Device-Id").empty());
}

TEST_CASE("API keys and providers without accounts are not renewed") {
  for (const auto k : {kind::gemini, kind::openai_compatibility}) {
    CHECK(token_rules_of(k) == nullptr);
    CHECK_FALSE(renewable(some_account(k)));
  }
  credential key = some_account(kind::codex);
  key.auth = auth_kind::api_key;
  CHECK_FALSE(renewable(key));
  CHECK_FALSE(renewal_due(key).has_value());
}

TEST_CASE("a client's empty fields are filled from the defaults, its own stay") {
  credential_options options;
  options.oauth_clients = {{kind::xai, {"mine", {}, {}, "https://t.example/t", {}}}};
  const auto xai = oauth_client_of(options, kind::xai);
  CHECK(xai.client_id == "mine");
  CHECK(xai.token_url == "https://t.example/t");
  CHECK(xai.device_url == "https://auth.x.ai/oauth2/device/code");
  CHECK(oauth_client_of(options, kind::kimi) == default_oauth_client(kind::kimi));
  CHECK(oauth_client_of({}, kind::gemini) == oauth_client{});
}
