#include "base/secret_string.hpp"

#include "tests/support/catch.hpp"

using tidegate::secret_string;

TEST_CASE("a secret compares by content and shows itself only through reveal") {
  const secret_string key{"sk-example-0123456789"};
  CHECK(key.reveal() == "sk-example-0123456789");
  CHECK(key.equals("sk-example-0123456789"));
  CHECK_FALSE(key.equals("sk-example-0123456780"));
  CHECK_FALSE(key.equals("sk-example"));
  CHECK(key == secret_string{"sk-example-0123456789"});
  CHECK_FALSE(key == secret_string{});
  CHECK(secret_string{}.empty());
  CHECK(secret_string{}.equals(""));
}

TEST_CASE("a masked secret shows at most its ends") {
  CHECK(secret_string{"sk-example-0123456789"}.masked() == "sk-e...6789");
  CHECK(secret_string{"short"}.masked() == "********");
  CHECK(secret_string{"fifteen-letters"}.masked() == "********");
  CHECK(secret_string{}.masked() == "********");
}
