#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include "persistence/credential_store.hpp"
#include "persistence/store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scratch_directory.hpp"

using namespace tidegate;
using namespace tidegate::persistence;
using tidegate::test::scratch_directory;
namespace fs = std::filesystem;

TEST_CASE("replaces a file as a whole and with the mode asked for") {
  const scratch_directory root;
  const std::string path = root / "file.json";
  REQUIRE(write_file_atomically(path, "first, longer", 0600).has_value());
  REQUIRE(write_file_atomically(path, "second", 0640).has_value());
  CHECK(root.text("file.json") == "second");
  CHECK(root.count() == 1);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0640);
}

TEST_CASE("refuses to write to what is no file name") {
  const scratch_directory root;
  CHECK_FALSE(write_file_atomically("", "x", 0600).has_value());
  CHECK_FALSE(write_file_atomically(root / "", "x", 0600).has_value());
  CHECK_FALSE(write_file_atomically(root / "..", "x", 0600).has_value());
  root.put("plain", "x");
  CHECK_FALSE(write_file_atomically(root / "plain/below", "x", 0600).has_value());
}

TEST_CASE("reads a file up to its bound") {
  const scratch_directory root;
  root.put("five", "12345");
  CHECK(read_file(root / "five", 5).value() == "12345");
  CHECK(read_file(root / "five", 4).error().code == errc::limit_exceeded);
  CHECK(read_file(root / "none", 4).error().code == errc::not_found);
  CHECK(read_file(root.path().string(), 4).error().code == errc::invalid_input);
  root.put("empty", "");
  CHECK(read_file(root / "empty", 0).value().empty());
}

TEST_CASE("a pipe in place of a file is refused without waiting for its writer") {
  const scratch_directory root;
  REQUIRE(::mkfifo((root / "pipe.json").c_str(), 0600) == 0);
  CHECK(read_file(root / "pipe.json", 10).error().code == errc::invalid_input);
  const auto listing = list_credential_files(root.path().string());
  CHECK(listing.files.empty());
  REQUIRE(listing.problems.size() == 1);
  CHECK_THAT(listing.problems[0].reason, ContainsSubstring("not a regular file"));
  CHECK(listing.problems[0].relative_path == "pipe.json");
}

TEST_CASE("a file whose name is no text is listed by its bytes, with its error") {
  const scratch_directory root;
  root.put("\xff\xfe.json", "{}");
  root.put("line\nend.json", "{}");
  root.put("\xc3\xa9.json", "{}");
  const auto listing = list_credential_files(root.path().string());
  REQUIRE(listing.files.size() == 1);
  CHECK(listing.files[0].relative_path == "\xc3\xa9.json");
  std::set<std::string> names;
  for (const auto& problem : listing.problems) {
    names.insert(problem.relative_path);
    CHECK_THAT(problem.reason, ContainsSubstring("rename it"));
  }
  CHECK(names == std::set<std::string>{"\\xff\\xfe.json", "line\\x0aend.json"});
}

TEST_CASE("a link that leads nowhere is told as one") {
  const scratch_directory root;
  fs::create_symlink(root.path() / "gone", root.path() / "link.json");
  const auto read = read_file(root / "link.json", 10);
  CHECK(read.error().code == errc::invalid_input);
  CHECK_THAT(read.error().detail, ContainsSubstring("leads nowhere"));
  const auto listing = list_credential_files(root.path().string());
  REQUIRE(listing.problems.size() == 1);
  CHECK_THAT(listing.problems[0].reason, ContainsSubstring("is a symbolic link"));
}

TEST_CASE("lists credential files below the directory in order of their paths") {
  const scratch_directory root;
  root.put("b.json", "{\"b\":1}");
  root.put("a.json", "{}");
  root.put("team/c.json", "");
  root.put("a.cds", "no");
  root.put("notes.txt", "no");
  root.put(".hidden.json", "no");
  root.put(".git/d.json", "no");
  const auto listing = list_credential_files(root.path().string());
  CHECK(listing.problems.empty());
  REQUIRE(listing.files.size() == 3);
  CHECK(listing.files[0].relative_path == "a.json");
  CHECK(listing.files[1].relative_path == "b.json");
  CHECK(listing.files[1].text == "{\"b\":1}");
  CHECK(listing.files[1].absolute_path == root / "b.json");
  CHECK(listing.files[2].relative_path == "team/c.json");
}

