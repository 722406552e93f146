#include "persistence/file_facts.hpp"

#include <sys/stat.h>

#include "tests/support/catch.hpp"
#include "tests/support/scratch_directory.hpp"

using namespace tidegate;
using namespace tidegate::persistence;
using tidegate::test::scratch_directory;

TEST_CASE("a file that others may read or change, and a directory they may write to, are told") {
  const scratch_directory root;
  root.put("a.json", "12345");
  const auto with_mode = [&](const std::string& name, mode_t mode) {
    REQUIRE(::chmod((root / name).c_str(), mode) == 0);
    const auto facts = facts_of(root / name);
    REQUIRE(facts.has_value());
    return *facts;
  };
  CHECK(with_mode("a.json", 0600).bytes == 5);
  CHECK(exposure_of_file(with_mode("a.json", 0600)).empty());
  CHECK(exposure_of_file(with_mode("a.json", 0400)).empty());
  CHECK_THAT(exposure_of_file(with_mode("a.json", 0644)), ContainsSubstring("0644 lets other users read"));
  CHECK_THAT(exposure_of_file(with_mode("a.json", 0640)), ContainsSubstring("read"));
  CHECK_THAT(exposure_of_file(with_mode("a.json", 0622)), ContainsSubstring("change"));
  CHECK(exposure_of_directory(with_mode("", 0755)).empty());
  CHECK_THAT(exposure_of_directory(with_mode("", 0777)), ContainsSubstring("chmod 700"));
  CHECK_THAT(exposure_of_directory(with_mode("", 01770)), ContainsSubstring("1770"));
  CHECK_FALSE(facts_of(root / "none").has_value());
}
