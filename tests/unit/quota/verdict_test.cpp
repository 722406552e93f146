#include "quota/verdict.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;
using vk = verdict_kind;

block_state after(std::vector<outcome> failures) {
  block_set set;
  for (const auto& what : failures) set.apply(what, model, {});
  return set.state(model, t0);
}

verdict say(const std::vector<candidate>& pool) {
  return decide(pool, {}, response_mode::retryable, t0);
}

}  // namespace

TEST_CASE("all blocked for quota is a model cooldown with the earliest reset") {
  const auto said =
      say({member("a", after({hinted_429(2h)})),
           member("b", after({hinted_429(30s), make(oc::cloudflare_challenge, 403)}))});
  CHECK(said.kind == vk::model_cooldown);
  CHECK(said.reset_at == t0 + 30s);
  CHECK(said.first.value == "b");
}

TEST_CASE("one candidate blocked for something else makes it unavailable [P4]") {
  const auto reason = GENERATE(values<outcome>(
      {make(oc::transient, 503), make(oc::unauthorized, 401), make(oc::not_found, 404),
       make(oc::payment_required, 402), make(oc::model_not_supported, 400)}));
  CAPTURE(reason.status);
  const auto said = say({member("a", after({hinted_429(20s)})), member("b", after({reason}))});
  CHECK(said.kind == vk::auth_unavailable);
  CHECK(said.reset_at == t0 + 20s);
}

TEST_CASE("a quota that outlasts a shorter fault of the same credential stays a quota") {
  const auto said = say({member("a", after({exhausted_429(2h), make(oc::transient, 500)}))});
  CHECK(said.kind == vk::model_cooldown);
  CHECK(said.reset_at == t0 + 2h);
}

TEST_CASE("every login dead is told as such") {
  const auto dead = after({make(oc::unauthorized, 401)});
  const auto revoked = after({make(oc::invalid_grant, 400)});
  CHECK(say({member("a", dead), member("b", revoked)}).kind == vk::auth_required);
  CHECK(say({member("a", dead), member("b", after({hinted_429(1h)}))}).kind ==
        vk::auth_unavailable);
}

TEST_CASE("a status-disabled candidate blocks without end and says nothing about when [A2]") {
  auto off = member("a", {});
  off.status_disabled = true;
  SECTION("alone") {
    const auto said = say({off});
    CHECK(said.kind == vk::auth_unavailable);
    CHECK_FALSE(said.reset_at);
  }
  SECTION("beside a cooling one") {
    const auto said = say({off, member("b", after({hinted_429(1h)}))});
    CHECK(said.kind == vk::auth_unavailable);
    CHECK(said.reset_at == t0 + 1h);
  }
}

TEST_CASE("no candidate, no selectable candidate and a free one are told apart") {
  auto never = member("a", {});
  never.selectable = false;
  CHECK(say({}).kind == vk::auth_not_found);
  CHECK(say({never}).kind == vk::auth_unavailable);
  CHECK(say({never, member("b", {})}).kind == vk::selectable);
  CHECK(say({member("a", {}), member("b", after({hinted_429(1h)}))}).kind == vk::selectable);
}

TEST_CASE("a full candidate is neither free nor used up: to be tried again at once") {
  auto full = member("a", {});
  full.full = true;
  const auto used_up = member("b", after({exhausted_429(2h)}));
  for (const auto mode : {response_mode::retryable, response_mode::usage_limit}) {
    const auto said = decide(std::vector{full, used_up}, {}, mode, t0);
    CHECK(said.kind == vk::busy);
    CHECK(said.reset_at == t0);
  }
  CHECK(say({full, member("c", {})}).kind == vk::selectable);
}

TEST_CASE("after an attempt the last upstream error is relayed") {
  const final_error how{true, 503, false};
  const std::vector<candidate> pool{member("a", after({make(oc::transient, 503)}))};
  CHECK(decide(pool, how, response_mode::retryable, t0).kind == vk::last_error);
  CHECK(decide({}, how, response_mode::usage_limit, t0).kind == vk::last_error);
}

TEST_CASE("beside a free candidate nobody is told to wait for a blocked one") {
  block_set spent;
  spent.apply(account_wide(exhausted_429(two_hours)), model, {});
  auto free_one = member("a", {});
  const std::vector pool{free_one, member("b", spent.state(model, t0))};
  CHECK(decide(pool, {true, 503, false}, response_mode::retryable, t0).reset_at == t0);
  auto rested = pool;
  rested[0].just_failed_429 = true;
  CHECK_FALSE(decide(rested, {true, 429, false}, response_mode::retryable, t0).reset_at);
}

TEST_CASE("the wording names providers in order and the newest error [T64]") {
  auto a = member("a", after({hinted_429(1h)}));
  auto b = member("b", after({hinted_429(1h)}));
  auto c = member("c", after({hinted_429(1h)}));
  a.provider = "gemini";
  b.provider = "codex";
  c.provider = "gemini";
  a.last_error = "old";
  a.last_error_at = t0 - 1h;
  b.last_error = "rate_limit: slow down";
  c.last_error = "tie, later id";
  b.last_error_at = c.last_error_at = t0;
  const auto said = say({a, c, b});
  CHECK(said.providers == "codex,gemini");
  CHECK(said.last_error == "rate_limit: slow down");
}

TEST_CASE("a candidate that is not selectable lends neither time nor words") {
  auto never = member("a", after({hinted_429(1s)}));
  never.selectable = false;
  never.last_error = "unrelated";
  const auto said = say({never, member("b", after({hinted_429(1h)}))});
  CHECK(said.reset_at == t0 + 1h);
  CHECK(said.last_error.empty());
}

TEST_CASE("a deadline that the present has reached no longer blocks") {
  block_state stale = after({hinted_429(1h)});
  CHECK(decide(std::vector{member("a", stale)}, {}, response_mode::retryable, t0 + 1h).kind ==
        vk::selectable);
}

TEST_CASE("a candidate with several backends is blocked when all are") {
  const auto free = block_state{};
  const auto soon = after({hinted_429(30s)});
  const auto proven = after({exhausted_429(2h)});
  const auto fault = after({make(oc::transient, 529)});
  SECTION("one free backend frees it") {
    CHECK_FALSE(combine_backends(std::vector{proven, free}).blocked);
  }
  SECTION("it reopens with the first") {
    CHECK(combine_backends(std::vector{proven, soon}).reopens == soon.reopens);
  }
  SECTION("it is covered when every backend is") {
    CHECK_FALSE(combine_backends(std::vector{proven, soon}).proof);
    CHECK(combine_backends(std::vector{proven, proven}).proof);
  }
  SECTION("its kind is shared, its hope is anybody's") {
    const auto mixed = combine_backends(std::vector{fault, proven});
    CHECK_FALSE(mixed.quota_only);
    CHECK(mixed.round_eligible);
  }
  SECTION("a backend without end does not hide the others") {
    block_state off;
    off.blocked = true;
    CHECK(combine_backends(std::vector{off, soon}).reopens == soon.reopens);
    CHECK_FALSE(combine_backends(std::vector{off}).reopens);
  }
  SECTION("without backends it is blocked without end") {
    CHECK(combine_backends({}).blocked);
    CHECK_FALSE(combine_backends({}).reopens);
  }
}

}  // namespace tidegate::quota
