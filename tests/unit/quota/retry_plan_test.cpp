#include "quota/retry_plan.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;
using af = after_failure;
using std::chrono::nanoseconds;

block_state after(const outcome& what) {
  block_set set;
  set.apply(what, model, {});
  return set.state(model, t0);
}

std::optional<nanoseconds> wait(const std::vector<candidate>& pool, int round = 1,
                                const outcome& last = quota_429(), double jitter = 0.0,
                                std::chrono::seconds longest = 30s) {
  retry_options options;
  options.max_retry_interval = longest;
  return wait_before_round(pool, last, round, options, jitter, t0);
}

}  // namespace

TEST_CASE("what follows a failure depends on whose fault it is") {
  const auto [kind, plan] = GENERATE(table<outcome_class, after_failure>(
      {{oc::quota, af::next_credential},
       {oc::unauthorized, af::next_credential},
       {oc::payment_required, af::next_credential},
       {oc::invalid_grant, af::next_credential},
       {oc::model_not_supported, af::next_credential},
       {oc::not_found, af::next_credential},
       {oc::cloudflare_challenge, af::next_credential},
       {oc::transient, af::next_credential},
       {oc::transport, af::next_credential},
       {oc::lifecycle, af::next_credential},
       {oc::request_fault, af::answer_now},
       {oc::cancelled, af::answer_now}}));
  auto what = make(kind, 429);
  CHECK(plan_after(what) == plan);
  what.rule = GENERATE(rule_action::stop, rule_action::stop_and_cooldown);
  CHECK(plan_after(what) == af::answer_now);
  CHECK_FALSE(allows_another_round(what));
  what.rule = GENERATE(rule_action::next, rule_action::next_and_cooldown);
  CHECK(plan_after(what) == af::next_credential);
}

TEST_CASE("another round follows only errors that time can heal") {
  const auto [kind, status, allowed] = GENERATE(table<outcome_class, int, bool>(
      {{oc::quota, 429, true},
       {oc::transport, 0, true},
       {oc::transient, 0, true},
       {oc::transient, 408, true},
       {oc::transient, 500, true},
       {oc::transient, 502, true},
       {oc::transient, 503, true},
       {oc::transient, 504, true},
       {oc::transient, 520, false},
       {oc::transient, 529, false},
       {oc::transient, 405, false},
       {oc::payment_required, 403, true},
       {oc::payment_required, 402, false},
       {oc::cloudflare_challenge, 403, true},
       {oc::cloudflare_challenge, 404, false},
       {oc::unauthorized, 401, false},
       {oc::invalid_grant, 400, false},
       {oc::not_found, 404, false},
       {oc::model_not_supported, 400, false},
       {oc::lifecycle, 0, false},
       {oc::request_fault, 400, false},
       {oc::cancelled, 0, false}}));
  CAPTURE(to_string(kind), status);
  CHECK(allows_another_round(make(kind, status)) == allowed);
}

TEST_CASE("a request fault that an operator rule passes on retries by its status") {
  auto what = make(oc::request_fault, 503);
  what.rule = rule_action::next;
  CHECK(allows_another_round(what));
  what.status = 400;
  CHECK_FALSE(allows_another_round(what));
}

TEST_CASE("a round waits for the earliest candidate that will come back") {
  SECTION("earliest of two") {
    CHECK(wait({member("a", after(hinted_429(25s))), member("b", after(hinted_429(12s)))}) == 12s);
  }
  SECTION("nothing while one is free") {
    CHECK(wait({member("a", after(hinted_429(25s))), member("b", {})}) == 0s);
  }
  SECTION("an alias pool by its first backend") {
    auto pooled = member("a", after(hinted_429(25s)));
    pooled.backends.push_back(after(hinted_429(11s)));
    CHECK(wait({pooled}) == 11s);
  }
  SECTION("not for logins, payment or missing models") {
    const auto reason =
        GENERATE(values<outcome>({make(oc::unauthorized, 401), make(oc::payment_required, 402),
                                  make(oc::not_found, 404), make(oc::model_not_supported, 400)}));
    CHECK_FALSE(wait({member("a", after(reason))}));
    CHECK(wait({member("a", after(reason)), member("b", after(hinted_429(12s)))}) == 12s);
  }
  SECTION("not for somebody switched off or never picked") {
    auto off = member("a", {});
    off.status_disabled = true;
    CHECK_FALSE(wait({off}));
    auto never = member("a", {});
    never.selectable = false;
    CHECK_FALSE(wait({never}));
  }
  SECTION("not without candidates") { CHECK_FALSE(wait({})); }
}

