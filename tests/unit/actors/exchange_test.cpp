#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {
namespace {

quota::routing_options no_rounds(quota::response_mode mode = quota::response_mode::usage_limit) {
  quota::routing_options routing;
  routing.retry.request_retry = 0;
  routing.cooldown.mode = mode;
  return routing;
}

}  // namespace

TEST_CASE("credentials take turns in the order of their ids") {
  actor_world world{{codex_key("b"), codex_key("a"), codex_key("c")}, no_rounds()};
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i) {
    auto [run, step] = world.begin();
    order.push_back(served_by(step));
    caf::anon_send(run, finish_atom_v, world.ended(step, served()));
    world.drain();
  }
  CHECK(order == std::vector<std::string>{"a", "b", "c", "a"});
}

TEST_CASE("a failed attempt goes on with the next credential in the same request") {
  actor_world world{{codex_key("a"), codex_key("b")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto second =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  REQUIRE(second);
  CHECK(served_by(*second) == "b");
}

TEST_CASE("a used-up credential is not granted again before its deadline and is after it") {
  actor_world world{{codex_key("a")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  REQUIRE(refused);
  CHECK((*refused)->what == step::kind::refuse);
  world.advance(2h - 1ms);
  CHECK(served_by(world.begin().second) == "nobody");
  world.advance(1ms);
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("the last credential's 429 becomes a usage limit with its reset [path b]") {
  actor_world world{{codex_key("a")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  REQUIRE(refused);
  CHECK((*refused)->verdict.kind == quota::verdict_kind::usage_limit);
  CHECK((*refused)->verdict.reset_at == t0 + 2h);
  CHECK((*refused)->verdict.window == std::chrono::minutes{300});
}

TEST_CASE("a pool that is already used up refuses without an attempt [path a]") {
  actor_world world{{codex_key("a"), codex_key("b")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto second =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(*second, used_up(t0 + 1h)));
  REQUIRE(refused);
  const auto again = world.begin().second;
  REQUIRE(again);
  CHECK(again->what == step::kind::refuse);
  CHECK(again->verdict.kind == quota::verdict_kind::usage_limit);
  CHECK(again->verdict.reset_at == t0 + 1h);
}

TEST_CASE("the same pool answers a retryable cooldown in retryable mode") {
  actor_world world{{codex_key("a")}, no_rounds(quota::response_mode::retryable)};
  auto [run, first] = world.begin();
  (void)world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  const auto again = world.begin().second;
  REQUIRE(again);
  CHECK(again->verdict.kind == quota::verdict_kind::model_cooldown);
}

TEST_CASE("a request's own fault is answered at once and cools nobody") {
  actor_world world{{codex_key("a"), codex_key("b")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto refused = world.ask<step_ptr>(
      run, failed_atom_v,
      world.ended(first, failed_with(quota::outcome_class::request_fault, 400)));
  REQUIRE(refused);
  CHECK((*refused)->verdict.kind == quota::verdict_kind::last_error);
  CHECK(served_by(world.begin().second) == "b");
  CHECK(served_by(world.begin().second) == "a");
}

TEST_CASE("walking the pool does not use up the retry rounds: five dead keys, the sixth serves") {
  std::vector<provider::credential> keys;
  for (const char* id : {"1", "2", "3", "4", "5", "6"}) keys.push_back(codex_key(id));
  auto routing = no_rounds();
  routing.retry.request_retry = 2;
  actor_world world{keys, routing};
  auto [run, step] = world.begin();
  auto at = step;
  for (int i = 0; i < 5; ++i) {
    const auto next = world.ask<step_ptr>(
        run, failed_atom_v, world.ended(at, failed_with(quota::outcome_class::unauthorized, 401)));
    REQUIRE(next);
    at = *next;
  }
  CHECK(served_by(at) == "6");
}

TEST_CASE("max-retry-credentials bounds a round and the untried credential keeps it retryable [T63]") {
  auto routing = no_rounds();
  routing.retry.max_retry_credentials = 1;
  actor_world world{{codex_key("a"), codex_key("b")}, routing};
  auto [run, first] = world.begin();
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  REQUIRE(refused);
  CHECK((*refused)->verdict.kind == quota::verdict_kind::last_error);
}

TEST_CASE("a retry round waits for the earliest deadline and then tries again") {
  auto routing = no_rounds(quota::response_mode::retryable);
  routing.retry.request_retry = 1;
  actor_world world{{codex_key("a")}, routing};
  auto [run, first] = world.begin();
  auto short_limit = failed_with(quota::outcome_class::quota, 429);
  short_limit.deadline = t0 + 12s;
  caf::scoped_actor self{world.system()};
  auto pending = self->request(run, caf::infinite, failed_atom_v, world.ended(first, short_limit));
  world.drain();
  CHECK_FALSE(self->has_next_message());
  world.advance(11s);
  CHECK_FALSE(self->has_next_message());
  world.advance(5s);
  step_ptr next;
  pending.receive([&](step_ptr& step) { next = step; }, [](const caf::error&) {});
  CHECK(served_by(next) == "a");
}

TEST_CASE("no round waits for a reset beyond max-retry-interval") {
  auto routing = no_rounds();
  routing.retry.request_retry = 3;
  actor_world world{{codex_key("a")}, routing};
  auto [run, first] = world.begin();
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  REQUIRE(refused);
  CHECK((*refused)->verdict.kind == quota::verdict_kind::usage_limit);
}

TEST_CASE("one lease is settled once: a second settlement changes nothing") {
  actor_world world{{codex_key("a")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto owner = caf::actor_cast<credential_actor>(first->given->owner);
  caf::anon_send(run, finish_atom_v, world.ended(first, served()));
  world.drain();
  caf::anon_send(owner, settle_atom_v, world.ended(first, used_up(t0 + 2h)));
  world.drain();
  const auto view = world.ask<credential_view_ptr>(owner, view_atom_v);
  REQUIRE(view);
  CHECK((*view)->blocks.empty());
  CHECK((*view)->served == 1);
  CHECK((*view)->in_flight == 0);
}

TEST_CASE("a client that leaves settles its lease as cancelled and blames nobody") {
  actor_world world{{codex_key("a")}, no_rounds()};
  auto [run, first] = world.begin();
  const auto owner = caf::actor_cast<credential_actor>(first->given->owner);
  CHECK((*world.ask<credential_view_ptr>(owner, view_atom_v))->in_flight == 1);
  caf::anon_send(run, cancel_atom_v);
  world.drain();
  const auto view = world.ask<credential_view_ptr>(owner, view_atom_v);
  CHECK((*view)->in_flight == 0);
  CHECK((*view)->blocks.empty());
  CHECK((*view)->last_error.empty());
}

TEST_CASE("a hundred exchanges in flight at the first 429 are the last ones before the reset") {
  actor_world world{{codex_key("a")}, no_rounds()};
  std::vector<std::pair<executor_actor, step_ptr>> in_flight;
  for (int i = 0; i < 100; ++i) in_flight.push_back(world.begin());
  for (auto& [run, step] : in_flight) {
    REQUIRE(step->given);
    const auto refused =
        world.ask<step_ptr>(run, failed_atom_v, world.ended(step, used_up(t0 + 60s)));
    CHECK((*refused)->what == step::kind::refuse);
  }
  for (int i = 0; i < 100; ++i) CHECK(served_by(world.begin().second) == "nobody");
}

TEST_CASE("session affinity keeps a conversation on its credential until that one fails") {
  auto routing = no_rounds();
  routing.session_affinity = true;
  actor_world world{{codex_key("a"), codex_key("b")}, routing};
  const auto with_session = [&] {
    auto wanted = std::make_shared<request_profile>(*world.profile());
    wanted->session = "conversation-1";
    auto run = world.spawn_executor(wanted);
    return std::pair{run, *world.ask<step_ptr>(run, next_atom_v)};
  };
  CHECK(served_by(with_session().second) == "a");
  CHECK(served_by(world.begin().second) == "b");
  auto [run, third] = with_session();
  CHECK(served_by(third) == "a");
  (void)world.ask<step_ptr>(run, failed_atom_v, world.ended(third, used_up(t0 + 2h)));
  CHECK(served_by(with_session().second) == "b");
}

TEST_CASE("a pinned request uses its credential only and is judged by it alone [T58]") {
  actor_world world{{codex_key("a"), codex_key("b")}, no_rounds()};
  auto wanted = std::make_shared<request_profile>(*world.profile());
  wanted->pinned = credential_id{"b"};
  auto run = world.spawn_executor(wanted);
  const auto first = *world.ask<step_ptr>(run, next_atom_v);
  CHECK(served_by(first) == "b");
  const auto refused =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  CHECK((*refused)->verdict.kind == quota::verdict_kind::usage_limit);
}

}  // namespace tidegate::actors::test
