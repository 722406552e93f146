#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

/// An account whose token ends in `rest`; it was given out `age` ago when that is known.
credential ending(kind k, seconds rest, std::optional<seconds> age = std::nullopt) {
  credential who = some_account(k);
  who.expires_at = t0 + rest;
  if (age) who.refreshed_at = t0 - *age;
  return who;
}

}  // namespace

TEST_CASE("a token is renewed its provider's lead before its end") {
  const auto [k, lead] = GENERATE(table<kind, seconds>({
      {kind::codex, hours{24}},
      {kind::claude, hours{4}},
      {kind::antigravity, minutes{30}},
      {kind::xai, minutes{5}},
      {kind::kimi, minutes{5}},
  }));
  CAPTURE(to_string(k));
  CHECK(renewal_due(ending(k, hours{1000})) == t0 + hours{1000} - lead);
}

TEST_CASE("the lead is at most a fifth of a lifetime that is known") {
  CHECK(renewal_due(ending(kind::claude, hours{8}, seconds{0})) == t0 + hours{8} - minutes{96});
  CHECK(renewal_due(ending(kind::antigravity, minutes{40}, minutes{20})) ==
        t0 + minutes{40} - minutes{12});
  CHECK(renewal_due(ending(kind::codex, hours{240}, seconds{0})) == t0 + hours{216});
}

TEST_CASE("a last renewal after the end says nothing about the lifetime") {
  CHECK(renewal_due(ending(kind::claude, hours{-1}, seconds{0})) == t0 - hours{5});
}

TEST_CASE("the operator's own rhythm replaces the lead") {
  credential who = ending(kind::claude, hours{8}, hours{1});
  who.refresh_interval = hours{3};
  CHECK(renewal_due(who) == t0 + hours{2});
  who.refresh_interval = hours{100};
  CHECK(renewal_due(who) == t0 + hours{8});
  who.refreshed_at.reset();
  who.refresh_interval = hours{3};
  CHECK(renewal_due(who) == t0 + hours{5});
  who.expires_at.reset();
  CHECK_FALSE(renewal_due(who).has_value());
  who.refreshed_at = t0;
  CHECK(renewal_due(who) == t0 + hours{3});
}

TEST_CASE("an account without a token is due at once, one without an end never by itself") {
  credential who = some_account(kind::codex);
  CHECK_FALSE(renewal_due(who).has_value());
  who.secret = {};
  CHECK(renewal_due(who) == instant{});
}

TEST_CASE("a service account is renewed by its signer") {
  credential who = ending(kind::vertex, hours{1});
  CHECK_FALSE(renewable(who));
  who.signer = service_account{};
  who.refresh_token = {};
  CHECK(renewable(who));
  CHECK(renewal_due(who) == t0 + minutes{55});
}

TEST_CASE("a disabled account is left alone") {
  credential who = ending(kind::codex, hours{1});
  who.disabled = true;
  CHECK_FALSE(renewal_due(who).has_value());
  who.disabled = false;
  who.status_disabled = true;
  CHECK_FALSE(renewal_due(who).has_value());
  CHECK(renewable(who));
}

TEST_CASE("a file states its refresh token, its last renewal and its own rhythm") {
  const auto read = [](std::string_view fields) {
    return from_file("a.json", "/a.json",
                     R"({"type":"codex","access_token":"at")" + std::string{fields} + "}", {});
  };
  const auto who = read(R"(,"refresh_token":"rt-1","last_refresh":"2027-01-15T08:00:00Z",)"
                        R"("refresh-interval-seconds":"90")");
  REQUIRE(who.has_value());
  CHECK(who->refresh_token.reveal() == "rt-1");
  CHECK(who->refreshed_at == t0);
  CHECK(who->refresh_interval == seconds{90});
  CHECK(read(R"(,"lastRefresh":1800000000)")->refreshed_at == t0);
  CHECK(read(R"(,"timestamp":1800000000000)")->refreshed_at == t0);
  CHECK(read(R"(,"last_refresh":"0001-01-01T00:00:00Z","timestamp":1800000000)")->refreshed_at ==
        t0);
  CHECK_FALSE(read(R"(,"last_refresh":"")")->refreshed_at.has_value());
  CHECK_FALSE(read(R"(,"last_refresh":"odd")").has_value());
  CHECK_FALSE(read(R"(,"timestamp":{})").has_value());
  CHECK_FALSE(read(R"(,"refresh_interval":0)")->refresh_interval.has_value());
  CHECK(read(R"(,"refresh_interval":7)")->refresh_interval == seconds{7});
  CHECK_FALSE(read(R"(,"refresh_interval":"often")").has_value());
}