TEST_CASE("a file that looks as it is known is not read again") {
  const scratch_directory root;
  root.put("a.json", "{}");
  root.put("b.json", "{}");
  std::map<std::string, file_stamp> seen;
  for (const auto& file : list_credential_files(root.path().string()).files) {
    seen[file.relative_path] = file.stamp;
  }
  fs::rename(root.path() / "b.json", root.path() / "c.json");
  root.put("b.json", "{}");
  const auto listing =
      list_credential_files(root.path().string(), [&](const std::string& path) {
        const auto found = seen.find(path);
        return found == seen.end() ? nullptr : &found->second;
      });
  REQUIRE(listing.files.size() == 3);
  CHECK(listing.files[0].known);
  CHECK(listing.files[0].text.empty());
  CHECK_FALSE(listing.files[1].known);
  CHECK(listing.files[1].text == "{}");
  CHECK_FALSE(listing.files[2].known);
}

TEST_CASE("a missing directory lists nothing, a file in its place is a problem") {
  const scratch_directory root;
  CHECK(list_credential_files(root / "absent").problems.empty());
  root.put("plain", "x");
  const auto listing = list_credential_files(root / "plain");
  CHECK(listing.files.empty());
  CHECK(listing.problems.size() == 1);
}

TEST_CASE("a file that could not be locked for its name's length is listed with its error") {
  const scratch_directory root;
  const std::string longest(credential_part_bytes_max - 5, 'n');
  root.put(longest + ".json", "{}");
  root.put(longest + "n.json", "{}");
  root.put(longest + "folder/a.json", "{}");
  const auto listing = list_credential_files(root.path().string());
  REQUIRE(listing.files.size() == 1);
  CHECK(listing.files[0].relative_path == longest + ".json");
  CHECK(credential_store{root.path().string()}.edit(longest + ".json").has_value());
  REQUIRE(listing.problems.size() == 2);
  for (const auto& problem : listing.problems) {
    CHECK_THAT(problem.reason, ContainsSubstring("rename it"));
    CHECK(credential_store{root.path().string()}.edit(problem.relative_path).error().code ==
          errc::invalid_input);
  }
}

TEST_CASE("a linked file is listed with its error wherever it leads") {
  const scratch_directory root;
  const scratch_directory outside;
  outside.put("secret.json", "{}");
  root.put("real/inside.json", "{\"in\":1}");
  fs::create_symlink(outside.path() / "secret.json", root.path() / "out.json");
  fs::create_symlink(root.path() / "real/inside.json", root.path() / "in.json");
  fs::create_symlink(root.path() / "nowhere", root.path() / "dangling.json");
  fs::create_directory_symlink(outside.path(), root.path() / "linked");
  fs::create_directory_symlink(root.path(), root.path() / "loop");
  const auto listing = list_credential_files(root.path().string());
  REQUIRE(listing.files.size() == 1);
  CHECK(listing.files[0].relative_path == "real/inside.json");
  CHECK(listing.problems.size() == 3);
  for (const auto& problem : listing.problems) {
    CHECK_THAT(problem.reason, ContainsSubstring("is a symbolic link"));
  }
}

TEST_CASE("a credential file beyond its bound is reported and left out") {
  const scratch_directory root;
  root.put("big.json", std::string(credential_file_bytes_max + 1, ' '));
  root.put("good.json", std::string(credential_file_bytes_max, ' '));
  const auto listing = list_credential_files(root.path().string());
  REQUIRE(listing.files.size() == 1);
  CHECK(listing.files[0].relative_path == "good.json");
  REQUIRE(listing.problems.size() == 1);
  CHECK(listing.problems[0].relative_path == "big.json");
}

TEST_CASE("directories beyond the depth are reported and not entered") {
  const scratch_directory root;
  std::string folder;
  for (int i = 0; i < credential_depth_max; ++i) folder += "d/";
  root.put(folder + "deep.json", "{}");
  root.put(folder + "d/deeper.json", "{}");
  const auto listing = list_credential_files(root.path().string());
  REQUIRE(listing.files.size() == 1);
  CHECK(listing.files[0].relative_path == folder + "deep.json");
  CHECK(listing.problems.size() == 1);
}

TEST_CASE("a leading tilde is the home directory") {
  const char* home = std::getenv("HOME");
  const std::string base = home != nullptr && *home != '\0' ? home : "~";
  CHECK(expand_home("~") == base);
  CHECK(expand_home("~/a/b") == base + "/a/b");
  CHECK(expand_home("~other/a") == "~other/a");
  CHECK(expand_home("/a/~") == "/a/~");
  CHECK(expand_home("").empty());
}
