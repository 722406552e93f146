#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;

namespace {

constexpr auto used_up =
    R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota",)"
    R"("param":null,"code":"insufficient_quota"}})";
constexpr auto limited = R"({"error":{"message":"Slow down","type":"rate_limit_error"}})";

const auto none = std::nullopt;

}  // namespace

TEST_CASE("an in-band error whose words stand for a quota is one") {
  for (const auto* word : {"insufficient_quota", "rate_limit_exceeded"}) {
    attempt one{kind::openai_compatibility};
    const std::string name = word;
    CHECK(one.frame(R"({"error":{"code":")" + name + R"(","message":"x"}})", "").kind ==
          outcome_class::quota);
    CHECK(one.frame(R"({"error":{"type":")" + name + R"(","status":500}})", "").status == 500);
  }
}

TEST_CASE("reads the wait of a 429 from its headers, milliseconds first") {
  struct wait_row {
    const char* what;
    headers sent;
    std::optional<double> wait;
  };
  const std::vector<wait_row> rows{
      {"nothing", {}, none},
      {"seconds", {{"Retry-After", "30"}}, 30},
      {"zero is a wait", {{"Retry-After", "0"}}, 0},
      {"negative", {{"Retry-After", "-1"}}, none},
      {"date", {{"Retry-After", "Fri, 15 Jan 2027 08:02:00 GMT"}}, 120},
      {"past date", {{"Retry-After", "Fri, 15 Jan 2027 07:00:00 GMT"}}, 0},
      {"words", {{"Retry-After", "soon"}}, none},
      {"milliseconds win", {{"Retry-After", "30"}, {"Retry-After-Ms", "1500"}}, 1.5},
      {"unreadable milliseconds", {{"Retry-After", "30"}, {"Retry-After-Ms", "x"}}, 30},
      {"negative milliseconds", {{"Retry-After", "30"}, {"Retry-After-Ms", "-1"}}, 30},
      {"too large to be a time", {{"Retry-After", "99999999999999999999"}}, none},
      {"request counters are not read", {{"x-ratelimit-reset-requests", "20s"}}, none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::openai_compatibility}.reply(429, limited, row.sent);
    CHECK(got.kind == outcome_class::quota);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK_FALSE(got.exhausted);
  }
}

TEST_CASE("waits a minute for a tokens-per-minute limit that names no reset") {
  constexpr auto body = R"({"error":{"code":"TPMRateLimitExceeded","message":"tokens"}})";
  const attempt compat{kind::openai_compatibility};
  CHECK(wait_of(compat.reply(429, body).deadline) == 60);
  CHECK(wait_of(compat.reply(429, body, {{"Retry-After", "5"}}).deadline) == 5);
  CHECK_FALSE(compat.reply(500, body).deadline);
}

TEST_CASE("counts insufficient_quota as evidence only with a reset and only on 429 [T72]") {
  struct evidence_row {
    const char* what;
    int status;
    headers sent;
    bool exhausted;
    std::optional<double> wait;
  };
  const std::vector<evidence_row> rows{
      {"no reset", 429, {}, false, none},
      {"seconds", 429, {{"Retry-After", "7200"}}, true, 7200},
      {"zero", 429, {{"Retry-After", "0"}}, true, 0},
      {"negative", 429, {{"Retry-After", "-7200"}}, false, none},
      {"date", 429, {{"Retry-After", "Fri, 15 Jan 2027 10:00:00 GMT"}}, true, 7200},
      {"as 403", 403, {{"Retry-After", "7200"}}, false, none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::openai_compatibility}.reply(row.status, used_up, row.sent);
    CHECK(got.exhausted == row.exhausted);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK_FALSE(got.window);
  }
}

TEST_CASE("sees Google's exhausted quota behind an OpenAI-compatible endpoint [T74] [A26]") {
  constexpr auto body =
      R"([{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Quota","details":[
          {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUOTA_EXHAUSTED"},
          {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3600s"}]}}])";
  const attempt compat{kind::openai_compatibility};
  const auto hinted = compat.reply(429, body, {{"Retry-After", "600"}});
  CHECK(hinted.exhausted);
  CHECK(wait_of(hinted.deadline) == 600);
  CHECK(wait_of(hinted.quota_reset) == 3600);
  const auto bare = compat.reply(429, body);
  CHECK_FALSE(bare.deadline);
  CHECK(wait_of(bare.quota_reset) == 3600);
}

TEST_CASE("takes the status of an in-band error from its fields, else 502") {
  const auto row = GENERATE(table<std::string, int>({
      {R"({"status":429,"error":{}})", 429},
      {R"({"status_code":"503","error":{}})", 503},
      {R"({"error":{"status":401}})", 401},
      {R"({"error":{"status_code":402}})", 402},
      {R"({"response":{"error":{"status":404}}})", 404},
      {R"({"error":{"code":429,"message":"m"}})", 429},
      {R"({"error":{"status":200}})", 502},
      {R"({"error":{"status":600}})", 502},
      {R"({"error":{"status":"RESOURCE_EXHAUSTED"}})", 502},
      {R"({"code":429,"message":"m"})", 429},
      {R"({"code":"503","message":"m"})", 503},
      {R"({"code":429,"message":"m","status":500})", 500},
      {R"({"code":1001,"message":"m"})", 502},
      {R"({"code":"busy","message":"m"})", 502},
      {R"({"error":"text"})", 502},
      {"[]", 502},
  }));
  CAPTURE(std::get<0>(row));
  CHECK(attempt{kind::openai_compatibility}.frame(std::get<0>(row)).status == std::get<1>(row));
}

TEST_CASE("an in-band limit is read with the Retry-After of the reply's head [P17]") {
  const auto got = attempt{kind::openai_compatibility}.frame(
      R"({"error":{"status":429,"type":"insufficient_quota","message":"m"}})", "",
      {{"Retry-After", "7200"}});
  CHECK(wait_of(got.deadline) == 7200);
  CHECK(got.exhausted);
}
