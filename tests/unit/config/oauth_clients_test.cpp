#include "config/diff.hpp"
#include "config/print.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;
using provider::kind;

TEST_CASE("a provider's client is set key by key, and the rest keeps its defaults") {
  const auto r = load(
      "oauth: {providers: {xai: {client-id: mine, token-url: https://t.example/t},\n"
      "  antigravity: {client-id: own, client-secret: file:/etc/sample/key},\n"
      "  codex: {authorize-url: http://127.0.0.1:9/a, device-url: 'http://[::1]:9/d'}}}");
  CHECK(findings(r).empty());
  REQUIRE(r.snapshot);
  const auto& options = r.snapshot->credentials;
  const auto xai = provider::oauth_client_of(options, kind::xai);
  CHECK(xai.client_id == "mine");
  CHECK(xai.token_url == "https://t.example/t");
  CHECK(xai.device_url == "https://auth.x.ai/oauth2/device/code");
  const auto antigravity = provider::oauth_client_of(options, kind::antigravity);
  CHECK(antigravity.client_id == "own");
  CHECK(antigravity.client_secret.reveal() == "sk-sample-from-file");
  CHECK(antigravity.token_url == "https://oauth2.googleapis.com/token");
  CHECK(provider::oauth_client_of(options, kind::codex).device_url == "http://[::1]:9/d");
  CHECK(options.oauth_clients.size() == 3);
}

TEST_CASE("tokens are asked for over TLS or on this machine only") {
  const auto* const url =
      GENERATE("http://auth.example.com/t", "auth.example.com", "ftp://127.0.0.1",
               "https://user@auth.example.com/t", "https://a.example/t#x");
  CAPTURE(url);
  const auto r = load("oauth: {providers: {kimi: {token-url: '" + std::string{url} + "'}}}");
  CHECK_FALSE(r.snapshot);
  CHECK_THAT(findings(r), ContainsSubstring("oauth.providers.kimi.token-url: must be a URL"));
}

TEST_CASE("an empty client field is the default, and printed as such") {
  const auto r = load("oauth: {providers: {codex: {client-id: '', token-url: ''}}}");
  REQUIRE(r.snapshot);
  CHECK(findings(r).empty());
  CHECK(summarize_changes(snapshot{}, *r.snapshot).lines.empty());
  CHECK_THAT(print_config(*r.snapshot, visibility::masked),
             ContainsSubstring("client-id: \"app_EMoamEEZ73f0CkXaXp7hrann\""));
}

TEST_CASE("a client secret is not printed, and its change is told without it") {
  const auto r = load("oauth: {providers: {kimi: {client-secret: sample-client-secret-long}}}");
  REQUIRE(r.snapshot);
  CHECK(print_config(*r.snapshot, visibility::masked).find("client-secret-long") ==
        std::string::npos);
  const auto lines = summarize_changes(snapshot{}, *r.snapshot).lines;
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], ContainsSubstring("oauth.providers.kimi.client-secret"));
  CHECK(lines[0].find("sample") == std::string::npos);
}

TEST_CASE("only what has an effect can be set for a provider's client") {
  CHECK_THAT(findings("oauth: {providers: {claude: {authorize-url: https://a.example}}}"),
             ContainsSubstring("warning: oauth.providers.claude.authorize-url: unknown key"));
  CHECK_THAT(findings("oauth: {providers: {gemini: {client-id: x}}}"),
             ContainsSubstring("warning: oauth.providers.gemini: unknown key"));
  CHECK_THAT(findings("oauth: {providers: {xai: {inject-x-search: true}}}"),
             ContainsSubstring("not supported by this version"));
}
