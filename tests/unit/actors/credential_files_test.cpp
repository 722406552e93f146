#include "actors/credential_files.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/scratch_directory.hpp"

namespace tidegate::actors {
namespace {

namespace fs = std::filesystem;
using tidegate::test::scratch_directory;

std::string file_text(const std::string& token, const std::string& more = {}) {
  return R"({"type":"codex","access_token":")" + token + '"' + more + "}";
}

struct directory_reader {
  directory_reader() { settings.credentials.auth_dir = root.path().string(); }

  std::vector<provider::credential_ptr> read(bool settings_changed = false) {
    files.read(settings, settings_changed);
    return files.records();
  }

  scratch_directory root;
  config::snapshot settings;
  credential_files files;
};

std::vector<std::string> names(const std::vector<provider::credential_ptr>& records) {
  std::vector<std::string> out;
  for (const auto& record : records) out.push_back(record->file);
  return out;
}

}  // namespace

TEST_CASE("of a directory only what changed gets a new record") {
  directory_reader at;
  for (const auto* name : {"a.json", "b.json", "c.json"}) at.root.put(name, file_text(name));
  const auto before = at.read();
  REQUIRE(names(before) == std::vector<std::string>{"a.json", "b.json", "c.json"});
  CHECK_FALSE(at.files.changed());
  at.root.put("b.json", file_text("other"));
  CHECK(at.files.changed());
  const auto after = at.read();
  REQUIRE(after.size() == 3);
  CHECK(after[0] == before[0]);
  CHECK(after[1]->secret.reveal() == "other");
  CHECK(after[2] == before[2]);
}

TEST_CASE("a file written anew with what it said before keeps its record") {
  directory_reader at;
  at.root.put("a.json", file_text("token"));
  const auto before = at.read();
  at.root.put("new", file_text("token"));
  fs::rename(at.root / "new", at.root / "a.json");
  CHECK(at.files.changed());
  CHECK(at.read() == before);
}

TEST_CASE("a half-written or unreadable file keeps what it said before until it is gone") {
  directory_reader at;
  at.root.put("a.json", file_text("token"));
  const auto before = at.read();
  at.root.put("a.json", R"({"type":"cod)");
  CHECK(at.read() == before);
  REQUIRE(at.files.unusable().size() == 1);
  CHECK(at.files.unusable().front().name == "a.json");
  CHECK(at.files.unusable().front().earlier_holds);
  CHECK_FALSE(at.files.changed());
  fs::remove(at.root / "a.json");
  fs::create_directory(at.root / "other");
  fs::create_symlink("/etc/passwd", at.root / "a.json");
  CHECK(at.read() == before);
  fs::remove(at.root / "a.json");
  CHECK(at.files.changed());
  CHECK(at.read().empty());
  CHECK(at.files.unusable().empty());
}

TEST_CASE("a file that never could be used has no record and a reason") {
  directory_reader at;
  at.root.put("a.json", "[1]");
  CHECK(at.read().empty());
  REQUIRE(at.files.unusable().size() == 1);
  CHECK_FALSE(at.files.unusable().front().earlier_holds);
  CHECK(at.files.unusable().front().reason == "not a JSON object");
}

TEST_CASE("a renamed file is another credential") {
  directory_reader at;
  at.root.put("a.json", file_text("token"));
  at.read();
  fs::rename(at.root / "a.json", at.root / "b.json");
  CHECK(at.files.changed());
  CHECK(names(at.read()) == std::vector<std::string>{"b.json"});
}

TEST_CASE("of two files with one login the one that serves already counts, and the other is named") {
  directory_reader at;
  const std::string refresh = R"(,"refresh_token":"rt-1")";
  at.root.put("b.json", file_text("token", refresh));
  at.read();
  at.root.put("a.json", file_text("token", refresh + R"(,"note":"a copy")"));
  CHECK(names(at.read()) == std::vector<std::string>{"b.json"});
  REQUIRE(at.files.unusable().size() == 1);
  CHECK(at.files.unusable().front().name == "a.json");
  CHECK(at.files.unusable().front().reason.starts_with("has the same login as b.json"));
  CHECK_FALSE(at.files.changed());

  SECTION("also when the one was renewed since") {
    at.root.put("b.json", file_text("token-2", R"(,"refresh_token":"rt-2")"));
    CHECK(names(at.read()) == std::vector<std::string>{"b.json"});
    CHECK(names(at.read(true)) == std::vector<std::string>{"b.json"});
  }
  SECTION("until it has a login of its own") {
    at.root.put("a.json", file_text("token-9", R"(,"refresh_token":"rt-9")"));
    CHECK(names(at.read()) == std::vector<std::string>{"a.json", "b.json"});
    CHECK(at.files.unusable().empty());
  }
  SECTION("or is the only one") {
    fs::remove(at.root / "b.json");
    CHECK(at.files.changed());
    CHECK(names(at.read()) == std::vector<std::string>{"a.json"});
  }
}

TEST_CASE("new settings are read into every file") {
  directory_reader at;
  at.root.put("a.json", file_text("token"));
  at.read();
  at.settings.credentials.oauth_excluded_models.emplace_back(provider::kind::codex, "gpt-4*");
  CHECK(at.read(true).front()->excluded_models == std::vector<std::string>{"gpt-4*"});
}

TEST_CASE("a burst of changes ends with every file as it was written last") {
  directory_reader at;
  constexpr int count = 1000;
  for (int i = 0; i < count; ++i) at.root.put(std::to_string(i) + ".json", file_text("old"));
  at.read();
  for (int i = 0; i < count; ++i) {
    const auto name = std::to_string(i) + ".json";
    at.root.put(name, "{");
    at.root.put(name, file_text("new-" + std::to_string(i)));
    if (i % 100 == 0) at.read();
  }
  const auto after = at.read();
  REQUIRE(after.size() == count);
  for (const auto& record : after) {
    CHECK(record->secret.reveal() == "new-" + record->file.substr(0, record->file.size() - 5));
  }
}

}  // namespace tidegate::actors
