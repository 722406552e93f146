#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {
namespace {

/// A configuration on a pretended disk.
struct pretended_disk {
  config::snapshot settings;
  bool broken = false;
  std::string stamp = "1";
  std::string seen = "1";
  int reads = 0;
};

struct reload_world {
  explicit reload_world(config::snapshot settings = {})
      : world{{codex_key("a")}}, disk(std::make_shared<pretended_disk>()) {
    disk->settings = settings;
    config_source source;
    source.read = [disk = disk] {
      ++disk->reads;
      disk->seen = disk->stamp;
      config_candidate found;
      if (disk->broken) {
        found.problems.push_back("config.yaml:3:7: error: routing.strategy: no such strategy");
        return found;
      }
      found.snapshot = std::make_shared<const config::snapshot>(disk->settings);
      found.credentials = std::make_shared<const std::vector<provider::credential_ptr>>(
          std::vector{std::make_shared<const provider::credential>(codex_key("a"))});
      return found;
    };
    source.changed = [disk = disk](bool) { return disk->stamp != disk->seen; };
    applied_config first;
    first.config = std::make_shared<const config::snapshot>(settings);
    first.credentials = std::make_shared<const std::vector<provider::credential_ptr>>(
        std::vector{std::make_shared<const provider::credential>(codex_key("a"))});
    auto env = std::make_shared<environment>();
    env->clock = world.clock;
    env->random = [] { return 0.0; };
    actor = world.system().spawn(actors::config, env, source, first, world.gateway);
    world.drain();
  }

  ~reload_world() {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    world.drain();
  }

  void touch(const std::string& stamp) {
    disk->stamp = stamp;
    caf::anon_send(actor, touched_atom_v);
    world.drain();
  }

  reload_view_ptr report() { return *world.ask<reload_view_ptr>(actor, current_atom_v); }
  bool passes_headers() const {
    return world.published->read()->config->requests.passthrough_headers;
  }

  actor_world world;
  std::shared_ptr<pretended_disk> disk;
  config_actor actor;
};

}  // namespace

TEST_CASE("a change is read once after the file has been quiet") {
  reload_world here;
  here.disk->settings.requests.passthrough_headers = true;
  here.touch("2");
  here.world.advance(reload_debounce - 1ms);
  CHECK(here.disk->reads == 0);
  here.touch("3");
  here.world.advance(reload_debounce - 1ms);
  CHECK(here.disk->reads == 0);
  here.world.advance(1ms);
  CHECK(here.disk->reads == 1);
  CHECK(here.passes_headers());
}

TEST_CASE("continuous changes are read after the longest wait all the same") {
  reload_world here;
  here.disk->settings.requests.passthrough_headers = true;
  for (int i = 0; i < 20 && here.disk->reads == 0; ++i) {
    here.touch(std::to_string(i + 2));
    here.world.advance(100ms);
  }
  CHECK(here.disk->reads == 1);
  CHECK(here.passes_headers());
}

TEST_CASE("a bad file keeps the old configuration and the report says why [T8]") {
  reload_world here;
  here.disk->broken = true;
  here.touch("2");
  here.world.advance(reload_debounce);
  CHECK_FALSE(here.report()->ok);
  REQUIRE(here.report()->problems.size() == 1);
  CHECK_THAT(here.report()->problems.front(), ContainsSubstring("config.yaml:3:7"));
  CHECK_FALSE(here.passes_headers());
  here.disk->broken = false;
  here.disk->settings.requests.passthrough_headers = true;
  here.touch("3");
  here.world.advance(reload_debounce);
  CHECK(here.report()->ok);
  CHECK(here.passes_headers());
}

TEST_CASE("a change without an event is found by the slow look") {
  reload_world here;
  here.disk->settings.requests.passthrough_headers = true;
  here.disk->stamp = "2";
  caf::anon_send(here.actor, poll_atom_v);
  here.world.drain();
  here.world.advance(reload_debounce);
  CHECK(here.passes_headers());
}

