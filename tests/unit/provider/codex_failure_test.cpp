#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;

namespace {

struct usage_row {
  const char* what;
  int status;
  const char* error;  ///< members of the error object
  std::optional<double> wait;
  bool exhausted;
};

}  // namespace

TEST_CASE("reads the reset of a usage limit from the error object only [T70] [T71]") {
  const auto none = std::nullopt;
  const std::vector<usage_row> rows{
      {"future instant wins", 429,
       R"("type":"usage_limit_reached","resets_at":1800007200,"resets_in_seconds":60)", 7200, true},
      {"past instant, wait", 429,
       R"("type":"usage_limit_reached","resets_at":1799999000,"resets_in_seconds":900)", 900, true},
      {"instant equal to now", 429, R"("type":"usage_limit_reached","resets_at":1800000000)", none,
       true},
      {"past instant, zero wait", 429,
       R"("type":"usage_limit_reached","resets_at":1799999000,"resets_in_seconds":0)", none, true},
      {"negative wait", 429, R"("type":"usage_limit_reached","resets_in_seconds":-5)", none, true},
      {"http 403", 403, R"("type":"usage_limit_reached","resets_at":1800007200)", 7200, true},
      {"http 500", 500, R"("type":"usage_limit_reached","resets_at":1800007200)", 7200, true},
      {"numeric string", 429, R"("type":"usage_limit_reached","resets_at":"1800007200")", 7200,
       true},
      {"fraction is cut", 429, R"("type":"usage_limit_reached","resets_at":1800000000.9)", none,
       true},
      {"fraction of a later second", 429,
       R"("type":"usage_limit_reached","resets_at":1800000005.9)", 5, true},
      {"milliseconds are no seconds", 429,
       R"("type":"usage_limit_reached","resets_at":1800007200000,"resets_in_seconds":30)", 30,
       true},
      {"figure that no number holds", 429,
       R"("type":"usage_limit_reached","resets_at":1e400,"message":"\"1e400\\\\",)"
       R"("resets_in_seconds":900)",
       900, true},
      {"absurd wait", 429, R"("type":"usage_limit_reached","resets_in_seconds":1e300)", none, true},
      {"other type", 429, R"("type":"rate_limit_error","resets_at":1800007200)", none, false},
      {"other spelling is 429 without reset", 400,
       R"("type":"Usage_Limit_Reached","resets_at":1800007200)", none, false},
      {"blanks around the type", 429, R"("type":" usage_limit_reached ","resets_at":1800007200)",
       7200, true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got =
        attempt{kind::codex}.reply(row.status, fmt::format(R"({{"error":{{{}}}}})", row.error));
    CHECK(got.kind == outcome_class::quota);
    CHECK(got.status == 429);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK(got.exhausted == row.exhausted);
  }
}

TEST_CASE("does not take a reset from top-level fields") {
  const auto top =
      attempt{kind::codex}.reply(429, R"({"type":"usage_limit_reached","resets_at":1800007200})");
  CHECK(top.status == 429);
  CHECK_FALSE(top.deadline);
}

TEST_CASE("does not read Retry-After where the ChatGPT backend speaks for itself") {
  const headers wait{{"Retry-After", "7200"}};
  const headers with_windows{{"Retry-After", "7200"}, {"X-Codex-Primary-Used-Percent", "30"}};
  struct own_row {
    const char* what;
    const char* body;
    const headers* sent;
  };
  const std::vector<own_row> rows{
      {"usage limit without a reset", R"({"error":{"type":"usage_limit_reached"}})", &wait},
      {"usage limit with a past reset",
       R"({"error":{"type":"usage_limit_reached","resets_at":1799999000}})", &wait},
      {"another type with a reset", R"({"error":{"type":"x","resets_at":1799999000}})", &wait},
      {"another type with a wait", R"({"error":{"type":"x","resets_in_seconds":0}})", &wait},
      {"capacity", R"({"error":{"message":"Selected model is at capacity"}})", &wait},
      {"window headers", R"({"error":{"message":"slow down"}})", &with_windows},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::codex}.reply(429, row.body, *row.sent);
    CHECK(got.kind == outcome_class::quota);
    CHECK_FALSE(got.deadline);
  }
}

