/// The half-open probe: one attempt inside a quota block, docs/decisions/0008.

#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {
namespace {

quota::routing_options probing(std::chrono::seconds interval = 900s) {
  quota::routing_options routing;
  routing.retry.request_retry = 0;
  routing.cooldown.mode = quota::response_mode::usage_limit;
  routing.cooldown.quota_retry_interval = interval;
  return routing;
}

/// Every credential of the world is used up until t0 + 2h.
void use_up(actor_world& world, int credentials) {
  auto [run, at] = world.begin();
  for (int i = 0; i < credentials; ++i) {
    const auto next = world.ask<step_ptr>(run, failed_atom_v, world.ended(at, used_up(t0 + 2h)));
    REQUIRE(next);
    at = *next;
  }
  REQUIRE(at->what == step::kind::refuse);
}

}  // namespace

TEST_CASE("a used-up pool is tried once per interval and credential, and never twice at a time") {
  actor_world world{{codex_key("a"), codex_key("b")}, probing()};
  use_up(world, 2);
  CHECK(served_by(world.begin().second) == "nobody");
  world.advance(15min);
  auto first = world.begin();
  auto second = world.begin();
  CHECK(served_by(first.second) == "a");
  CHECK(served_by(second.second) == "b");
  CHECK(served_by(world.begin().second) == "nobody");
  world.advance(15min);
  CHECK(served_by(world.begin().second) == "nobody");
}

TEST_CASE("a served probe opens the credential for everybody") {
  actor_world world{{codex_key("a")}, probing()};
  use_up(world, 1);
  world.advance(15min);
  auto [run, step] = world.begin();
  REQUIRE(served_by(step) == "a");
  world.advance(1s);
  CHECK(served_by(world.begin().second) == "nobody");
  auto end = std::make_shared<settlement>(*world.ended(step, served()));
  end->outcome.started_at = t0 + 15min;
  caf::anon_send(run, finish_atom_v, settlement_ptr{end});
  world.drain();
  CHECK(served_by(world.begin().second) == "a");
  CHECK(world.store->saved.at({"a"})->record.blocks.empty());
}

TEST_CASE("a failed probe is answered by the pool's verdict and keeps the deadline") {
  actor_world world{{codex_key("a"), codex_key("b")}, probing()};
  use_up(world, 2);
  world.advance(15min);
  auto [run, step] = world.begin();
  REQUIRE(step->given);
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(step, used_up(t0 + 1h)));
  REQUIRE(refused);
  CHECK((*refused)->verdict.kind == quota::verdict_kind::usage_limit);
  CHECK((*refused)->verdict.reset_at == t0 + 2h);
  CHECK(served_by(world.begin().second) == "b");
  CHECK(served_by(world.begin().second) == "nobody");
}

TEST_CASE("a probe given up by its client is not repeated before the interval") {
  actor_world world{{codex_key("a")}, probing()};
  use_up(world, 1);
  world.advance(15min);
  auto [run, step] = world.begin();
  REQUIRE(step->given);
  caf::anon_send(run, cancel_atom_v);
  world.drain();
  CHECK(served_by(world.begin().second) == "nobody");
  world.advance(15min);
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("no probe while another credential is free, while login is dead, or when turned off") {
  SECTION("another is free") {
    actor_world world{{codex_key("a"), codex_key("b")}, probing()};
    auto [run, at] = world.begin();
    (void)world.ask<step_ptr>(run, failed_atom_v, world.ended(at, used_up(t0 + 2h)));
    world.advance(15min);
    for (int i = 0; i < 3; ++i) CHECK(served_by(world.begin().second) == "b");
  }
  SECTION("an interval of 0") {
    actor_world world{{codex_key("a")}, probing(0s)};
    use_up(world, 1);
    world.advance(119min);
    CHECK(served_by(world.begin().second) == "nobody");
  }
  SECTION("the login is dead too") {
    actor_world world{{codex_key("a")}, probing()};
    auto one = world.begin();
    auto two = world.begin();
    (void)world.ask<step_ptr>(one.first, failed_atom_v,
                              world.ended(one.second, used_up(t0 + 2h)));
    (void)world.ask<step_ptr>(
        two.first, failed_atom_v,
        world.ended(two.second, failed_with(quota::outcome_class::unauthorized, 401)));
    world.advance(20min);
    CHECK(served_by(world.begin().second) == "nobody");
  }
}

TEST_CASE("token counting makes no probe") {
  actor_world world{{codex_key("a")}, probing()};
  use_up(world, 1);
  world.advance(15min);
  auto counting = std::make_shared<request_profile>(*world.profile());
  counting->surface = protocol::surface::count_tokens;
  auto run = world.spawn_executor(counting);
  CHECK(served_by(*world.ask<step_ptr>(run, next_atom_v)) == "nobody");
}

}  // namespace tidegate::actors::test
