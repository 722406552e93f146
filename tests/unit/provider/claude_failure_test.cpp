#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;
using quota::scope;

namespace {

constexpr auto limited =
    R"({"type":"error","error":{"type":"rate_limit_error","message":"Too many tokens"}})";

/// Short names for the unified headers.
headers unified(const headers& list) {
  headers out;
  for (const auto& [name, value] : list) {
    out.emplace_back(name == "Retry-After" ? name : "Anthropic-Ratelimit-Unified-" + name, value);
  }
  return out;
}

struct limit_row {
  const char* what;
  headers sent;
  std::optional<double> wait;
  scope covers;
  bool exhausted;
  std::optional<int> minutes;
};

void check_rows(const std::vector<limit_row>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::claude}.reply(429, limited, unified(row.sent));
    CHECK(got.kind == outcome_class::quota);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK(got.covers == row.covers);
    CHECK(got.exhausted == row.exhausted);
    CHECK(minutes_of(got) == row.minutes);
  }
}

const auto none = std::nullopt;

}  // namespace

TEST_CASE("takes the latest reset of the rejected windows [T76]") {
  check_rows({
      {"5h with a short Retry-After",
       {{"5h-Status", "rejected"}, {"5h-Reset", "1800007200"}, {"Retry-After", "60"}},
       7200,
       scope::credential,
       true,
       300},
      {"both windows",
       {{"5h-Status", "rejected"},
        {"5h-Reset", "1800007200"},
        {"7d-Status", "rejected"},
        {"7d-Reset", "1800450000"}},
       450000,
       scope::credential,
       true,
       10080},
      {"both windows with equal reset: the longer binds [A11]",
       {{"5h-Status", "rejected"},
        {"5h-Reset", "1800007200"},
        {"7d-Status", "rejected"},
        {"7d-Reset", "1800007200"}},
       7200,
       scope::credential,
       true,
       10080},
      {"Retry-After later than the window: window unknown",
       {{"5h-Status", "rejected"}, {"5h-Reset", "1800007200"}, {"Retry-After", "9000"}},
       9000,
       scope::credential,
       true,
       none},
      {"past reset and nothing else",
       {{"5h-Status", "rejected"}, {"5h-Reset", "1799990000"}},
       none,
       scope::credential,
       true,
       none},
      {"reset equal to now is past",
       {{"5h-Status", "rejected"}, {"5h-Reset", "1800000000"}},
       none,
       scope::credential,
       true,
       none},
      {"RFC 3339 reset",
       {{"5h-Status", "REJECTED"}, {"5h-Reset", "2027-01-15T10:00:00Z"}},
       7200,
       scope::credential,
       true,
       300},
      {"HTTP date reset",
       {{"5h-Status", "rejected"}, {"5h-Reset", "Fri, 15 Jan 2027 10:00:00 GMT"}},
       7200,
       scope::credential,
       true,
       300},
      {"reset with a fraction",
       {{"5h-Status", "rejected"}, {"5h-Reset", "1800007200.5"}},
       7200.5,
       scope::credential,
       true,
       300},
      {"only the unified status is rejected",
       {{"Status", "rejected"}, {"Reset", "1800001800"}},
       1800,
       scope::credential,
       false,
       none},
  });
}

