/// max-concurrency: a full credential is no failure, and who waits for room is served in order.

#include "tests/support/catch.hpp"
#include "tests/unit/actors/actor_world.hpp"

namespace tidegate::actors::test {
namespace {

provider::credential limited(const std::string& id, int most) {
  auto record = codex_key(id);
  record.max_concurrency = most;
  return record;
}

}  // namespace

TEST_CASE("a full credential gives way to another and has no cooldown for it") {
  actor_world world{{limited("a", 1), codex_key("b")}};
  waiting_exchange first{world};
  waiting_exchange second{world};
  waiting_exchange third{world};
  CHECK(served_by(first.step()) == "a");
  CHECK(served_by(second.step()) == "b");
  CHECK(served_by(third.step()) == "b");
  first.finish();
  waiting_exchange fourth{world};
  CHECK(served_by(fourth.step()) == "a");
}

TEST_CASE("when all are full, requests wait and are served in the order they came") {
  actor_world world{{limited("a", 1)}};
  waiting_exchange first{world};
  waiting_exchange second{world};
  waiting_exchange third{world};
  REQUIRE(served_by(first.step()) == "a");
  CHECK_FALSE(second.has_answer());
  CHECK_FALSE(third.has_answer());
  first.finish();
  CHECK(served_by(second.step()) == "a");
  CHECK_FALSE(third.has_answer());
  waiting_exchange late{world};
  second.finish();
  CHECK(served_by(third.step()) == "a");
  CHECK_FALSE(late.has_answer());
  third.finish();
  CHECK(served_by(late.step()) == "a");
}

TEST_CASE("who waited long enough for room is told that everybody is busy") {
  quota::routing_options routing;
  routing.concurrency_wait = 10s;
  actor_world world{{limited("a", 1)}, routing};
  waiting_exchange first{world};
  waiting_exchange second{world};
  world.advance(9s);
  waiting_exchange third{world};
  CHECK_FALSE(second.has_answer());
  world.advance(1s);
  REQUIRE(second.step());
  CHECK(second.step()->verdict.kind == quota::verdict_kind::busy);
  CHECK_FALSE(third.has_answer());
  first.finish();
  CHECK(served_by(third.step()) == "a");
}

TEST_CASE("who leaves while waiting for room takes none") {
  actor_world world{{limited("a", 1)}};
  waiting_exchange first{world};
  waiting_exchange second{world};
  waiting_exchange third{world};
  second.leave();
  first.finish();
  CHECK(served_by(third.step()) == "a");
  const auto a = world.ask<std::vector<credential_actor>>(world.gateway, view_atom_v)->front();
  CHECK((*world.ask<credential_view_ptr>(a, view_atom_v))->failed.empty());
}

TEST_CASE("a model's own limit leaves the credential's other models alone") {
  auto record = codex_key("a");
  record.models = {{"gpt-x", "gpt-x", false}, {"gpt-y", "gpt-y", false}};
  record.models[0].max_concurrency = 1;
  quota::routing_options routing;
  routing.concurrency_wait = 0s;
  actor_world world{{record}, routing};
  waiting_exchange first{world};
  REQUIRE(served_by(first.step()) == "a");
  CHECK(world.begin("gpt-x").second->verdict.kind == quota::verdict_kind::busy);
  CHECK(served_by(world.begin("gpt-y").second) == "a");
}

TEST_CASE("a pool that goes away tells those who wait") {
  actor_world world{{limited("a", 1), limited("b", 1)}};
  waiting_exchange first{world};
  waiting_exchange second{world};
  waiting_exchange third{world};
  REQUIRE_FALSE(third.has_answer());
  world.apply({});
  CHECK(third.step() != nullptr);
  CHECK(served_by(third.step()) == "nobody");
}

TEST_CASE("a limit that is lifted lets the waiting ones go on") {
  actor_world world{{limited("a", 1)}};
  waiting_exchange first{world};
  waiting_exchange second{world};
  REQUIRE_FALSE(second.has_answer());
  world.apply({limited("a", 2)});
  CHECK(served_by(second.step()) == "a");
}

}  // namespace tidegate::actors::test
