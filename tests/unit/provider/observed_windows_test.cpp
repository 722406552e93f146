/// The cases of spec/cluster-and-ccp.md 2.4 that one reply decides, at their own instant and with
/// their own numbers.

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;

namespace {

constexpr std::int64_t observed = 1785826012;  // 2026-08-04T06:46:52Z
constexpr std::int64_t day = 86'400;

quota::outcome codex(int status, const std::string& body) {
  const auto who = some_credential(kind::codex);
  const auto at = from_unix(observed);
  const headers none;
  const auto header = lookup_in(none);
  return provider::descriptor_of(kind::codex)
      .classify({status, header, body},
                {who, protocol::surface::responses, "model-A", at - std::chrono::seconds{2}, at});
}

std::string limit(const std::string& members, const char* type = "usage_limit_reached") {
  return fmt::format(R"({{"error":{{"type":"{}"{}}}}})", type, members);
}

}  // namespace

TEST_CASE("Codex: observed limits end when they say, else the ladder decides [1-19, 27]") {
  struct row {
    const char* what;
    int status;
    std::string body;
    std::optional<std::int64_t> until;  ///< nullopt: the ladder
  };
  const auto at = [](std::int64_t seconds) {
    return fmt::format(R"(,"resets_at":{})", seconds);
  };
  const auto in = [](const char* number) {
    return fmt::format(R"(,"resets_in_seconds":{})", number);
  };
  const auto none = std::nullopt;
  const std::int64_t week = 1786160230;
  const std::string both = limit(at(week) + in("334218"));
  const std::vector<row> rows{
      {"1", 429, both, week},
      {"2", 429, limit(at(week)), week},
      {"3", 429, limit(in("334218")), week},
      {"4", 429, limit(at(observed - 1) + in("600")), observed + 600},
      {"5", 429, limit(at(observed) + in("600")), observed + 600},
      {"6", 429, limit(at(observed - 1)), none},
      {"7", 429, limit(at(observed + 100) + in("334218")), observed + 100},
      {"8", 429, limit(""), none},
      {"9, zero", 429, limit(in("0")), none},
      {"9, negative", 429, limit(in("-5")), none},
      {"9, huge", 429, limit(in("9.3e18")), none},
      {"10", 429, limit(at(observed + 61 * day) + in("600")), observed + 600},
      {"11", 429, limit(at(observed + 59 * day)), observed + 59 * day},
      {"13", 400, both, week},
      {"15", 429, limit(in("334218"), "rate_limit_error"), none},
      {"16", 429, limit(in("334218"), "Usage_Limit_Reached"), none},
      {"16, other", 429, limit(in("334218"), "usage_limit_reached_v2"), none},
      {"17", 429, R"({"error":{"message":"Selected model is at capacity"}})", none},
      {"18", 429, R"({"type":"usage_limit_reached","resets_in_seconds":600})", none},
      {"19, broken", 429, R"({"error":)", none},
      {"19, empty", 429, "", none},
      {"27", 429, limit(R"(,"message":"resets in 3h")"), none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = codex(row.status, row.body);
    CHECK(got.status == 429);
    CHECK(got.kind == outcome_class::quota);
    REQUIRE(got.deadline.has_value() == row.until.has_value());
    if (row.until) CHECK(*got.deadline == from_unix(*row.until));
  }
  CHECK(codex(429, R"({"error":{"message":"Selected model is at capacity"}})").covers ==
        quota::scope::model);
}

TEST_CASE("Codex: a faulty request is no limit however often it comes [47]") {
  CHECK(codex(400, R"({"error":{"code":"context_too_large"}})").kind ==
        outcome_class::request_fault);
}

TEST_CASE("Claude: a used-up window is the credential's, a model family's the model's [28, 29]") {
  const auto reply = [](const headers& sent) { return attempt{kind::claude}.reply(429, "{}", sent); };
  const auto window = reply({{"Anthropic-Ratelimit-Unified-5h-Status", "rejected"},
                             {"Anthropic-Ratelimit-Unified-5h-Reset", "1800003000"},
                             {"Anthropic-Ratelimit-Unified-7d-Status", "allowed"},
                             {"Retry-After", "60"}});
  CHECK(window.covers == quota::scope::credential);
  CHECK(wait_of(window.deadline) == 3000);
  const auto family = reply({{"Anthropic-Ratelimit-Unified-5h-Status", "allowed"},
                             {"Anthropic-Ratelimit-Unified-7d-Status", "allowed"},
                             {"Anthropic-Ratelimit-Unified-7d_oi-Status", "rejected"}});
  CHECK(family.covers == quota::scope::model);
}
