#include "persistence/store.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "tests/support/catch.hpp"
#include "tests/unit/persistence/cooldown_samples.hpp"
#include "tests/support/scratch_directory.hpp"

using namespace tidegate;
using namespace tidegate::persistence;
using tidegate::test::scratch_directory;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const credential_id bob{"bob.json"};

cooldown_record record_of(const credential_id& id, std::chrono::seconds remaining) {
  return {id, "codex", {sample_block(remaining)}};
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

}  // namespace

TEST_CASE("saves and loads one credential's cooldowns") {
  const scratch_directory root;
  cooldown_store store{root.path().string()};
  REQUIRE(store.save(record_of(bob, 2h), "bob.json", sample_now).has_value());
  CHECK(mode_of(root / "bob.cds") == 0600);
  CHECK(root.count() == 1);
  const auto loaded = store.load(bob, "bob.json", sample_now);
  REQUIRE(loaded.has_value());
  CHECK(loaded->provider == "codex");
  CHECK(loaded->blocks == record_of(bob, 2h).blocks);
}

TEST_CASE("creates missing directories for the owner only") {
  const scratch_directory root;
  cooldown_store store{root / "deep/root"};
  REQUIRE(store.save(record_of(bob, 2h), "team/bob.json", sample_now).has_value());
  CHECK(mode_of(root / "deep") == 0700);
  CHECK(mode_of(root / "deep/root") == 0700);
  CHECK(mode_of(root / "deep/root/team") == 0700);
  CHECK(store.load(bob, "team/bob.json", sample_now)->blocks.size() == 1);
}

TEST_CASE("a credential without blocks has no file") {
  const scratch_directory root;
  cooldown_store store{root / "root"};
  REQUIRE(store.save(record_of(bob, 0s), "bob.json", sample_now).has_value());
  CHECK_FALSE(root.has("root"));
  REQUIRE(store.save(record_of(bob, 2h), "bob.json", sample_now).has_value());
  CHECK(root.has("root/bob.cds"));
  REQUIRE(store.save({bob, "codex", {}}, "bob.json", sample_now).has_value());
  CHECK_FALSE(root.has("root/bob.cds"));
  REQUIRE(store.remove(bob, "bob.json").has_value());
}

TEST_CASE("a save touches no other file [P13]") {
  const scratch_directory root;
  root.put("eve.cds", "not mine");
  root.put("notes.txt", "kept");
  cooldown_store store{root.path().string()};
  REQUIRE(store.save(record_of(bob, 2h), "bob.json", sample_now).has_value());
  REQUIRE(store.remove(bob, "bob.json").has_value());
  CHECK(root.text("eve.cds") == "not mine");
  CHECK(root.text("notes.txt") == "kept");
  CHECK(root.count() == 2);
}

TEST_CASE("two credentials whose files share a name keep each other's cooldowns") {
  const scratch_directory root;
  cooldown_store store{root.path().string()};
  const credential_id first{"a@b.json"};
  const credential_id second{"a+b.json"};
  REQUIRE(store.save(record_of(first, 1h), first.value, sample_now).has_value());
  REQUIRE(store.save(record_of(second, 2h), second.value, sample_now).has_value());
  CHECK(store.load(first, first.value, sample_now)->blocks == record_of(first, 1h).blocks);
  CHECK(store.load(second, second.value, sample_now)->blocks == record_of(second, 2h).blocks);
  REQUIRE(store.remove(second, second.value).has_value());
  CHECK(store.load(first, first.value, sample_now)->blocks == record_of(first, 1h).blocks);
  CHECK(store.load(second, second.value, sample_now)->blocks.empty());
  REQUIRE(store.remove(first, first.value).has_value());
  CHECK(root.count() == 0);
}

TEST_CASE("a missing file or directory loads as an empty record") {
  const scratch_directory root;
  cooldown_store store{root / "absent"};
  const auto loaded = store.load(bob, "team/bob.json", sample_now);
  REQUIRE(loaded.has_value());
  CHECK(loaded->id == bob);
  CHECK(loaded->blocks.empty());
}

TEST_CASE("a corrupt file is set aside with its content, and others load [P13]") {
  const scratch_directory root;
  root.put("bob.cds", "{\"version\":1,\"records\":[");
  cooldown_store store{root.path().string()};
  const credential_id eve{"eve.json"};
  REQUIRE(store.save(record_of(eve, 2h), "eve.json", sample_now).has_value());
  const auto loaded = store.load(bob, "bob.json", sample_now);
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().code == errc::invalid_input);
  CHECK_THAT(loaded.error().detail, ContainsSubstring("kept as bob.cds.corrupt"));
  CHECK(root.text("bob.cds.corrupt") == "{\"version\":1,\"records\":[");
  CHECK_FALSE(root.has("bob.cds"));
  CHECK(store.load(bob, "bob.json", sample_now)->blocks.empty());
  CHECK(store.load(eve, "eve.json", sample_now)->blocks.size() == 1);
}

TEST_CASE("a file beyond its bound is set aside unread") {
  const scratch_directory root;
  root.put("bob.cds", std::string(cooldown_file_bytes_max + 1, ' '));
  cooldown_store store{root.path().string()};
  CHECK_FALSE(store.load(bob, "bob.json", sample_now).has_value());
  CHECK(root.has("bob.cds.corrupt"));
}

