/// Several backends behind one alias on one credential.

#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {
namespace {

provider::credential two_backends(const std::string& id) {
  provider::credential record;
  record.id = {id};
  record.provider = provider::kind::openai_compatibility;
  record.provider_name = "compat";
  record.secret = secret_string{"key-of-" + id};
  record.base_url = "http://127.0.0.1:1";
  record.models = {{"back1", "big", false}, {"back2", "big", false}};
  return record;
}

quota::routing_options default_rounds() {
  quota::routing_options routing;
  routing.cooldown.mode = quota::response_mode::usage_limit;
  return routing;
}

std::string attempt_of(const step_ptr& step) {
  return step && step->given
             ? step->given->who->id.value + "/" + step->given->upstream_model
             : "nobody";
}

}  // namespace

TEST_CASE("a used-up backend gives way to the free one of the same credential in one request") {
  actor_world world{{two_backends("a")}, default_rounds()};
  auto [run, first] = world.begin("big");
  CHECK(attempt_of(first) == "a/back1");
  const auto second = world.ask<step_ptr>(
      run, failed_atom_v, world.ended(first, used_up(t0 + 2h, quota::scope::model)));
  CHECK(attempt_of(*second) == "a/back2");
}

TEST_CASE("every backend of every credential is tried once before the pool is used up [T65]") {
  actor_world world{{two_backends("a"), two_backends("b")}, default_rounds()};
  auto [run, step] = world.begin("big");
  auto at = step;
  std::set<std::string> attempts;
  for (int i = 0; i < 4; ++i) {
    attempts.insert(attempt_of(at));
    at = *world.ask<step_ptr>(run, failed_atom_v,
                              world.ended(at, used_up(t0 + 2h, quota::scope::model)));
  }
  CHECK(attempts == std::set<std::string>{"a/back1", "a/back2", "b/back1", "b/back2"});
  REQUIRE(at->what == step::kind::refuse);
  CHECK(at->verdict.kind == quota::verdict_kind::usage_limit);
  CHECK(at->verdict.reset_at == t0 + 2h);
}

TEST_CASE("a failure that cools nothing does not repeat its backend in the same round") {
  actor_world world{{two_backends("a")}, default_rounds()};
  auto [run, first] = world.begin("big");
  const auto second = world.ask<step_ptr>(
      run, failed_atom_v, world.ended(first, failed_with(quota::outcome_class::transport, 0)));
  CHECK(attempt_of(first) != attempt_of(*second));
}

TEST_CASE("a block of the whole credential ends its backends at once") {
  actor_world world{{two_backends("a"), two_backends("b")}, default_rounds()};
  auto [run, first] = world.begin("big");
  const auto second =
      world.ask<step_ptr>(run, failed_atom_v, world.ended(first, used_up(t0 + 2h)));
  CHECK((*second)->given->who->id != first->given->who->id);
}

}  // namespace tidegate::actors::test
