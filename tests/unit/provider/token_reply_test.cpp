#include "provider/token_reply.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using std::chrono::seconds;

namespace {

constexpr kind all_renewed[] = {kind::codex,       kind::claude, kind::vertex,
                                kind::antigravity, kind::xai,    kind::kimi};

refresh_reply read(kind k, int status, std::string_view body, const headers& sent = {}) {
  return token_rules_of(k)->read(status, lookup_in(sent), body, t0);
}

std::optional<seconds> lifetime(std::string_view expires_in) {
  const auto reply = read(
      kind::codex, 200, R"({"access_token":"at-1","expires_in":)" + std::string{expires_in} + "}");
  REQUIRE(reply.has_value());
  if (!reply->expires_at) return std::nullopt;
  return std::chrono::duration_cast<seconds>(*reply->expires_at - t0);
}

}  // namespace

TEST_CASE("a success brings tokens and their end") {
  for (const auto k : all_renewed) {
    CAPTURE(to_string(k));
    const auto reply = read(k, 200,
                            R"({"access_token":"at-1","refresh_token":"rt-2","id_token":"id-3",)"
                            R"("expires_in":3600,"token_type":"Bearer","later":{"x":[1]}})");
    REQUIRE(reply.has_value());
    CHECK(reply->access_token.reveal() == "at-1");
    CHECK(reply->refresh_token.reveal() == "rt-2");
    CHECK(reply->id_token.reveal() == "id-3");
    CHECK(reply->expires_at == t0 + seconds{3600});
  }
}

TEST_CASE("an answer without a refresh token leaves the old one valid") {
  for (const auto* rest : {"", R"(,"refresh_token":null)", R"(,"refresh_token":"")"}) {
    const auto reply =
        read(kind::codex, 200, R"({"access_token":"at-1")" + std::string{rest} + "}");
    REQUIRE(reply.has_value());
    CHECK(reply->refresh_token.empty());
  }
}

TEST_CASE("a token answer that is cut at any byte brings nothing, and the login is not void") {
  const std::string whole =
      R"({"access_token":"at-1","refresh_token":"rt-2","expires_in":3600,"token_type":"Bearer"})";
  for (const auto k : all_renewed) {
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
      CAPTURE(to_string(k), cut);
      const auto reply = read(k, 200, std::string_view{whole}.substr(0, cut));
      REQUIRE_FALSE(reply.has_value());
      CHECK(reply.error().kind == refresh_fault::unavailable);
    }
  }
}

TEST_CASE("a lifetime counts only when it can be one") {
  CHECK(lifetime("3600") == seconds{3600});
  CHECK(lifetime("3599.9") == seconds{3599});
  CHECK(lifetime(R"("7200")") == seconds{7200});
  for (const auto* absurd : {"0", "-5", "1e300", "99999999999", "null", "true", R"("soon")", "[1]",
                             R"("")", R"("9e9")"}) {
    CAPTURE(absurd);
    CHECK_FALSE(lifetime(absurd).has_value());
  }
}

TEST_CASE("without a stated lifetime the access token's own claims count") {
  const auto answer = [](std::string_view claims) {
    return read(kind::codex, 200, R"({"access_token":")" + token_with(claims) + R"("})")
        .value()
        .expires_at;
  };
  CHECK(answer(R"({"exp":1800000500})") == t0 + seconds{500});
  CHECK_FALSE(answer(R"({"exp":1799999999})").has_value());
  CHECK_FALSE(answer(R"({"exp":1e40})").has_value());
  CHECK_FALSE(answer(R"({"exp":"x"})").has_value());
  CHECK_FALSE(answer(R"([1])").has_value());
}

TEST_CASE("an answer that cannot be understood is no verdict about the grant") {
  const std::string body = GENERATE(
      as<std::string>{}, "", "<html>", "[]", "null", "{}", R"({"access_token":7})",
      R"({"access_token":null})", R"({"access_token":""})", "{\"access_token\":\"a\\nb\"}",
      R"({"access_token":"at","refresh_token":{}})",
      R"({"access_token":"at","refresh_token":"a b"})", R"({"access_token":"at"} trailing)");
  CAPTURE(body);
  for (const auto k : all_renewed) {
    const auto reply = read(k, 200, body);
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == refresh_fault::unavailable);
  }
}

TEST_CASE("huge and deep answers are refused whole") {
  const std::string huge =
      R"({"access_token":"at","pad":")" + std::string(token_reply_bytes_max, 'x') + R"("})";
  CHECK(read(kind::codex, 200, huge).error().kind == refresh_fault::unavailable);
  const std::string deep = R"({"access_token":"at","x":)" + std::string(5000, '[');
  CHECK(read(kind::codex, 200, deep).error().kind == refresh_fault::unavailable);
  const std::string long_token =
      R"({"access_token":")" + std::string(token_bytes_max + 1, 'x') + R"("})";
  CHECK(read(kind::codex, 200, long_token).error().kind == refresh_fault::unavailable);
}

