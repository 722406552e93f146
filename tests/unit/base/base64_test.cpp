#include "base/base64.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"

using namespace tidegate;

TEST_CASE("base64url has the vectors of RFC 4648 without padding") {
  const auto [bytes, text] = GENERATE(table<std::string, std::string>({
      {"", ""},
      {"f", "Zg"},
      {"fo", "Zm8"},
      {"foo", "Zm9v"},
      {"foobar", "Zm9vYmFy"},
      {"\xfb\xff\xfe", "-__-"},
  }));
  CHECK(base64url(bytes) == text);
  CHECK(parse_base64url(text) == bytes);
}

TEST_CASE("padding is no part of what base64url says") {
  CHECK(parse_base64url("Zg==") == "f");
  CHECK(parse_base64url("Zm8=") == "fo");
}

TEST_CASE("other characters and impossible lengths are no base64url") {
  const auto* const text = GENERATE("+/+/", "Zg Zg", "Z", "Zm9vY", "Z\n8", "=Zg");
  CAPTURE(text);
  CHECK_FALSE(parse_base64url(text).has_value());
}

TEST_CASE("what base64url writes it reads") {
  CHECK(rc::check(
      [](const std::string& bytes) { RC_ASSERT(parse_base64url(base64url(bytes)) == bytes); }));
}
