#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;
using quota::scope;

namespace {

struct row {
  const char* what;
  int status;
  const char* body;
  outcome_class kind;
  scope covers;
  std::optional<double> wait = std::nullopt;
};

const std::vector<row>& rows() {
  static const std::vector<row> all{
      {"stale token", 403,
       R"({"code":"unauthenticated:bad-credentials","error":"The access token is stale."})",
       outcome_class::unauthorized, scope::credential},
      {"stale token in words", 403,
       R"({"error":{"message":"The OAuth2 access token could not be validated"}})",
       outcome_class::unauthorized, scope::credential},
      {"no permission", 403, R"({"code":"permission-denied","error":"Not yours."})",
       outcome_class::payment_required, scope::model},
      {"bad key", 401, R"({"error":"Incorrect API key provided"})", outcome_class::unauthorized,
       scope::credential},
      {"free usage", 429,
       R"({"code":"subscription:free-usage-exhausted","error":"You used it all."})",
       outcome_class::quota, scope::model, 86400},
      {"free usage in words", 429,
       R"({"error":{"message":"You have used the included free usage for this model"}})",
       outcome_class::quota, scope::model, 86400},
      {"rate", 429, R"({"error":{"message":"Too many requests"}})", outcome_class::quota,
       scope::model},
      {"fault", 400, R"({"code":"invalid","error":"Bad input"})", outcome_class::request_fault,
       scope::model},
      {"server", 503, "busy", outcome_class::transient, scope::model},
  };
  return all;
}

}  // namespace

TEST_CASE("xAI: refusals have the class of what they mean, and free usage returns in a day") {
  for (const auto& row : rows()) {
    CAPTURE(row.what);
    const auto got = attempt{kind::xai}.reply(row.status, row.body, {{"Retry-After", "5"}});
    CHECK(got.kind == row.kind);
    CHECK(got.covers == row.covers);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK_FALSE(got.exhausted);
    CHECK_FALSE(got.quota_reset);
  }
}

TEST_CASE("xAI: an error event says the same in words") {
  const auto limited = attempt{kind::xai}.frame(
      R"({"type":"error","code":"rate_limit_exceeded","message":"included free usage is used up"})");
  CHECK(limited.kind == outcome_class::quota);
  CHECK(limited.status == 429);
  CHECK(wait_of(limited.deadline) == 86400);
  const auto failed = attempt{kind::xai}.frame(
      R"({"type":"response.failed","response":{"error":{"code":"server_error"}}})");
  CHECK(failed.kind == outcome_class::transient);
  CHECK(failed.status == 502);
}
