#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;

namespace {

std::string google_error(std::string_view status, std::string_view reason, std::string_view delay) {
  const auto retry =
      delay.empty()
          ? std::string{}
          : fmt::format(
                R"(,{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"{}"}})",
                delay);
  return fmt::format(
      R"({{"error":{{"code":429,"status":"{}","message":"Quota exceeded, try after 37s",)"
      R"("details":[)"
      R"({{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"{}",)"
      R"("domain":"x.googleapis.com","metadata":{{"quotaResetDelay":"99s"}}}}{}]}}}})",
      status, reason, retry);
}

const auto none = std::nullopt;

}  // namespace

TEST_CASE("takes a quota reset only from an exhausted quota and never as a hint [T73]") {
  struct quota_row {
    const char* what;
    int status;
    std::string body;
    headers sent;
    bool exhausted;
    std::optional<double> reset;
  };
  const auto used_up = google_error("RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", "5400.25s");
  const std::vector<quota_row> rows{
      {"delay", 429, used_up, {}, true, 5400.25},
      {"delay before Retry-After", 429, used_up, {{"Retry-After", "10"}}, true, 5400.25},
      {"Retry-After alone",
       429,
       google_error("RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", ""),
       {{"Retry-After", "90"}},
       true,
       90},
      {"malformed delay falls through",
       429,
       google_error("RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", "soon"),
       {{"Retry-After", "90"}},
       true,
       90},
      {"zero Retry-After is no reset",
       429,
       google_error("RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", ""),
       {{"Retry-After", "0"}},
       true,
       none},
      {"no reset at all",
       429,
       google_error("RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", ""),
       {},
       true,
       none},
      {"in a one-element array", 429, "[" + used_up + "]", {}, true, 5400.25},
      {"rate limit",
       429,
       google_error("RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "30s"),
       {},
       false,
       none},
      {"other google status",
       429,
       google_error("UNAVAILABLE", "QUOTA_EXHAUSTED", "30s"),
       {},
       false,
       none},
      {"not a 429", 503, used_up, {}, false, none},
      {"plain text",
       429,
       "RESOURCE_EXHAUSTED QUOTA_EXHAUSTED",
       {{"Retry-After", "90"}},
       false,
       none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::gemini}.reply(row.status, row.body, row.sent);
    CHECK(got.exhausted == row.exhausted);
    CHECK(wait_of(got.quota_reset) == row.reset);
    CHECK_FALSE(got.deadline);
    CHECK_FALSE(got.window);
    CHECK(got.covers == quota::scope::model);
  }
}

TEST_CASE("says the same for an in-band quota error [T73]") {
  const auto body = google_error("RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", "60s");
  const auto got = attempt{kind::gemini}.frame(body, "");
  CHECK(got.kind == outcome_class::quota);
  CHECK(got.status == 429);
  CHECK(wait_of(got.quota_reset) == 60);
  CHECK(got.cause == "RESOURCE_EXHAUSTED: Quota exceeded, try after 37s");
  CHECK(attempt{kind::gemini}.frame(R"({"error":{"code":7}})", "").status == 502);
}

TEST_CASE("charges a refused key to the credential though it comes as 400") {
  const auto row = GENERATE(table<std::string, bool>({
      {R"({"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid. Please )"
       R"(pass a valid API key."}})",
       true},
      {R"({"error":{"code":400,"status":"INVALID_ARGUMENT","message":"x","details":[{"@type":)"
       R"("type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}})",
       true},
      {R"({"error":{"code":400,"status":"INVALID_ARGUMENT","message":"contents is empty"}})",
       false},
  }));
  const auto got = attempt{kind::gemini}.reply(400, std::get<0>(row));
  CHECK((got.kind == outcome_class::unauthorized) == std::get<1>(row));
  CHECK((got.kind == outcome_class::request_fault) != std::get<1>(row));
  CHECK((got.covers == quota::scope::credential) == std::get<1>(row));
}

TEST_CASE("takes an unknown model for a refusal of the model, not of the path") {
  const auto got = attempt{kind::gemini}.reply(
      404,
      R"({"error":{"code":404,"status":"NOT_FOUND","message":"models/gemini-x is not found for )"
      R"(API version v1beta, or is not supported for generateContent."}})");
  CHECK(got.kind == outcome_class::model_not_supported);
  CHECK(got.covers == quota::scope::model);
}

TEST_CASE("does not charge the account for a model without capacity") {
  const auto got = attempt{kind::gemini}.reply(
      503, R"({"error":{"code":503,"status":"UNAVAILABLE","message":"No capacity","details":[{)"
           R"("@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":)"
           R"("MODEL_CAPACITY_EXHAUSTED"}]}})");
  CHECK(got.kind == outcome_class::transient);
  CHECK(got.covers == quota::scope::model);
  CHECK_FALSE(got.exhausted);
}