TEST_CASE("an event that changed nothing reads nothing") {
  reload_world here;
  here.touch("1");
  here.world.advance(reload_wait_max);
  CHECK(here.disk->reads == 0);
}

TEST_CASE("the report lists changes and what waits for a restart [T9]") {
  reload_world here;
  here.disk->settings.routing.cooldown.mode = quota::response_mode::usage_limit;
  here.disk->settings.server.port = 9999;
  const auto report = here.world.ask<reload_view_ptr>(here.actor, reload_atom_v);
  REQUIRE(report);
  std::string lines;
  for (const auto& line : (*report)->changes) lines += line + "\n";
  CHECK_THAT(lines, ContainsSubstring("routing.cooldown.quota-response-mode: retryable -> usage-limit"));
  REQUIRE((*report)->restart_required.size() == 1);
  CHECK((*report)->restart_required.front() == "server.port");
}

TEST_CASE("what waits for a restart is still named by the next reload") {
  reload_world here;
  here.disk->settings.server.port = 9999;
  (void)here.world.ask<reload_view_ptr>(here.actor, reload_atom_v);
  here.disk->settings.requests.passthrough_headers = true;
  const auto report = here.world.ask<reload_view_ptr>(here.actor, reload_atom_v);
  REQUIRE(report);
  CHECK((*report)->restart_required == std::vector<std::string>{"server.port"});
}

TEST_CASE("a credential that is removed under a request is no error of the request") {
  for (int jobs = 0; jobs < 12; ++jobs) {
    CAPTURE(jobs);
    actor_world world{{codex_key("a"), codex_key("b")}};
    caf::scoped_actor self{world.system()};
    auto run = world.spawn_executor(world.profile());
    auto pending = self->request(run, caf::infinite, next_atom_v);
    world.run(jobs);
    caf::anon_send(world.gateway, apply_atom_v, world.next_configuration({codex_key("b")}));
    world.drain();
    REQUIRE(self->has_next_message());
    bool answered = false;
    pending.receive([&](const step_ptr& step) { answered = step && step->given; },
                    [](const caf::error&) {});
    CHECK(answered);
    CHECK(world.begin().second->given->who->id.value == "b");
  }
}

TEST_CASE("a credential that replaces the only one serves every request, whenever it comes") {
  for (int jobs = 0; jobs < 24; ++jobs) {
    CAPTURE(jobs);
    actor_world world{{codex_key("a")}};
    (void)world.pool();
    caf::scoped_actor self{world.system()};
    caf::anon_send(world.gateway, apply_atom_v, world.next_configuration({codex_key("b")}));
    world.run(jobs);
    auto run = world.system().spawn(executor, world.env(), world.known_pool(), world.profile());
    auto pending = self->request(run, caf::infinite, next_atom_v);
    world.drain();
    REQUIRE(self->has_next_message());
    bool given = false;
    pending.receive([&](const step_ptr& step) { given = step && step->given; },
                    [](const caf::error&) {});
    CHECK(given);
  }
}

TEST_CASE("a model that is removed under a request ends it as unknown, not as an error of ours") {
  actor_world world{{codex_key("a")}};
  auto run = world.spawn_executor(world.profile());
  auto other = codex_key("b");
  other.models = {{"other", "other", false}};
  world.apply({other});
  const auto step = world.ask<step_ptr>(run, next_atom_v);
  REQUIRE(step);
  CHECK((*step)->verdict.kind == quota::verdict_kind::auth_not_found);
}

TEST_CASE("a removed credential grants nothing and leaves no cooldown behind") {
  actor_world world{{codex_key("a"), codex_key("b")}};
  auto [run, first] = world.begin();
  const auto owner = caf::actor_cast<credential_actor>(first->given->owner);
  world.apply({codex_key("b")});
  (void)world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  CHECK(world.store->saved.at({"a"})->record.blocks.empty());
}

}  // namespace tidegate::actors::test
