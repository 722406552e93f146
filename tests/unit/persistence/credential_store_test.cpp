#include "persistence/credential_store.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "persistence/store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scratch_directory.hpp"

using namespace tidegate;
using namespace tidegate::persistence;
using tidegate::test::scratch_directory;
namespace fs = std::filesystem;

namespace {

credential_store store_in(const scratch_directory& root) {
  return credential_store{root.path().string()};
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

/// Another process; `run` answers whether all was as expected there.
template <class Run>
class other_process {
 public:
  explicit other_process(Run run) : pid_(::fork()) {
    if (pid_ == 0) ::_exit(run() ? 0 : 1);
  }
  bool succeeded() const {
    int status = 0;
    return ::waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_;
};

class pipe_ends {
 public:
  pipe_ends() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~pipe_ends() {
    ::close(ends_[0]);
    listen();
  }
  /// Only hears from now on, also that nobody is left to tell.
  void listen() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  void tell() const { static_cast<void>(!::write(ends_[1], "x", 1)); }
  bool hear() const {
    char byte = 0;
    return ::read(ends_[0], &byte, 1) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("a renewed file keeps its former text until the new one is confirmed") {
  const scratch_directory root;
  root.put("team/a.json", "old");
  const auto store = store_in(root);
  {
    auto edit = store.edit("team/a.json");
    REQUIRE(edit.has_value());
    CHECK(edit->text() == "old");
    REQUIRE(edit->keep().has_value());
    CHECK(fs::file_size(root / "team/.a.json.lock") > 3);
    REQUIRE(edit->replace("new").has_value());
    CHECK(edit->text() == "new");
  }
  CHECK(fs::file_size(root / "team/.a.json.lock") == 0);
  CHECK(root.text("team/a.json") == "new");
  CHECK(root.text("team/.a.json.bak") == "old");
  CHECK(mode_of(root / "team/a.json") == 0600);
  CHECK(mode_of(root / "team/.a.json.bak") == 0600);
  CHECK(mode_of(root / "team/.a.json.lock") == 0600);
  REQUIRE(store.confirm("team/a.json").has_value());
  CHECK_FALSE(root.has("team/.a.json.bak"));
  CHECK(store.confirm("team/a.json").has_value());
  CHECK(list_credential_files(root.path().string()).files.size() == 1);
}

TEST_CASE("a change of settings leaves the text before a renewal as it is") {
  const scratch_directory root;
  root.put("a.json", "renewed");
  root.put(".a.json.bak", "before");
  auto edit = store_in(root).edit("a.json");
  REQUIRE(edit.has_value());
  REQUIRE(edit->replace("changed").has_value());
  CHECK(root.text(".a.json.bak") == "before");
}

TEST_CASE("a file that is held under one name is held under its next, too") {
  const scratch_directory root;
  root.put("a.json", "old");
  const auto store = store_in(root);
  {
    auto edit = store.edit("a.json");
    REQUIRE(edit.has_value());
    fs::rename(root / "a.json", root / "b.json");
    CHECK(store.edit("b.json").error().code == errc::unavailable);
    REQUIRE(edit->reread().has_value());
    REQUIRE(edit->replace("new").has_value());
    CHECK(root.text("b.json") == "new");
    CHECK(store.edit("b.json").error().code == errc::unavailable);
  }
  CHECK(store.edit("b.json").has_value());
}

TEST_CASE("what lies beside a file that is gone is taken away") {
  const scratch_directory root;
  if (GENERATE(true, false)) root.put(".a.json.bak", "before");
  root.put(".a.json.lock", "");
  REQUIRE(store_in(root).confirm("a.json").has_value());
  CHECK(root.count() == 0);
}

TEST_CASE("no renewal begins where there is no room for its text") {
  const scratch_directory root;
  root.put("a.json", "text");
  auto edit = store_in(root).edit("a.json");
  REQUIRE(edit.has_value());
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit little{1024, before.rlim_max};
  const auto former = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  const auto kept = edit->keep();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  ::signal(SIGXFSZ, former);
  CHECK(kept.error().code == errc::io_failure);
  CHECK_FALSE(root.has(".a.json.bak"));
}

TEST_CASE("one edit of a file excludes another, until it ends") {
  const scratch_directory root;
  root.put("a.json", "1");
  root.put("b.json", "1");
  const auto store = store_in(root);
  {
    const auto first = store.edit("a.json");
    REQUIRE(first.has_value());
    CHECK(store.edit("a.json").error().code == errc::unavailable);
    CHECK(store.remove("a.json").error().code == errc::unavailable);
    CHECK(store.edit("b.json").has_value());
  }
  CHECK(store.edit("a.json").has_value());
}

TEST_CASE(
    "two processes do not edit one file at a time, and the second sees what the first wrote") {
  const scratch_directory root;
  root.put("a.json", "first");
  const auto store = store_in(root);
  const pipe_ends held;
  const pipe_ends tried;
  const other_process child{[&] {
    auto edit = store.edit("a.json");
    if (!edit) return false;
    held.tell();
    return tried.hear() && edit->replace("second").has_value();
  }};
  REQUIRE(held.hear());
  CHECK(store.edit("a.json").error().code == errc::unavailable);
  tried.tell();
  REQUIRE(child.succeeded());
  const auto edit = store.edit("a.json");
  REQUIRE(edit.has_value());
  CHECK(edit->text() == "second");
}

TEST_CASE("a process that dies gives its lock back") {
  const scratch_directory root;
  root.put("a.json", "text");
  const auto store = store_in(root);
  const other_process child{[&] {
    const auto edit = store.edit("a.json");
    ::_exit(edit.has_value() ? 0 : 1);
    return false;
  }};
  REQUIRE(child.succeeded());
  CHECK(store.edit("a.json").has_value());
}

TEST_CASE("a process killed at any point leaves the file whole, old or new, and the lock free") {
  const scratch_directory root;
  const std::string before(20'000, 'a');
  const std::string after(20'000, 'b');
  root.put("a.json", before);
  const auto store = store_in(root);
  const int replaced = GENERATE(1, 2, 3, 5, 8, 13, 21);
  pipe_ends progress;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (bool newer = true;; newer = !newer) {
      auto edit = store.edit("a.json");
      if (!edit || !edit->keep() || !edit->replace(newer ? after : before)) ::_exit(1);
      progress.tell();
    }
  }
  progress.listen();
  for (int i = 0; i < replaced; ++i) REQUIRE(progress.hear());
  ::kill(child, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));

  const auto edit = store.edit("a.json");
  REQUIRE(edit.has_value());
  CHECK((edit->text() == before || edit->text() == after));
  if (root.has(".a.json.bak")) {
    const auto kept = root.text(".a.json.bak");
    CHECK((kept == before || kept == after));
  }
}

TEST_CASE("a file that was deleted meanwhile is not made again") {
  const scratch_directory root;
  root.put("a.json", "text");
  auto edit = store_in(root).edit("a.json");
  REQUIRE(edit.has_value());
  fs::remove(root.path() / "a.json");
  CHECK(edit->replace("new").error().code == errc::not_found);
  CHECK_FALSE(root.has("a.json"));
  CHECK(edit->reread().error().code == errc::not_found);
  CHECK(root.count() == 0);
}

TEST_CASE("a file that was renamed meanwhile is found by its identity, with lock and kept text") {
  const scratch_directory root;
  root.put("a.json", "text");
  root.put("other.json", "text");
  auto edit = store_in(root).edit("a.json");
  REQUIRE(edit.has_value());
  REQUIRE(edit->keep().has_value());
  fs::rename(root.path() / "a.json", root.path() / "b.json");
  CHECK(edit->replace("new").error().code == errc::not_found);
  CHECK(edit->reread() == "text");
  CHECK(edit->relative() == "b.json");
  CHECK(store_in(root).edit("b.json").error().code == errc::unavailable);
  REQUIRE(edit->replace("new").has_value());
  CHECK(root.text("b.json") == "new");
  CHECK(root.text("other.json") == "text");
  CHECK_FALSE(root.has("a.json"));
  CHECK_FALSE(root.has(".a.json.bak"));
  CHECK_FALSE(root.has(".a.json.lock"));
}

TEST_CASE("a renamed file whose new name another program has locked stays as it is") {
  const scratch_directory root;
  root.put("a.json", "text");
  auto edit = store_in(root).edit("a.json");
  REQUIRE(edit.has_value());
  fs::rename(root.path() / "a.json", root.path() / "b.json");
  {
    const auto folder = directory::open(root.path().string(), if_missing::fail);
    const auto other = folder->lock(".b.json.lock");
    REQUIRE(other.has_value());
    CHECK(edit->reread().error().code == errc::unavailable);
  }
  CHECK(root.text("b.json") == "text");
  CHECK(edit->reread() == "text");
}

TEST_CASE("a file that is missing is not found, and no lock is left for it") {
  const scratch_directory root;
  const auto store = store_in(root);
  CHECK(store.edit("a.json").error().code == errc::not_found);
  CHECK(store.edit("below/a.json").error().code == errc::not_found);
  CHECK(root.count() == 0);
  CHECK(store.remove("below/a.json").has_value());
}

TEST_CASE("a directory that cannot be written fails with the name") {
  const scratch_directory root;
  root.put("a.json", "text");
  fs::permissions(root.path(), fs::perms{0555});
  fs::permissions(root.path() / "a.json", fs::perms{0444});
  const auto store = store_in(root);
  // Root may write anywhere, so that the attempt is made as nobody.
  const other_process child{[&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return false;
    const auto edit = store.edit("a.json");
    const auto made = store.create("b.json", "{}");
    const auto named = [](const error& e, std::string_view name) {
      return e.code == errc::io_failure && e.detail.find(name) != std::string::npos;
    };
    return !edit && named(edit.error(), "a.json") && !made && named(made.error(), "b.json");
  }};
  CHECK(child.succeeded());
  fs::permissions(root.path(), fs::perms{0755});
}

TEST_CASE("a link is neither read nor written") {
  const scratch_directory root;
  const scratch_directory outside;
  outside.put("secret.json", "{}");
  outside.put("lock", "");
  fs::create_symlink(outside.path() / "secret.json", root.path() / "a.json");
  fs::create_directory_symlink(outside.path(), root.path() / "linked");
  const auto store = store_in(root);
  CHECK(store.edit("a.json").error().code == errc::invalid_input);
  CHECK(store.edit("linked/secret.json").error().code == errc::invalid_input);
  CHECK(outside.text("secret.json") == "{}");
  root.put("b.json", "{}");
  fs::create_symlink(outside.path() / "lock", root.path() / ".b.json.lock");
  CHECK(store.edit("b.json").error().code == errc::invalid_input);
}

TEST_CASE("what is there but is no file is told by what it is") {
  const scratch_directory root;
  root.put("good.json", "{}");
  fs::create_directory(root.path() / "folder.json");
  fs::create_symlink(root.path() / "good.json", root.path() / "link.json");
  REQUIRE(::mkfifo((root / "pipe.json").c_str(), 0600) == 0);
  const auto store = store_in(root);
  const auto [name, kind] = GENERATE(table<std::string, std::string>({
      {"folder.json", "a directory"},
      {"link.json", "a symbolic link"},
      {"pipe.json", "a pipe"},
      {"good.json/a.json", "no directory"},
      {std::string(250, 'a') + ".json", "longer than"},
      {"\xff.json", "not UTF-8"},
      {"a\x1b.json", "control character"},
  }));
  CAPTURE(name);
  const auto read = store.read(name);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::invalid_input);
  CHECK_THAT(read.error().detail, ContainsSubstring(kind));
  CHECK(store.edit(name).error().code == errc::invalid_input);
}

TEST_CASE("a link is removed without what it leads to, a directory is not") {
  const scratch_directory root;
  root.put("good.json", "{}");
  fs::create_symlink(root.path() / "good.json", root.path() / "link.json");
  fs::create_directory(root.path() / "folder.json");
  const auto store = store_in(root);
  CHECK(store.remove("link.json").has_value());
  CHECK_FALSE(root.has("link.json"));
  CHECK(root.text("good.json") == "{}");
  CHECK(store.remove("folder.json").error().code == errc::invalid_input);
  CHECK_FALSE(root.has(".folder.json.lock"));
}

TEST_CASE("a new file gets its name once") {
  const scratch_directory root;
  const auto store = credential_store{root / "made"};
  REQUIRE(store.create("codex-a@example.com.json", "one").has_value());
  CHECK(store.create("codex-a@example.com.json", "two").error().code == errc::invalid_input);
  CHECK(root.text("made/codex-a@example.com.json") == "one");
  CHECK(mode_of(root / "made/codex-a@example.com.json") == 0600);
  CHECK(mode_of(root / "made") == 0700);
}

TEST_CASE("names that are none of a credential file are refused") {
  const std::string name =
      GENERATE(as<std::string>{}, "", ".json", ".a.json", "a.txt", "a/b.json", "../a.json",
               "a\\b.json", "a\n.json", " .json", " a.json", "a .json", "a.json/", "a.JSON", std::string("a\0.json", 7),
               std::string(200, 'a') + ".json", "\xc3\xa9.json");
  CAPTURE(name);
  const scratch_directory root;
  CHECK_FALSE(is_credential_file_name(name));
  CHECK(store_in(root).create(name, "{}").error().code == errc::invalid_input);
  CHECK(root.count() == 0);
}

TEST_CASE("paths that lead elsewhere are refused") {
  const std::string path =
      GENERATE(as<std::string>{}, "", "/a.json", "../a.json", "x/../a.json", "x//a.json",
               ".x/a.json", "x/.a.json", "a.cds", "a.json/", "1/2/3/4/5/6/7/8/9/a.json");
  CAPTURE(path);
  const scratch_directory root;
  CHECK(store_in(root).edit(path).error().code == errc::invalid_input);
  CHECK(store_in(root).remove(path).error().code == errc::invalid_input);
  CHECK(store_in(root).confirm(path).error().code == errc::invalid_input);
}

TEST_CASE("a removed file takes its kept text and its lock with it") {
  const scratch_directory root;
  root.put("a.json", "1");
  root.put("a.cds", "stays");
  const auto store = store_in(root);
  REQUIRE(store.edit("a.json")->replace("2").has_value());
  REQUIRE(store.remove("a.json").has_value());
  CHECK(root.count() == 1);
  CHECK(root.has("a.cds"));
  CHECK(store.remove("a.json").has_value());
  CHECK(root.count() == 1);
}

TEST_CASE("a text beyond the bound of a credential file is not written") {
  const scratch_directory root;
  root.put("a.json", "old");
  const std::string large(credential_file_bytes_max + 1, ' ');
  const auto store = store_in(root);
  CHECK(store.create("b.json", large).error().code == errc::limit_exceeded);
  CHECK(store.edit("a.json")->replace(large).error().code == errc::limit_exceeded);
  CHECK(root.text("a.json") == "old");
  CHECK_FALSE(root.has(".a.json.bak"));
}
