#include "base/time_text.hpp"

#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace std::chrono_literals;

namespace {

/// 2027-01-15T08:00:00Z
constexpr instant base_time = from_unix(1'800'000'000);

instant any_instant() {
  const auto nanos =
      *rc::gen::inRange<std::int64_t>(-9'000'000'000'000'000'000, 9'000'000'000'000'000'000);
  return instant{std::chrono::nanoseconds{nanos}};
}

}  // namespace

TEST_CASE("reads RFC 3339 instants with fractions and offsets") {
  const std::vector<std::pair<std::string, instant>> rows{
      {"2027-01-15T08:00:00Z", base_time},
      {"2027-01-15t08:00:00z", base_time},
      {"2027-01-15T09:30:00+01:30", base_time},
      {"2027-01-14T23:00:00-09:00", base_time},
      {"2027-01-15T08:00:00+00:00", base_time},
      {"2027-01-15T08:00:00.5Z", base_time + 500ms},
      {"2027-01-15T08:00:00.000000001Z", base_time + 1ns},
      {"2027-01-15T08:00:00.1234567899Z", base_time + 123456789ns},
      {"2028-02-29T00:00:00Z", from_unix(1'835'395'200)},
      {"2000-02-29T00:00:00Z", from_unix(951'782'400)},
      {"1970-01-01T00:00:00Z", from_unix(0)},
      {"1969-12-31T23:59:59.5Z", from_unix(-1) + 500ms},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    REQUIRE(parse_rfc3339(text).has_value());
    CHECK(*parse_rfc3339(text) == expected);
  }
}

TEST_CASE("reads Go's zero time as none") {
  CHECK_FALSE(parse_rfc3339("0001-01-01T00:00:00Z"));
  CHECK_FALSE(parse_rfc3339("0001-01-01T00:00:00.5+01:00"));
}

TEST_CASE("refuses text that is no RFC 3339 instant") {
  const auto* const text =
      GENERATE("", "2027", "2027-01-15", "2027-01-15T08:00:00", "2027-01-15 08:00:00Z",
               "2027-13-15T08:00:00Z", "2027-00-15T08:00:00Z", "2027-01-32T08:00:00Z",
               "2027-02-29T08:00:00Z", "1900-02-29T08:00:00Z", "2027-01-15T24:00:00Z",
               "2027-01-15T08:60:00Z", "2027-01-15T08:00:60Z", "2027-01-15T08:00:00.Z",
               "2027-01-15T08:00:00Z ", " 2027-01-15T08:00:00Z", "2027-01-15T08:00:00ZZ",
               "2027-01-15T08:00:00+0100", "2027-01-15T08:00:00+24:00", "2027-01-15T08:00:00+01:60",
               "+027-01-15T08:00:00Z", "2027-1-15T08:00:00Z", "9999-12-31T23:59:59Z",
               "2262-04-11T23:47:17Z", "1677-09-20T00:00:00Z", "12027-01-15T08:00:00Z");
  CAPTURE(text);
  CHECK_FALSE(parse_rfc3339(text));
}

TEST_CASE("writes UTC and a fraction only when there is one") {
  CHECK(format_rfc3339(base_time) == "2027-01-15T08:00:00Z");
  CHECK(format_rfc3339(base_time + 500ms) == "2027-01-15T08:00:00.5Z");
  CHECK(format_rfc3339(base_time + 120ns) == "2027-01-15T08:00:00.00000012Z");
  CHECK(format_rfc3339(from_unix(0) - 1ns) == "1969-12-31T23:59:59.999999999Z");
  CHECK(format_rfc3339(from_unix(1'835'395'199)) == "2028-02-28T23:59:59Z");
}

TEST_CASE("an instant survives its text form") {
  REQUIRE(rc::check("parse(format(t)) == t", [] {
    const instant t = any_instant();
    RC_ASSERT(parse_rfc3339(format_rfc3339(t)) == std::optional{t});
  }));
}

TEST_CASE("never crashes on any bytes and never accepts a longer text") {
  REQUIRE(rc::check("parsers are total", [](const std::string& noise) {
    const instant t = any_instant();
    RC_ASSERT(noise.empty() || !parse_rfc3339(format_rfc3339(t) + noise));
    static_cast<void>(parse_rfc3339(noise));
    static_cast<void>(parse_http_date(noise));
    static_cast<void>(parse_go_duration(noise));
    static_cast<void>(parse_retry_after(noise, t));
  }));
}

TEST_CASE("reads the three forms of an HTTP date") {
  const instant expected = from_unix(784'111'777);
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == expected);
  CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT") == expected);
  CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == expected);
  CHECK(parse_http_date("Wed Nov 16 08:49:37 1994") == expected + 240h);
  CHECK(parse_http_date("Fri, 15 Jan 2027 08:00:00 GMT") == base_time);
  CHECK(parse_http_date("Friday, 15-Jan-27 08:00:00 GMT") == base_time);
}

TEST_CASE("refuses text that is no HTTP date") {
  const auto* const text = GENERATE(
      "", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 29 Feb 2027 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
      "Sun, 06 Nov 9999 08:49:37 GMT", "Sun, 06 Nov 0001 08:49:37 GMT");
  CAPTURE(text);
  CHECK_FALSE(parse_http_date(text));
}

TEST_CASE("reads Go durations") {
  const std::vector<std::pair<std::string, duration>> rows{
      {"0", 0s},
      {"0s", 0s},
      {"90s", 90s},
      {"1500ms", 1500ms},
      {"-2s", -2s},
      {"+2s", 2s},
      {"1h2m3.5s", 1h + 2min + 3500ms},
      {"1.5h", 90min},
      {".5s", 500ms},
      {"1.s", 1s},
      {"1us", 1us},
      {"1\xC2\xB5s", 1us},
      {"1\xCE\xBCs", 1us},
      {"7ns", 7ns},
      {"0.1s", 100ms},
      {"0.0000000019s", 1ns},
      {"3.3333333333333333333333s", 3333333333ns},
      {"9223372036854775807ns", duration::max()},
      {"-9223372036854775808ns", duration::min()},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    REQUIRE(parse_go_duration(text).has_value());
    CHECK(*parse_go_duration(text) == expected);
  }
}

TEST_CASE("refuses durations without unit, without digits and beyond the range") {
  const auto* const text =
      GENERATE("", "-", "+", "1", "1.5", "s", ".s", "1x", "1 s", " 1s", "1s ", "1s2", "--1s", "1S",
               "1d", "9223372036854775808ns", "-9223372036854775809ns", "99999999999999999999999s",
               "2562048h", "2562047h2562047h", "1e3s", "00", "-0x1s");
  CAPTURE(text);
  CHECK_FALSE(parse_go_duration(text));
}

TEST_CASE("rounds reset times to whole seconds, half away from zero") {
  const std::vector<std::pair<duration, std::string>> rows{
      {-5s, "0s"},
      {0s, "0s"},
      {1ns, "1s"},
      {499ms, "1s"},
      {999ms, "1s"},
      {1s, "1s"},
      {1499ms, "1s"},
      {1500ms, "2s"},
      {45s, "45s"},
      {59500ms, "1m0s"},
      {60s, "1m0s"},
      {301s, "5m1s"},
      {3599500ms, "1h0m0s"},
      {7200400ms, "2h0m0s"},
      {7200s, "2h0m0s"},
      {3605s, "1h0m5s"},
      {450000s, "125h0m0s"},
      {duration::max(), "2562047h47m17s"},
      {duration::min(), "0s"},
  };
  for (const auto& [wait, expected] : rows) {
    CAPTURE(wait.count());
    CHECK(format_reset_time(wait) == expected);
  }
}

TEST_CASE("a reset time is itself a Go duration within half a second of the wait") {
  REQUIRE(rc::check("format_reset_time rounds", [] {
    const auto nanos = *rc::gen::inRange<std::int64_t>(1'000'000'000, 4'000'000'000'000'000);
    const auto back = parse_go_duration(format_reset_time(duration{nanos}));
    RC_ASSERT(back.has_value());
    const auto distance = *back - duration{nanos};
    RC_ASSERT(distance <= 500ms && distance > -500ms);
  }));
}

TEST_CASE("reads Retry-After as seconds or as a date") {
  const instant now = base_time + 250ms;
  const std::vector<std::pair<std::string, duration>> rows{
      {"0", 0s},
      {"120", 120s},
      {" 120\t", 120s},
      {"1.5", 1500ms},
      {"Fri, 15 Jan 2027 08:00:10 GMT", 9750ms},
      {"Friday, 15-Jan-27 08:01:00 GMT", 59750ms},
      {"Fri Jan 15 08:00:01 2027", 750ms},
      {"Fri, 15 Jan 2027 08:00:00 GMT", 0s},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 0s},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    REQUIRE(parse_retry_after(text, now).has_value());
    CHECK(*parse_retry_after(text, now) == expected);
  }
}

TEST_CASE("refuses a Retry-After that is negative, empty or no number") {
  const auto* const text =
      GENERATE("", " ", "-1", "-0.5", "+5", "abc", "12abc", "1.", ".5", "1e3", "0x10", "nan", "inf",
               "99999999999999999999", "9223372036854775807", "1,5", "60s");
  CAPTURE(text);
  CHECK_FALSE(parse_retry_after(text, base_time));
}

TEST_CASE("a Retry-After date cannot overflow the wait") {
  CHECK_FALSE(parse_retry_after("Sun, 06 Nov 2250 08:49:37 GMT", instant::min()));
}