TEST_CASE("reads a 429 without words of the ChatGPT backend like OpenAI's own [T72]") {
  const auto none = std::nullopt;
  constexpr auto limited = R"({"error":{"message":"Slow down","type":"rate_limit_error"}})";
  constexpr auto used_up = R"({"error":{"message":"x","type":"insufficient_quota",)"
                           R"("code":"insufficient_quota"}})";
  struct wait_row {
    const char* what;
    int status;
    const char* body;
    headers sent;
    std::optional<double> wait;
    bool exhausted;
  };
  const std::vector<wait_row> rows{
      {"seconds", 429, limited, {{"Retry-After", "7200"}}, 7200, false},
      {"date", 429, limited, {{"Retry-After", "Fri, 15 Jan 2027 08:02:00 GMT"}}, 120, false},
      {"milliseconds win",
       429,
       limited,
       {{"Retry-After", "30"}, {"Retry-After-Ms", "1500"}},
       1.5,
       false},
      {"no header", 429, limited, {}, none, false},
      {"counters are not read", 429, limited, {{"x-ratelimit-reset-tokens", "6m0s"}}, none, false},
      {"tokens per minute", 429, R"({"error":{"code":"TPMRateLimitExceeded"}})", {}, 60, false},
      {"used up", 429, used_up, {{"Retry-After", "7200"}}, 7200, true},
      {"used up without a reset", 429, used_up, {}, none, false},
      {"as 403", 403, used_up, {{"Retry-After", "7200"}}, none, false},
      {"bare", 429, "", {{"Retry-After", "30"}}, 30, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::codex}.reply(row.status, row.body, row.sent);
    CHECK(wait_of(got.deadline) == row.wait);
    CHECK(got.exhausted == row.exhausted);
    CHECK(got.covers == quota::scope::model);
    CHECK_FALSE(got.window);
  }
}

TEST_CASE("turns a model at capacity into 429 without a reset and without evidence") {
  const auto got = attempt{kind::codex}.reply(
      503,
      R"({"error":{"message":"Selected model is at capacity. Please try a different model."}})");
  CHECK(got.kind == outcome_class::quota);
  CHECK(got.status == 429);
  CHECK_FALSE(got.deadline);
  CHECK_FALSE(got.exhausted);
  CHECK(got.covers == quota::scope::model);
}

TEST_CASE("covers the account with a usage limit unless limits are kept per model") {
  constexpr auto body = R"({"error":{"type":"usage_limit_reached","resets_at":1800007200}})";
  attempt codex{kind::codex};
  CHECK(codex.reply(429, body).covers == quota::scope::credential);
  codex.model_level = true;
  CHECK(codex.reply(429, body).covers == quota::scope::model);
  CHECK(attempt{kind::codex}.reply(429, "{}").covers == quota::scope::model);
}

TEST_CASE("finds the exhausted window by its reset, else by its use [A12]") {
  struct window_row {
    const char* what;
    headers sent;
    std::optional<int> minutes;
  };
  const std::vector<window_row> rows{
      {"no headers", {}, std::nullopt},
      {"reset within two seconds",
       {{"X-Codex-Primary-Used-Percent", "97"},
        {"X-Codex-Primary-Window-Minutes", "300"},
        {"X-Codex-Primary-Reset-At", "1800007202"},
        {"X-Codex-Secondary-Used-Percent", "100"},
        {"X-Codex-Secondary-Window-Minutes", "10080"},
        {"X-Codex-Secondary-Reset-At", "1800400000"}},
       300},
      {"reset after seconds stands for the instant",
       {{"x-codex-secondary-window-minutes", "10080"},
        {"x-codex-secondary-reset-after-seconds", "7199"}},
       10080},
      {"three seconds apart, the used one counts",
       {{"X-Codex-Primary-Used-Percent", "100.0"},
        {"X-Codex-Primary-Window-Minutes", "300"},
        {"X-Codex-Primary-Reset-At", "1800007203"},
        {"X-Codex-Secondary-Used-Percent", "41"},
        {"X-Codex-Secondary-Window-Minutes", "10080"}},
       300},
      {"both used, the later reset counts",
       {{"X-Codex-Primary-Used-Percent", "100"},
        {"X-Codex-Primary-Window-Minutes", "300"},
        {"X-Codex-Primary-Reset-At", "1800001000"},
        {"X-Codex-Secondary-Used-Percent", "104"},
        {"X-Codex-Secondary-Window-Minutes", "10080"},
        {"X-Codex-Secondary-Reset-At", "1800400000"}},
       10080},
      {"neither tells",
       {{"X-Codex-Primary-Used-Percent", "30"}, {"X-Codex-Primary-Window-Minutes", "300"}},
       std::nullopt},
      {"unreadable length",
       {{"X-Codex-Primary-Used-Percent", "100"}, {"X-Codex-Primary-Window-Minutes", "soon"}},
       std::nullopt},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = attempt{kind::codex}.reply(
        429, R"({"error":{"type":"usage_limit_reached","resets_at":1800007200}})", row.sent);
    CHECK(minutes_of(got) == row.minutes);
  }
}