TEST_CASE("keeps a refusal that is not the shared windows' to the model [T76]") {
  check_rows({
      {"model family bucket with Retry-After",
       {{"5h-Status", "allowed"},
        {"7d-Status", "allowed"},
        {"7d_oi-Status", "rejected"},
        {"7d_oi-Reset", "1800450000"},
        {"Status", "rejected"},
        {"Reset", "1800450000"},
        {"Retry-After", "120"}},
       120,
       scope::model,
       false,
       none},
      {"model family bucket without Retry-After",
       {{"5h-Status", "allowed"},
        {"7d-Status", "allowed"},
        {"7d_oi-Status", "rejected"},
        {"7d_oi-Reset", "1800450000"}},
       none,
       scope::model,
       false,
       none},
      {"no statuses at all", {{"Reset", "1800001800"}}, 1800, scope::model, false, none},
      {"a warning is not `allowed`",
       {{"5h-Status", "allowed_warning"}, {"Reset", "1800001800"}},
       1800,
       scope::model,
       false,
       none},
      {"`allowed` closes the unified reset",
       {{"5h-Status", "allowed"}, {"Reset", "1800001800"}},
       none,
       scope::model,
       false,
       none},
      {"model family bucket while 5h is unknown",
       {{"7d_oi-Status", "rejected"}, {"7d_oi-Reset", "1800450000"}},
       450000,
       scope::model,
       false,
       none},
      {"overage only: no window reopens it",
       {{"5h-Status", "allowed"},
        {"7d-Status", "allowed"},
        {"Status", "rejected"},
        {"Overage-Status", "rejected"},
        {"Reset", "1801500000"},
        {"Retry-After", "1500000"}},
       none,
       scope::model,
       false,
       none},
      {"overage pays for a used-up window",
       {{"Status", "allowed"},
        {"5h-Status", "rejected"},
        {"5h-Reset", "1800007200"},
        {"Overage-Status", "allowed"}},
       none,
       scope::model,
       false,
       none},
      {"no headers", {}, none, scope::model, false, none},
  });
}

TEST_CASE("drops deadlines beyond seven days and one hour") {
  check_rows({
      {"exactly the horizon",
       {{"7d-Status", "rejected"}, {"7d-Reset", "1800608400"}},
       608400,
       scope::credential,
       true,
       10080},
      {"one second beyond",
       {{"7d-Status", "rejected"}, {"7d-Reset", "1800608401"}},
       none,
       scope::credential,
       true,
       none},
      {"18 days of Retry-After", {{"Retry-After", "1555200"}}, none, scope::model, false, none},
      {"a far candidate does not hide a near one",
       {{"7d-Status", "rejected"}, {"7d-Reset", "1900000000"}, {"Retry-After", "30"}},
       30,
       scope::credential,
       true,
       none},
  });
}

TEST_CASE("reads Retry-After as seconds, HTTP date or RFC 3339") {
  check_rows({
      {"seconds", {{"Retry-After", "30"}}, 30, scope::model, false, none},
      {"fraction", {{"Retry-After", "1.5"}}, 1.5, scope::model, false, none},
      {"HTTP date",
       {{"Retry-After", "Fri, 15 Jan 2027 08:01:00 GMT"}},
       60,
       scope::model,
       false,
       none},
      {"RFC 3339", {{"Retry-After", "2027-01-15T08:01:00Z"}}, 60, scope::model, false, none},
      {"zero", {{"Retry-After", "0"}}, none, scope::model, false, none},
      {"negative", {{"Retry-After", "-3"}}, none, scope::model, false, none},
      {"words", {{"Retry-After", "later"}}, none, scope::model, false, none},
  });
}

TEST_CASE("adds the fuzz to the deadline and matches windows without it [A10]") {
  attempt claude{kind::claude};
  claude.fuzz_seconds = 17;
  const auto got =
      claude.reply(429, limited, unified({{"5h-Status", "rejected"}, {"5h-Reset", "1800007200"}}));
  CHECK(wait_of(got.deadline) == 7217);
  CHECK(minutes_of(got) == 300);
  CHECK_FALSE(claude.reply(429, limited).deadline);
}

TEST_CASE("keeps unified limits per model when the operator says so") {
  attempt claude{kind::claude};
  claude.model_level = true;
  const auto got =
      claude.reply(429, limited, unified({{"5h-Status", "rejected"}, {"5h-Reset", "1800007200"}}));
  CHECK(got.covers == scope::model);
  CHECK(got.exhausted);
}

