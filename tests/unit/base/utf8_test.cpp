#include "base/utf8.hpp"

#include "tests/support/catch.hpp"

using namespace tidegate;

TEST_CASE("a name that is no text is shown by its bytes, a text as it is") {
  const auto [bytes, shown] = GENERATE(table<std::string, std::string>({
      {"a.json", "a.json"},
      {"\xc3\xa9.json", "\xc3\xa9.json"},
      {"", ""},
      {"\xff.json", "\\xff.json"},
      {"\xc3.json", "\\xc3.json"},
      {"\xc3\xa9\xff", "\\xc3\\xa9\\xff"},
      {"a\nb", "a\\x0ab"},
      {"a\x7f", "a\\x7f"},
  }));
  CHECK(escaped_name(bytes) == shown);
  CHECK(is_plain_text(bytes) == (bytes == shown));
}