TEST_CASE("does not read a reset header of a window with room as exhaustion") {
  const auto got = attempt{kind::codex}.reply(429, R"({"error":{"message":"Too many requests"}})",
                                              {{"X-Codex-Primary-Used-Percent", "30"},
                                               {"X-Codex-Primary-Window-Minutes", "300"},
                                               {"X-Codex-Primary-Reset-At", "1800018000"}});
  CHECK(got.kind == outcome_class::quota);
  CHECK_FALSE(got.exhausted);
  CHECK_FALSE(got.deadline);
  CHECK_FALSE(got.window);
}

TEST_CASE("classifies in-band errors like replies [T70]") {
  struct frame_row {
    const char* data;
    int status;
    outcome_class kind;
    std::optional<double> wait;
  };
  const auto none = std::nullopt;
  const std::vector<frame_row> rows{
      {R"({"type":"error","error":{"type":"usage_limit_reached","resets_at":1800007200}})", 429,
       outcome_class::quota, 7200},
      {R"({"type":"response.failed","response":{"error":{"type":"usage_limit_reached",)"
       R"("resets_in_seconds":90}}})",
       429, outcome_class::quota, 90},
      {R"({"type":"error","status":429,"body":{"error":{"type":"usage_limit_reached",)"
       R"("resets_in_seconds":90}}})",
       429, outcome_class::quota, 90},
      {R"({"type":"error","status_code":"429","error":{"message":"slow"}})", 429,
       outcome_class::quota, none},
      {R"({"type":"error","status":429,"error":{"code":"websocket_connection_limit_reached"}})",
       429, outcome_class::quota, 0},
      {R"({"type":"response.failed","response":{"error":{"code":"context_length_exceeded",)"
       R"("message":"x"}}})",
       400, outcome_class::request_fault, none},
      {R"({"type":"error","error":{"code":"invalid_encrypted_content","message":"x"}})", 400,
       outcome_class::request_fault, none},
      {R"({"type":"error","error":{"type":"invalid_request_error","message":"x"}})", 400,
       outcome_class::request_fault, none},
      {R"({"type":"error","error":{"type":"authentication_error","message":"x"}})", 401,
       outcome_class::unauthorized, none},
      {R"({"type":"error","error":{"type":"permission_error","message":"x"}})", 403,
       outcome_class::payment_required, none},
      {R"({"type":"error","error":{"type":"not_found_error","message":"x"}})", 404,
       outcome_class::not_found, none},
      {R"({"type":"error","error":{"code":"rate_limit_exceeded","message":"x"}})", 429,
       outcome_class::quota, none},
      {R"({"type":"error","error":{"code":"server_is_overloaded","message":"x"}})", 503,
       outcome_class::transient, none},
      {R"({"type":"error","error":{"message":"Selected model is at capacity"}})", 429,
       outcome_class::quota, none},
      {R"({"type":"error","error":{"message":"boom"}})", 502, outcome_class::transient, none},
      {"not json", 502, outcome_class::transient, none},
      {"", 502, outcome_class::transient, none},
  };
  for (const auto& row : rows) {
    CAPTURE(row.data);
    const auto got = attempt{kind::codex}.frame(row.data);
    CHECK(got.status == row.status);
    CHECK(got.kind == row.kind);
    CHECK(wait_of(got.deadline) == row.wait);
  }
}

