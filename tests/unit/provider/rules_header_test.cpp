#include <rapidcheck.h>

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;

namespace {

client_request with_headers(provider::header_list list) {
  client_request from{kind::openai_compatibility, R"({"model":"a"})"};
  from.who.headers = std::move(list);
  return from;
}

}  // namespace

TEST_CASE("lets the operator's headers come last and copy the client's") {
  auto from = with_headers({{"authorization", "Token own"},
                            {"X-Tenant", "$X-Client-Tenant"},
                            {"X-Absent", "$X-Not-Sent"},
                            {"User-Agent", "$X-Not-Sent"}});
  from.sent = {{"x-client-tenant", "blue"}};
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->header("Authorization") == "Token own");
  CHECK(got->header("X-Tenant") == "blue");
  CHECK_FALSE(got->header("X-Absent"));
  CHECK(got->header("User-Agent") == "tidegate/0.1.0");
  const auto count = std::count_if(got->headers.begin(), got->headers.end(), [](const auto& h) {
    return same_name(h.name, "authorization");
  });
  CHECK(count == 1);
}

TEST_CASE("marks every header that may carry a secret") {
  auto from = with_headers({{"X-Own", "value"}});
  from.who.auth = provider::auth_kind::account;
  for (const auto k : {kind::codex, kind::claude, kind::gemini, kind::openai_compatibility,
                       kind::vertex, kind::xai, kind::kimi}) {
    from.provider = k;
    from.surface = own_surface(k);
    const auto got = build(from);
    REQUIRE(got);
    for (const auto& one : got->headers) {
      const bool holds = one.value.find("sk-invented") != std::string::npos || one.name == "X-Own";
      CAPTURE(one.name);
      CHECK((!holds || one.secret));
    }
  }
}

TEST_CASE("refuses header values that would break the message apart") {
  const auto bad = GENERATE(as<std::string>{}, std::string{"a\r\nX-Evil: 1"}, std::string{"a\nb"},
                            std::string{"a\rb"}, std::string("a\0b", 3), std::string{"a\x7f"});
  const auto from_config = build(with_headers({{"X-Own", bad}}));
  REQUIRE_FALSE(from_config);
  CHECK(from_config.error().code == errc::invalid_input);
  CHECK_THAT(from_config.error().detail, ContainsSubstring("X-Own"));
  CHECK(from_config.error().detail.find("Evil") == std::string::npos);

  auto copied = with_headers({{"X-Own", "$X-Client"}});
  copied.sent = {{"X-Client", bad}};
  CHECK_FALSE(build(copied));
  client_request forwarded{kind::codex, R"({"model":"a"})"};
  forwarded.sent = {{"Originator", bad}};
  CHECK_FALSE(build(forwarded));
  client_request account{kind::codex, R"({"model":"a"})"};
  account.who.secret = secret_string{bad};
  CHECK_FALSE(build(account));
}

TEST_CASE("refuses header names that are none or that frame the message") {
  for (const char* name :
       {"", "X Own", "X:Own", "X-\xc3\xa4", "Content-Length", "transfer-encoding", "Connection"}) {
    CAPTURE(name);
    CHECK_FALSE(build(with_headers({{name, "1"}})));
  }
  CHECK_FALSE(build(with_headers({{"X-Long", std::string(20000, 'a')}})));
}

TEST_CASE("never builds a header with a line break, whatever the client sends") {
  REQUIRE(rc::check("arbitrary client headers", [](const std::string& value) {
    for (const auto& one : provider::registry()) {
      client_request from{one.id, R"({"model":"a"})"};
      for (const char* name : {"originator", "session-id", "anthropic-beta", "anthropic-version"}) {
        from.sent.emplace_back(name, value);
      }
      const auto got = build(from);
      if (!got) continue;
      for (const auto& header : got->headers) {
        RC_ASSERT(header.value.find_first_of(std::string("\r\n\0", 3)) == std::string::npos);
      }
    }
  }));
}

TEST_CASE("lists every provider once, in the order of its kinds") {
  const auto rows = provider::registry();
  REQUIRE(rows.size() == provider::kind_count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(static_cast<std::size_t>(rows[i].id) == i);
    CHECK(rows[i].name == provider::to_string(rows[i].id));
    for (const auto name : rows[i].listed_models) CHECK(rows[i].is_family(name));
  }
}

TEST_CASE("speaks what it serves natively, whichever surface that is") {
  using enum protocol::surface;
  for (const auto& one : provider::registry()) {
    CAPTURE(one.name);
    CHECK(provider::serves_natively(one, own_surface(one.id), "some-model"));
    const bool compacts = one.serves(responses_compact);
    CHECK(provider::serves_natively(one, responses_compact, "some-model") == compacts);
    const bool counts = one.serves(gemini_count_tokens);
    CHECK(provider::serves_natively(one, gemini_count_tokens, "some-model") == counts);
  }
}
