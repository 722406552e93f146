#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;

namespace {

const auto none = std::nullopt;

std::string limited(std::string_view details, std::string_view message = "Limited") {
  return fmt::format(
      R"({{"error":{{"code":429,"status":"RESOURCE_EXHAUSTED","message":"{}","details":[{}]}}}})",
      message, details);
}

std::string info(std::string_view reason, std::string_view metadata = "") {
  return fmt::format(R"({{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"{}",)"
                     R"("metadata":{{{}}}}})",
                     reason, metadata);
}

std::string retry(std::string_view delay) {
  return fmt::format(R"({{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"{}"}})",
                     delay);
}

}  // namespace

TEST_CASE("Antigravity: a 429 says itself when it ends [T75] [21-26]") {
  struct row {
    const char* what;
    std::string body;
    bool exhausted;
    std::optional<double> wait;
  };
  const std::string later = R"("quotaResetTimeStamp":"2027-01-15T10:00:00Z")";
  const std::string past = R"("quotaResetTimeStamp":"2027-01-15T07:00:00Z")";
  const std::vector<row> rows{
      {"RetryInfo [21]", limited(info("QUOTA_EXHAUSTED") + "," + retry("3600s")), true, 3600},
      {"quotaResetDelay [22]",
       limited(info("QUOTA_EXHAUSTED", R"("quotaResetDelay":"1h16m0.66s")")), true, 4560.66},
      {"the instant wins [23]", limited(info("QUOTA_EXHAUSTED", later) + "," + retry("10s")), true,
       7200},
      {"a past instant does not", limited(info("QUOTA_EXHAUSTED", past) + "," + retry("10s")), true,
       10},
      {"a malformed delay is passed over [24]",
       limited(retry("abc") + "," + info("QUOTA_EXHAUSTED", R"("quotaResetDelay":"30s")")), true,
       30},
      {"words [25]", limited("", "Quota used up. Resets in 45m7s."), false, 2707},
      {"words of a plain text [26]", "try again after 90s", false, 90},
      {"soft", limited(info("RATE_LIMIT_EXCEEDED")), false, none},
      {"instant", limited(info("RATE_LIMIT_EXCEEDED") + "," + retry("1.5s")), false, 1.5},
      {"short", limited(info("RATE_LIMIT_EXCEEDED") + "," + retry("200s")), false, 200},
      {"long", limited(info("RATE_LIMIT_EXCEEDED") + "," + retry("600s")), false, 600},
      {"nothing", "busy", false, none},
      {"zero", limited(info("QUOTA_EXHAUSTED") + "," + retry("0s")), true, none},
      {"in an array", "[" + limited(info("QUOTA_EXHAUSTED") + "," + retry("60s")) + "]", true, 60},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::antigravity}.reply(429, row.body);
    CHECK(got.kind == outcome_class::quota);
    CHECK(got.covers == quota::scope::model);
    CHECK(got.exhausted == row.exhausted);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK(wait_of(got.quota_reset) == (row.exhausted ? row.wait : none));
  }
}

TEST_CASE("Antigravity: Retry-After is no time at which a quota comes back") {
  const auto got = attempt{kind::antigravity}.reply(429, limited(info("QUOTA_EXHAUSTED")),
                                                    {{"Retry-After", "7200"}});
  CHECK(got.exhausted);
  CHECK_FALSE(got.deadline);
  CHECK_FALSE(got.quota_reset);
}

TEST_CASE("Antigravity: only a 429 is about quota") {
  const auto body = limited(info("QUOTA_EXHAUSTED") + "," + retry("60s"));
  const auto got = attempt{kind::antigravity}.reply(503, body);
  CHECK(got.kind == outcome_class::transient);
  CHECK_FALSE(got.exhausted);
  CHECK_FALSE(got.deadline);
  const auto frame = attempt{kind::antigravity}.frame(body, "");
  CHECK(frame.status == 429);
  CHECK(wait_of(frame.deadline) == 60);
}

TEST_CASE("Antigravity: what may be better at the other address is tried there") {
  const auto is_local = provider::descriptor_of(kind::antigravity).odd.is_local;
  const attempt one{kind::antigravity};
  const auto full =
      R"({"error":{"code":503,"status":"UNAVAILABLE","message":"No capacity available for model"}})";
  CHECK(is_local(one.reply(429, "busy")));
  CHECK(is_local(one.reply(503, full)));
  CHECK(is_local(provider::transport_failure("connection refused", one.view())));
  CHECK_FALSE(is_local(one.reply(503, "busy")));
  CHECK_FALSE(is_local(one.reply(500, full)));
  CHECK_FALSE(is_local(one.reply(401, "{}")));
  CHECK_FALSE(is_local(one.reply(400, "{}")));
}