TEST_CASE("reads the headers object of a frame as HTTP headers") {
  const auto got = attempt{kind::codex}.frame(
      R"({"type":"error","status":429,"error":{"type":"usage_limit_reached","resets_at":1800007200},
          "headers":{"X-Codex-Primary-Used-Percent":"100","x-codex-primary-window-minutes":300,
                     "x-codex-primary-reset-at":null}})");
  CHECK(got.exhausted);
  CHECK(minutes_of(got) == 300);
}

TEST_CASE("an in-band failure finds its window in the reply's head and in telemetry [P17]") {
  constexpr auto failed =
      R"({"type":"response.failed","response":{"error":{"type":"usage_limit_reached",)"
      R"("resets_at":1800007200}}})";
  const headers head{{"X-Codex-Primary-Window-Minutes", "300"},
                     {"X-Codex-Primary-Reset-At", "1800007201"}};
  const quota::window_report telemetry{
      {{"secondary", 99, std::chrono::minutes{10080}, from_unix(t0_unix + 7198), ""}}, "event", t0};
  attempt codex{kind::codex};
  CHECK_FALSE(codex.frame(failed).window);
  CHECK(minutes_of(codex.frame(failed, "response.failed", head)) == 300);
  codex.windows = &telemetry;
  CHECK(minutes_of(codex.frame(failed, "response.failed", head)) == 10080);
  CHECK(minutes_of(codex.frame(
            R"({"type":"error","status":429,"error":{"type":"usage_limit_reached",)"
            R"("resets_at":1800007200},"headers":{"X-Codex-Primary-Reset-At":1800007200,)"
            R"("X-Codex-Primary-Window-Minutes":1440}})",
            "error", head)) == 1440);
}

TEST_CASE("an in-band failure that no words of the ChatGPT backend explain reads Retry-After [P17]") {
  constexpr auto limited = R"({"type":"error","status":429,"error":{"message":"Slow down"}})";
  const headers wait{{"Retry-After", "7200"}};
  CHECK(wait_of(attempt{kind::codex}.frame(limited, "error", wait).deadline) == 7200);
  constexpr auto with_own =
      R"({"type":"error","status":429,"error":{"message":"Slow down"},"headers":{"Retry-After":60}})";
  CHECK(wait_of(attempt{kind::codex}.frame(with_own, "error", wait).deadline) == 60);
}

TEST_CASE("reports quota windows from headers and from the telemetry event") {
  const headers sent{{"x-codex-primary-used-percent", "41.5"},
                     {"x-codex-primary-window-minutes", "300"},
                     {"x-codex-primary-reset-after-seconds", "8100"},
                     {"x-codex-secondary-used-percent", "7"}};
  const auto& codex = provider::descriptor_of(kind::codex);
  const auto from_headers = codex.windows(lookup_in(sent), t0);
  REQUIRE(from_headers);
  REQUIRE(from_headers->windows.size() == 2);
  CHECK(from_headers->windows[0] ==
        quota::window{"primary", 41.5, std::chrono::minutes{300}, from_unix(t0_unix + 8100), ""});
  CHECK(from_headers->windows[1].name == "secondary");
  CHECK_FALSE(codex.windows(lookup_in({}), t0));

  constexpr std::string_view event =
      R"({"type":"codex.rate_limits","rate_limits":{"allowed":true,"limit_reached":false,
          "primary":{"used_percent":41,"window_minutes":300,"reset_at":1800008100},
          "secondary":{"used_percent":3,"window_minutes":10080,"reset_after_seconds":60}}})";
  const auto from_event = codex.frame_windows({event, "", event}, t0);
  REQUIRE(from_event);
  CHECK(from_event->source == "event");
  CHECK(from_event->windows[1].reset_at == from_unix(t0_unix + 60));
  constexpr std::string_view other = R"({"type":"response.created"})";
  CHECK_FALSE(codex.frame_windows({other, "response.created", other}, t0));
}
