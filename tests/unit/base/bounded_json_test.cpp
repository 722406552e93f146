#include "base/bounded_json.hpp"

#include <rapidcheck.h>

#include <string>

#include "tests/support/catch.hpp"

using namespace tidegate;

namespace {

std::string nested(int levels) {
  const auto count = static_cast<std::size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

}  // namespace

TEST_CASE("reads a document within its bounds") {
  const auto document = parse_bounded_json(R"({"a":[1,{"b":null}]})", {});
  REQUIRE(document.has_value());
  CHECK((*document)["a"][0] == 1);
  CHECK(parse_bounded_json(nested(32), {}).has_value());
  CHECK(parse_bounded_json("7", {.bytes_max = 1, .depth_max = 0}).has_value());
}

TEST_CASE("refuses nesting beyond the bound, however deep") {
  const int levels = GENERATE(33, 1000, 400'000);
  const auto document = parse_bounded_json(nested(levels), {});
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().code == errc::limit_exceeded);
  CHECK_THAT(document.error().detail, ContainsSubstring("deeper than 32"));
}

TEST_CASE("refuses a document beyond its size") {
  const auto document = parse_bounded_json("[1,2]", {.bytes_max = 4, .depth_max = 2});
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().code == errc::limit_exceeded);
}

TEST_CASE("refuses what is not one JSON value") {
  const auto* const text = GENERATE("", " ", "{", "{} {}", "[1,]", "{\"a\":1e999}", "nul",
                                    "{'a':1}", "\"\xff\"", "[1] x", "{\"a\"}");
  CAPTURE(text);
  const auto document = parse_bounded_json(text, {});
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().code == errc::invalid_input);
}

TEST_CASE("never throws on any bytes") {
  REQUIRE(rc::check("parse is total", [](const std::string& noise) {
    static_cast<void>(parse_bounded_json(noise, {}));
    static_cast<void>(parse_bounded_json("{\"k\":" + noise + "}", {}));
  }));
}

TEST_CASE("a name that an object has twice is refused where that is asked for") {
  constexpr json_bounds once{.bytes_max = 1024, .depth_max = 8, .names_once = true};
  CHECK(parse_bounded_json(R"({"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":2}]})", once));
  CHECK(parse_bounded_json(R"({"a":1,"a":2})", {}));
  const auto* const text =
      GENERATE(R"({"a":1,"a":2})", R"({"x":[{"a":1,"b":0,"a":2}]})", R"({"a":{},"\u0061":{}})");
  const auto document = parse_bounded_json(text, once);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().code == errc::invalid_input);
  CHECK(document.error().detail == "`a` is there twice");
}
