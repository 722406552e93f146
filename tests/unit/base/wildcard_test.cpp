#include "base/wildcard.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace tidegate;

TEST_CASE("a star matches any run of characters and the rest is literal") {
  auto [pattern, text, expected] = GENERATE(table<std::string, std::string, bool>({
      {"*", "", true},
      {"", "", true},
      {"", "a", false},
      {"gpt-5", "gpt-5", true},
      {"gpt-5", "gpt-5.1", false},
      {"gpt-*", "gpt-", true},
      {"gpt-*", "gpt-5", true},
      {"gpt-*", "xgpt-5", false},
      {"*-mini", "o4-mini", true},
      {"*-mini", "o4-minimal", false},
      {"*codex*", "gpt-5-codex-max", true},
      {"*codex*", "gpt-5", false},
      {"a*b*c", "axxbyyc", true},
      {"a*b*c", "axxbyy", false},
      {"a.c", "abc", false},
      {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
  }));
  CAPTURE(pattern, text);
  CHECK(matches_wildcard(pattern, text) == expected);
}