TEST_CASE("a void grant is rejected, whatever its spelling") {
  const auto [status, body, code] = GENERATE(table<int, std::string, std::string>({
      {400, R"({"error":"invalid_grant","error_description":"Token rt-invented was revoked"})",
       "400 invalid_grant"},
      {401, R"({"error":{"message":"already used","code":"refresh_token_reused"}})",
       "401 refresh_token_reused"},
      {400, R"({"error":{"code":"refresh_token_expired"}})", "400 refresh_token_expired"},
      {403, R"({"error":{"type":"invalid_grant"}})", "403 invalid_grant"},
      {401, "", "401"},
      {401, R"({"error":{"code":7}})", "401"},
  }));
  CAPTURE(body);
  for (const auto k : all_renewed) {
    const auto reply = read(k, status, body);
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == refresh_fault::rejected);
    CHECK(reply.error().reason == "the token endpoint refused the grant (" + code + ")");
  }
}

TEST_CASE("what another request may cure is not final") {
  const auto [status, body] = GENERATE(table<int, std::string>({
      {0, ""},
      {302, ""},
      {400, "<html>invalid_grant</html>"},
      {403, "<html>challenge</html>"},
      {408, R"({"error":"timeout"})"},
      {500, R"({"error":"invalid_grant"})"},
      {503, ""},
      {529, R"({"error":{"type":"overloaded_error"}})"},
  }));
  CAPTURE(status);
  for (const auto k : all_renewed) {
    const auto reply = read(k, status, body);
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == refresh_fault::unavailable);
  }
}

TEST_CASE("a wrong client is the operator's to correct, not the account's end") {
  const auto reply = read(kind::antigravity, 401, R"({"error":"invalid_client"})");
  REQUIRE_FALSE(reply.has_value());
  CHECK(reply.error().kind == refresh_fault::unavailable);
  CHECK_THAT(reply.error().reason, ContainsSubstring("oauth.providers"));
}

TEST_CASE("Claude's refusals in JSON are final") {
  const std::string body = R"({"type":"error","error":{"type":"invalid_request_error"}})";
  CHECK(read(kind::claude, 400, body).error().kind == refresh_fault::rejected);
  CHECK(read(kind::codex, 400, body).error().kind == refresh_fault::unavailable);
}

TEST_CASE("a limit keeps its wait") {
  const auto [sent, wait] = GENERATE(table<headers, std::optional<seconds>>({
      {headers{}, std::nullopt},
      {{{"Retry-After", "30"}}, seconds{30}},
      {{{"retry-after-ms", "1500"}, {"Retry-After", "9"}}, seconds{2}},
      {{{"Retry-After", "Fri, 15 Jan 2027 08:01:00 GMT"}}, seconds{60}},
      {{{"Retry-After", "99999999"}}, seconds{3600}},
      {{{"Retry-After", "-1"}}, std::nullopt},
      {{{"Retry-After-Ms", "x"}, {"Retry-After", "soon"}}, std::nullopt},
  }));
  const auto reply = read(kind::kimi, 429, R"({"error":"invalid_grant"})", sent);
  REQUIRE_FALSE(reply.has_value());
  CHECK(reply.error().kind == refresh_fault::limited);
  CHECK(reply.error().retry_after == wait);
}

TEST_CASE("Claude's limits hold from five seconds to five minutes") {
  CHECK(read(kind::claude, 429, "").error().retry_after == seconds{5});
  CHECK(read(kind::claude, 429, "", {{"Retry-After", "1"}}).error().retry_after == seconds{5});
  CHECK(read(kind::claude, 429, "", {{"Retry-After", "77"}}).error().retry_after == seconds{77});
  CHECK(read(kind::claude, 429, "", {{"Retry-After", "9999"}}).error().retry_after == seconds{300});
}

TEST_CASE("no reason repeats what an endpoint wrote but its short code") {
  const std::string odd = R"({"error":"rt secret with blanks"})";
  CHECK(read(kind::codex, 400, odd).error().reason == "the token endpoint answered 400");
  const std::string lengthy = R"({"error":")" + std::string(500, 'a') + R"("})";
  CHECK(read(kind::codex, 400, lengthy).error().reason == "the token endpoint answered 400");
}

TEST_CASE("no bytes make a reader throw") {
  CHECK(rc::check([](int status, const std::string& body) {
    for (const auto k : all_renewed) {
      const auto reply = read(k, status % 600, body);
      const bool told = reply.has_value() || !reply.error().reason.empty();
      RC_ASSERT(told);
    }
  }));
}