TEST_CASE("a candidate allows as many extra rounds as it is configured for") {
  auto who = member("a", {});
  who.request_retry = 2;
  CHECK(wait({who}, 1));
  CHECK(wait({who}, 2));
  CHECK_FALSE(wait({who}, 3));
  who.request_retry = 0;
  CHECK_FALSE(wait({who}, 1));
}

TEST_CASE("a wait above the longest interval ends the request instead") {
  const std::vector pool{member("a", after(hinted_429(31s)))};
  CHECK_FALSE(wait(pool));
  CHECK(wait(pool, 1, quota_429(), 0.0, 31s) == 31s);
  CHECK_FALSE(wait(pool, 1, quota_429(), 0.0, 0s));
  CHECK(wait({member("a", {})}, 1, make(oc::transient, 500), 0.0, 0s) == 0s);
}

TEST_CASE("jitter adds up to a quarter, two seconds at most, never past the interval") {
  const std::vector pool{member("a", after(hinted_429(20s)))};
  CHECK(wait(pool, 1, quota_429(), 0.5) == 21s);
  CHECK(wait(pool, 1, quota_429(), 0.5, 20s) == 20s);
  block_state brief = after(hinted_429(20s));
  brief.reopens = t0 + 4s;
  CHECK(wait({member("a", brief)}, 1, quota_429(), 0.5) == 4500ms);
}

TEST_CASE("a candidate whose 429 ended the round rests ten seconds at least") {
  auto who = member("a", after(quota_429()));
  CHECK(wait({who}) == 1s);
  who.just_failed_429 = true;
  CHECK(wait({who}) == 10s);
  CHECK(wait({who, member("b", after(quota_429()))}) == 1s);
}

TEST_CASE("with cooling off an error's own hint is honoured") {
  const std::vector pool{member("a", {}), member("b", {})};
  CHECK(wait(pool, 1, hinted_429(12s)) == 12s);
  CHECK_FALSE(wait(pool, 1, hinted_429(2h)));
  CHECK(wait(pool, 1, hinted_429(-1s)) == 0s);
  CHECK(wait({member("a", {}), member("b", after(hinted_429(12s)))}, 1, hinted_429(12s)) == 0s);
}

TEST_CASE("a free candidate that just answered 429 is not asked again at once") {
  auto spent = member("a", {});
  spent.just_failed_429 = true;
  const auto cooling = member("b", after(hinted_429(two_hours)));
  CHECK(wait({spent, cooling}) == 10s);
  spent.named_end = t0 + 20s;
  CHECK(wait({spent, cooling}) == 20s);
  spent.named_end = t0 + two_hours;
  CHECK_FALSE(wait({spent, cooling}));
  CHECK(wait({spent, cooling, member("c", {})}) == 0s);
}

TEST_CASE("a block of one backend of an alias is no sign that cooling is off") {
  auto who = member("a", after(hinted_429(two_hours)));
  who.backends.emplace_back();
  CHECK(wait({who}, 1, hinted_429(two_hours)) == 0s);
}

TEST_CASE("a probe goes to a due candidate, and only when nobody is free") {
  auto resting = member("a", after(exhausted_429(two_hours)));
  auto due = member("b", after(exhausted_429(two_hours)));
  due.probe_due = true;
  CHECK(probe_target(std::vector{resting}) == std::nullopt);
  CHECK(probe_target(std::vector{resting, due}) == credential_id{"b"});
  CHECK(probe_target(std::vector{resting, due, member("c", {})}) == std::nullopt);
  due.status_disabled = true;
  CHECK(probe_target(std::vector{resting, due}) == std::nullopt);
}

}  // namespace tidegate::quota
