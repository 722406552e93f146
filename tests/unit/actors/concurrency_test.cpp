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

std::string served_by(const step_ptr& step) {
  return step && step->given ? step->given->who->id.value : "nobody";
}

/// An exchange that waits for its first step.
class waiting_exchange {
 public:
  explicit waiting_exchange(actor_world& world)
      : world_(world), self_(world.system()), run_(world.spawn_executor(world.profile())) {
    pending_.emplace(self_->request(run_, caf::infinite, next_atom_v));
    world.drain();
  }
  bool has_answer() { return self_->has_next_message(); }
  step_ptr step() {
    if (!step_ && has_answer()) {
      pending_->receive([&](const step_ptr& got) { step_ = got; }, [](const caf::error&) {});
    }
    return step_;
  }
  void finish() {
    caf::anon_send(run_, finish_atom_v, world_.ended(step(), served()));
    world_.drain();
  }
  void leave() {
    caf::anon_send(run_, cancel_atom_v);
    world_.drain();
  }

 private:
  using response = decltype(std::declval<caf::scoped_actor&>()->request(
      std::declval<executor_actor>(), caf::infinite, next_atom_v));

  actor_world& world_;
  caf::scoped_actor self_;
  executor_actor run_;
  std::optional<response> pending_;
  step_ptr step_;
};

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
