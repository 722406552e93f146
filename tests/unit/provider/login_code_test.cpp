#include "provider/login/callback.hpp"
#include "provider/login/code_login.hpp"
#include "provider/token_reply.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using namespace tidegate::provider::login;

namespace {

pkce some_proof() {
  std::string random;
  for (std::size_t i = 0; i < pkce_random_bytes; ++i) random.push_back(static_cast<char>(i));
  return make_pkce(random);
}

}  // namespace

TEST_CASE("a verifier is 96 random bytes, its challenge the hash of their text") {
  const auto proof = some_proof();
  CHECK(proof.verifier.reveal() ==
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0-P0BBQk"
        "NERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5f");
  CHECK(proof.challenge == "10vGEdIUs89S5HPKbpL7Zkkl0o0Fu1gaA9ZhyeE_I74");
  CHECK(make_state(std::string("\x00\x01\xff", 3) + std::string(13, 'a')) ==
        "0001ff61616161616161616161616161");
}

TEST_CASE("the login page of Codex is asked with state and challenge") {
  const auto url = authorize_url(kind::codex, {}, some_proof(), "st-1", codex_redirect_uri);
  REQUIRE(url.has_value());
  CHECK(*url ==
        "https://auth.openai.com/oauth/authorize?response_type=code&"
        "client_id=app_EMoamEEZ73f0CkXaXp7hrann&"
        "redirect_uri=http%3A%2F%2Flocalhost%3A1455%2Fauth%2Fcallback&"
        "scope=openid%20profile%20email%20offline_access&state=st-1&code_challenge=" +
            some_proof().challenge +
            "&code_challenge_method=S256&prompt=login&id_token_add_organizations=true&"
            "codex_cli_simplified_flow=true");
}

TEST_CASE("only Codex logs in by a browser, at a protected page") {
  const auto k = GENERATE(kind::claude, kind::antigravity, kind::gemini, kind::xai, kind::kimi);
  CHECK_FALSE(has_code_login(k));
  CHECK_FALSE(authorize_url(k, {}, some_proof(), "s", codex_redirect_uri).has_value());
  CHECK_FALSE(exchange_request(k, {}, secret_string{"c"}, secret_string{"v"}, "r").has_value());
  oauth_client clear;
  clear.authorize_url = "http://auth.example.com/a";
  CHECK_FALSE(authorize_url(kind::codex, clear, some_proof(), "s", codex_redirect_uri).has_value());
}

TEST_CASE("a code is exchanged with its verifier and the address that it came to") {
  const auto request = exchange_request(kind::codex, {}, secret_string{"c/1"}, secret_string{"v~2"},
                                        codex_redirect_uri);
  REQUIRE(request.has_value());
  CHECK(request->url == "https://auth.openai.com/oauth/token");
  CHECK(body_of(*request) ==
        "grant_type=authorization_code&client_id=app_EMoamEEZ73f0CkXaXp7hrann&code=c%2F1&"
        "redirect_uri=http%3A%2F%2Flocalhost%3A1455%2Fauth%2Fcallback&code_verifier=v~2");
}

TEST_CASE("a login's answer is read in every form in which it comes") {
  const std::string text = GENERATE(
      as<std::string>{}, "http://localhost:1455/auth/callback?code=c%2D1&state=st-1&scope=a+b",
      "/auth/callback?state=st-1&code=c-1", "?code=c-1&state=st-1", "code=c-1&state=st-1#x",
      " c-1#st-1\r\n", "https://x.example/?a=b&&code=c-1&state=st-1&flag");
  CAPTURE(text);
  const auto answer = parse_callback(text);
  REQUIRE(answer.has_value());
  CHECK(answer->code.reveal() == "c-1");
  CHECK(answer->state == "st-1");
  CHECK(code_of(*answer, secret_string{"st-1"})->reveal() == "c-1");
}

TEST_CASE("an answer of another login does not count, whatever it says") {
  const std::string text = GENERATE(as<std::string>{}, "code=c&state=st-2", "code=c",
                                    "code=c&state=", "error=access_denied&state=st-2", "c#st");
  const auto answer = parse_callback(text);
  REQUIRE(answer.has_value());
  CHECK(code_of(*answer, secret_string{"st-1"}).error().code == errc::invalid_input);
  CHECK(code_of(*answer, secret_string{}).error().code == errc::invalid_input);
}

TEST_CASE("a refusal at the page is told by its code alone") {
  const auto answer = parse_callback("/cb?error=access_denied&error_description=x&state=s&code=c");
  REQUIRE(answer.has_value());
  CHECK(answer->code.empty());
  const auto code = code_of(*answer, secret_string{"s"});
  CHECK(code.error().code == errc::cancelled);
  CHECK(code.error().detail == "the login was refused (access_denied)");
  CHECK(parse_callback("error=%0a%1b[2J&state=s")->error == "unknown_error");
}

TEST_CASE("hostile answers are refused") {
  const std::string text = GENERATE(
      as<std::string>{}, "", "?", "hello", "code=", "state=s", "code=a&code=b&state=s",
      "code=a&state=s&state=t", "code=%zz&state=s", "code=a%2&state=s", "code=a%0d%0ab&state=s",
      "code=a b&state=s", "code=a&state=..", "code=a&state=a%2fb", "code=a&state=a..b",
      "code=a&state=" + std::string(state_bytes_max + 1, 'a'), "#", "#s", "a\nb#s");
  CAPTURE(text);
  const auto answer = parse_callback(text);
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().code == errc::invalid_input);
}

TEST_CASE("an endless answer is not read") {
  const std::string text = "code=a&state=s&x=" + std::string(callback_bytes_max, 'x');
  CHECK(parse_callback(text).error().code == errc::limit_exceeded);
}

TEST_CASE("no bytes make the reader of answers throw") {
  CHECK(rc::check([](const std::string& text) {
    const auto answer = parse_callback(text);
    const bool safe = !answer || answer->code.empty() || is_token_text(answer->code.reveal());
    RC_ASSERT(safe);
  }));
}
