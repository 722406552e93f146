/// The program itself: what a user starts, kills and starts again.

#include <signal.h>

#include <filesystem>

#include "app/sim/server.hpp"
#include "tests/integration/program.hpp"
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

class gateway_process {
 public:
  explicit gateway_process(const std::string& config)
      : run_{{"serve", config}}, port_{port_in(run_.text_until(listening))} {}

  raw_response ask(const surface_case& on) const {
    raw_client client{port_};
    client.send(post(on.path, on.body(false), "Authorization: Bearer client-key\r\n"));
    return client.receive();
  }
  int end(int signal) {
    run_.send(signal);
    return run_.code();
  }

 private:
  program run_;
  std::uint16_t port_;
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
