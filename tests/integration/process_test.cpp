/// The program itself: what a user starts, kills and starts again.

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <thread>

#include "app/sim/server.hpp"
#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"

namespace tidegate::test {
namespace {

class real_clock final : public wall_clock {
 public:
  instant now() const noexcept override {
    return std::chrono::time_point_cast<duration>(std::chrono::system_clock::now());
  }
};

/// A running program; killed, not asked, when it goes out of scope.
class process {
 public:
  explicit process(std::vector<std::string> arguments) {
    std::array<int, 2> out{};
    if (pipe(out.data()) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int failed = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    output_ = out[0];
    if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
  }
  ~process() {
    if (pid_ > 0) end(SIGKILL);
    ::close(output_);
  }
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  /// Next line of standard output without its end; empty at the end of the output.
  std::string line() {
    std::string text;
    char c = 0;
    while (::read(output_, &c, 1) == 1 && c != '\n') text += c;
    return text;
  }
  /// Exit code, or minus the signal that ended it.
  int end(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

constexpr std::string_view ready = "listening on http://127.0.0.1:";

/// Starts the gateway and waits for its line.
class gateway_process {
 public:
  explicit gateway_process(const std::string& config)
      : run_{{TIDEGATE_PROGRAM, "serve", "--config", config}} {
    const auto said = run_.line();
    if (!said.starts_with(ready)) throw std::runtime_error("not ready: " + said);
    port_ = static_cast<std::uint16_t>(std::stoi(said.substr(ready.size())));
  }
  raw_response ask(const surface_case& on) const {
    raw_client client{port_};
    client.send(post(on.path, on.body(false), "Authorization: Bearer client-key\r\n"));
    return client.receive();
  }
  int end(int signal) { return run_.end(signal); }

 private:
  process run_;
  std::uint16_t port_ = 0;
};

/// A directory with a configuration of `keys` Codex keys, and their upstream.
struct setting {
  explicit setting(int keys, const std::string& script)
      : upstream{*sim::parse_script(script), clock} {
    auto yaml = keys_of("codex", "gpt-x", keys);
    yaml.replace(yaml.find("${sim}"), 6, upstream->url());
    std::filesystem::create_directory(directory / "auth");
    directory.put("config.yaml",
                    "config-version: 8\nserver: {host: 127.0.0.1, port: 0}\n"
                    "access: {api-keys: [client-key]}\n"
                    "oauth: {auth-dir: " + directory / "auth" + "}\n"
                    "routing: {retry: {request-retry: 0}, cooldown: {quota-response-mode: "
                    "usage-limit}}\napi-keys:\n" + yaml);
  }
  std::string config() const { return directory / "config.yaml"; }
  std::uint64_t calls() {
    const auto seen = upstream->requests();
    return seen ? seen->count("codex-1") + seen->count("codex-2") + seen->count("codex-3") : 0;
  }
  std::size_t files(std::string_view ending) const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{directory.path()}) {
      if (entry.path().string().ends_with(ending)) ++count;
    }
    return count;
  }

  real_clock clock;
  scratch_directory directory;
  sim::local_server upstream;
};

constexpr const char* used_up_for_hours =
    "rules: [{replies: [{error: {preset: usage-limit, resets-in: 2h}}]}]\n";

}  // namespace

TEST_CASE("kill -9 after the files are written loses no evidence") {
  setting at{2, used_up_for_hours};
  const auto& on = surfaces().front();
  {
    gateway_process first{at.config()};
    CHECK(first.ask(on).status == 429);
    REQUIRE(eventually([&] { return at.files(".cds") == 2; }));
    CHECK(first.end(SIGKILL) == -SIGKILL);
  }
  REQUIRE(at.calls() == 2);
  gateway_process second{at.config()};
  const auto answer = second.ask(on);
  CHECK(answer.status == 429);
  CHECK(answer.field("x-should-retry") == "false");
  CHECK(at.calls() == 2);
}

TEST_CASE("kill -9 at any moment leaves nothing corrupt, and the next start serves") {
  setting at{3, used_up_for_hours};
  const auto& on = surfaces().front();
  for (int round = 0; round < 8; ++round) {
    gateway_process gateway{at.config()};
    for (int i = 0; i <= round; ++i) CHECK(gateway.ask(on).status == 429);
    gateway.end(SIGKILL);
  }
  gateway_process last{at.config()};
  CHECK(last.ask(on).field("x-should-retry") == "false");
  CHECK(at.files(".corrupt") == 0);
  REQUIRE(eventually([&] { return at.files(".cds") == 3; }));
}

TEST_CASE("SIGTERM saves what the debounce still held and exits with 0") {
  setting at{2, used_up_for_hours};
  const auto& on = surfaces().front();
  gateway_process gateway{at.config()};
  CHECK(gateway.ask(on).status == 429);
  CHECK(gateway.end(SIGTERM) == 0);
  CHECK(at.files(".cds") == 2);
}

}  // namespace tidegate::test