TEST_CASE("charges a refused fast request to the request") {
  constexpr auto body =
      R"({"type":"error","error":{"type":"rate_limit_error","message":"Fast mode requires usage )"
      R"(credits"}})";
  const attempt claude{kind::claude};
  CHECK(claude.reply(429, body).kind == outcome_class::request_fault);
  CHECK(claude.reply(429, body, unified({{"5h-Status", "rejected"}})).kind == outcome_class::quota);
}

TEST_CASE("charges an empty balance to the credential though it comes as 400") {
  const auto got = attempt{kind::claude}.reply(
      400,
      R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance )"
      R"(is too low to access the API."}})");
  CHECK(got.kind == outcome_class::payment_required);
  CHECK(got.covers == scope::credential);
}

TEST_CASE("uses only Retry-After for failures that are not quota") {
  const attempt claude{kind::claude};
  const auto busy =
      claude.reply(503, "", unified({{"Retry-After", "20"}, {"Reset", "1800007200"}}));
  CHECK(busy.kind == outcome_class::transient);
  CHECK(wait_of(busy.deadline) == 20);
  const auto overloaded = claude.reply(
      529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
  CHECK(overloaded.kind == outcome_class::transient);
  CHECK(overloaded.cause == "overloaded_error: Overloaded");
}

TEST_CASE("maps the type of an in-band error to its status") {
  const auto row = GENERATE(table<std::string, int, outcome_class>({
      {"invalid_request_error", 400, outcome_class::request_fault},
      {"authentication_error", 401, outcome_class::unauthorized},
      {"billing_error", 402, outcome_class::payment_required},
      {"permission_error", 403, outcome_class::payment_required},
      {"not_found_error", 404, outcome_class::not_found},
      {"request_too_large", 413, outcome_class::request_fault},
      {"rate_limit_error", 429, outcome_class::quota},
      {"api_error", 500, outcome_class::transient},
      {"timeout_error", 504, outcome_class::transient},
      {"overloaded_error", 529, outcome_class::transient},
      {"something_new", 502, outcome_class::transient},
  }));
  const auto got = attempt{kind::claude}.frame(R"({"type":"error","error":{"type":")" +
                                               std::get<0>(row) + R"(","message":"m"}})");
  CHECK(got.status == std::get<1>(row));
  CHECK(got.kind == std::get<2>(row));
}

TEST_CASE("an in-band limit is read with the unified headers of the reply's head [P17]") {
  constexpr auto in_band = R"({"type":"error","error":{"type":"rate_limit_error","message":"m"}})";
  const auto used_up = attempt{kind::claude}.frame(
      in_band, "error", unified({{"5h-Status", "rejected"}, {"5h-Reset", "1800007200"}}));
  CHECK(wait_of(used_up.deadline) == 7200);
  CHECK(used_up.exhausted);
  CHECK(minutes_of(used_up) == 300);
  CHECK(used_up.covers == quota::scope::credential);
  const auto open = attempt{kind::claude}.frame(
      in_band, "error",
      unified({{"Status", "allowed"}, {"5h-Status", "allowed"}, {"5h-Reset", "1800007200"}}));
  CHECK_FALSE(open.deadline);
  CHECK_FALSE(open.exhausted);
}

TEST_CASE("reports unified windows with use, length and status") {
  const headers sent = unified({{"5h-Status", "allowed"},
                                {"5h-Reset", "1800007200"},
                                {"5h-Utilization", "0.42"},
                                {"7d-Status", "allowed_warning"}});
  const auto got = provider::descriptor_of(kind::claude).windows(lookup_in(sent), t0);
  REQUIRE(got);
  REQUIRE(got->windows.size() == 2);
  CHECK(got->windows[0].name == "5h");
  CHECK(got->windows[0].used_percent == 42.0);
  CHECK(got->windows[0].length == std::chrono::minutes{300});
  CHECK(got->windows[0].reset_at == from_unix(t0_unix + 7200));
  CHECK(got->windows[1].status == "allowed_warning");
  CHECK_FALSE(provider::descriptor_of(kind::claude).windows(lookup_in({}), t0));
}