TEST_CASE("no link leads a save or a load out of the root") {
  const scratch_directory root;
  const scratch_directory outside;
  outside.put("bob.cds", "outside");
  fs::create_directory_symlink(outside.path(), root.path() / "team");
  cooldown_store store{root.path().string()};
  CHECK_FALSE(store.save(record_of(bob, 2h), "team/bob.json", sample_now).has_value());
  CHECK_FALSE(store.load(bob, "team/bob.json", sample_now).has_value());
  CHECK_FALSE(store.remove(bob, "team/bob.json").has_value());
  fs::create_symlink(outside.path() / "bob.cds", root.path() / "bob.cds");
  CHECK_FALSE(store.load(bob, "bob.json", sample_now).has_value());
  REQUIRE(store.save(record_of(bob, 2h), "bob.json", sample_now).has_value());
  CHECK(fs::is_regular_file(fs::symlink_status(root.path() / "bob.cds")));
  CHECK(outside.text("bob.cds") == "outside");
  CHECK(outside.count() == 1);
}

TEST_CASE("an escaping name is refused") {
  const scratch_directory root;
  cooldown_store store{root / "root"};
  const auto saved = store.save(record_of(bob, 2h), "../bob.json", sample_now);
  REQUIRE_FALSE(saved.has_value());
  CHECK(saved.error().code == errc::invalid_input);
  CHECK(store.load(bob, "../bob.json", sample_now).error().code == errc::invalid_input);
  CHECK(root.count() == 0);
}

TEST_CASE("loading clears temp files of a killed writer, similar names stay") {
  const scratch_directory root;
  root.put(".tidegate-0123456789abcdef.tmp", "half");
  root.put(".tidegate-notes.tmp", "mine");
  cooldown_store store{root.path().string()};
  REQUIRE(store.load(bob, "bob.json", sample_now).has_value());
  CHECK_FALSE(root.has(".tidegate-0123456789abcdef.tmp"));
  CHECK(root.has(".tidegate-notes.tmp"));
}

TEST_CASE("temp files of a living writer stay") {
  const scratch_directory root;
  const std::string writing = ".tidegate-0123456789abcdef.tmp";
  const std::string young = ".tidegate-fedcba9876543210.tmp";
  root.put(writing, "half");
  root.put(young, "");
  const int held = ::open((root.path() / writing).c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX | LOCK_NB) == 0);
  const auto since = std::chrono::floor<std::chrono::seconds>(sample_now.time_since_epoch());
  const timespec made{since.count() - 30, 0};
  const timespec times[] = {made, made};
  REQUIRE(::utimensat(AT_FDCWD, (root.path() / young).c_str(), times, 0) == 0);
  cooldown_store store{root.path().string()};
  REQUIRE(store.load(bob, "bob.json", sample_now).has_value());
  CHECK(root.has(writing));
  CHECK(root.has(young));
  ::close(held);
  cooldown_store later{root.path().string()};
  REQUIRE(later.load(bob, "bob.json", sample_now + 1h).has_value());
  CHECK_FALSE(root.has(writing));
  CHECK_FALSE(root.has(young));
}

TEST_CASE("a file that cannot be replaced leaves no temp file and the old state") {
  const scratch_directory root;
  fs::create_directory(root.path() / "bob.cds");
  root.put("bob.cds/inside", "kept");
  cooldown_store store{root.path().string()};
  const auto saved = store.save(record_of(bob, 2h), "bob.json", sample_now);
  REQUIRE_FALSE(saved.has_value());
  CHECK(saved.error().code == errc::io_failure);
  CHECK(root.count() == 1);
  CHECK(root.text("bob.cds/inside") == "kept");
}

namespace {

/// Saves for ever, with one byte into the pipe after each save.
[[noreturn]] void save_until_killed(const std::string& root, int progress) {
  cooldown_store store{root};
  for (int i = 0;; ++i) {
    const auto saved =
        store.save(record_of(bob, std::chrono::seconds{100 + i % 400}), "bob.json", sample_now);
    const char byte = saved ? 's' : 'f';
    if (::write(progress, &byte, 1) != 1) ::_exit(1);
  }
}

}  // namespace

TEST_CASE("a writer killed at any point leaves a readable file") {
  const scratch_directory root;
  const int saves = GENERATE(1, 2, 3, 5, 8, 13, 21);
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    save_until_killed(root.path().string(), ends[1]);
  }
  ::close(ends[1]);
  std::string seen;
  for (char byte = 0; static_cast<int>(seen.size()) < saves && ::read(ends[0], &byte, 1) == 1;) {
    seen.push_back(byte);
  }
  ::kill(child, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  ::close(ends[0]);
  CHECK(seen == std::string(static_cast<std::size_t>(saves), 's'));

  cooldown_store store{root.path().string()};
  const auto loaded = store.load(bob, "bob.json", sample_now);
  REQUIRE(loaded.has_value());
  CHECK(loaded->blocks.size() == 1);
  REQUIRE(store.save(record_of(bob, 2h), "bob.json", sample_now).has_value());
  CHECK(root.count() == 1);
}
