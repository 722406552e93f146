/// Evidence follows the deadline that it explains, and only that one (spec/quota.md 7.2).

#include "quota/block_set.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;

}  // namespace

TEST_CASE("evidence is recorded only when the provider gave a reset [T37] [T44]") {
  block_set set;
  SECTION("used up with a reset") {
    set.apply(exhausted_429(two_hours), model, {});
    CHECK(set.state(model, t0).proof == evidence{300min});
  }
  SECTION("used up without a reset goes to the ladder") {
    auto what = quota_429();
    what.exhausted = true;
    set.apply(what, model, {});
    CHECK(only(set, t0).source == deadline_source::ladder);
    CHECK_FALSE(set.state(model, t0).proof);
  }
  SECTION("a long wait that nobody called used up [T35]") {
    set.apply(hinted_429(two_hours), model, {});
    CHECK_FALSE(set.state(model, t0).proof);
  }
  SECTION("an unknown window is still evidence [T52]") {
    set.apply(exhausted_429(two_hours, t0, std::nullopt), model, {});
    CHECK(set.state(model, t0).proof == evidence{});
  }
  SECTION("retryable mode records it too, so that the mode can change any time [A18]") {
    set.apply(exhausted_429(two_hours), model, in_mode(response_mode::retryable));
    CHECK(set.state(model, t0).proof);
  }
  SECTION("a hint raised to the floor is still evidence [A30]") {
    set.apply(exhausted_429(3s), model, {});
    CHECK(only(set, t0).deadline == t0 + 10s);
    CHECK(set.state(model, t0).proof);
  }
}

TEST_CASE("merges evidence by comparing the new deadline with the open one") {
  struct row {
    const char* name;
    outcome first;
    outcome second;
    duration deadline;
    std::optional<evidence> proof;
  };
  const auto r = GENERATE(values<row>({
      {"shorter evidence does not certify a longer block [T45]", hinted_429(3h),
       exhausted_429(2h), 3h, std::nullopt},
      {"longer evidence replaces [T46]", hinted_429(1h), exhausted_429(2h), 2h, evidence{300min}},
      {"longer evidence replaces evidence", exhausted_429(2h), exhausted_429(24h, t0, 10080min),
       24h, evidence{10080min}},
      {"longer without evidence takes it away", exhausted_429(2h), hinted_429(3h), 3h,
       std::nullopt},
      {"shorter without evidence leaves it", exhausted_429(2h), hinted_429(1h), 2h,
       evidence{300min}},
      {"no hint leaves it", exhausted_429(2h), quota_429(), 2h, evidence{300min}},
      {"equal adds evidence", hinted_429(2h), exhausted_429(2h), 2h, evidence{300min}},
      {"equal keeps evidence", exhausted_429(2h), hinted_429(2h), 2h, evidence{300min}},
      {"equal fills in the window", exhausted_429(2h, t0, std::nullopt), exhausted_429(2h), 2h,
       evidence{300min}},
      {"equal keeps the known window", exhausted_429(2h), exhausted_429(2h, t0, std::nullopt), 2h,
       evidence{300min}},
      {"equal takes the newer window", exhausted_429(2h), exhausted_429(2h, t0, 10080min), 2h,
       evidence{10080min}},
  }));
  CAPTURE(r.name);
  block_set set;
  set.apply(r.first, model, {});
  set.apply(r.second, model, {});
  CHECK(only(set, t0).deadline == t0 + r.deadline);
  CHECK(only(set, t0).proof == r.proof);
}

TEST_CASE("an expired deadline does not compete with a new one") {
  block_set set;
  set.apply(exhausted_429(two_hours), model, {});
  set.apply(quota_429(t0 + two_hours), model, {});
  CHECK(only(set, t0 + two_hours).deadline == t0 + two_hours + 1s);
  CHECK_FALSE(only(set, t0 + two_hours).proof);
}

TEST_CASE("a later block without evidence un-covers, a shorter one does not [T47]") {
  block_set set;
  set.apply(exhausted_429(two_hours), model, {});
  SECTION("12 h not supported") {
    set.apply(make(oc::model_not_supported, 404), model, {});
    CHECK(set.state(model, t0).reopens == t0 + 12h);
    CHECK_FALSE(set.state(model, t0).proof);
  }
  SECTION("a long transient setting") {
    cooldown_rules rules;
    rules.transient_seconds = 3 * 3600;
    set.apply(make(oc::transient, 500), model, rules);
    CHECK_FALSE(set.state(model, t0).proof);
  }
  SECTION("a minute of 5xx") {
    set.apply(make(oc::transient, 500), model, {});
    CHECK(set.state(model, t0).reopens == t0 + two_hours);
    CHECK(set.state(model, t0).proof);
  }
}

TEST_CASE("evidence covers only when no scope reopens later [A1]") {
  block_set set;
  set.apply(account_wide(exhausted_429(two_hours)), model, {});
  CHECK(set.state(model, t0).proof);
  set.apply(hinted_429(3h), model, {});
  CHECK(set.state(model, t0).reopens == t0 + 3h);
  CHECK_FALSE(set.state(model, t0).proof);
  CHECK(set.state("another", t0).proof);
}

TEST_CASE("of two proofs for one instant the known window is told") {
  block_set set;
  set.apply(account_wide(exhausted_429(two_hours, t0, std::nullopt)), model, {});
  set.apply(exhausted_429(two_hours, t0, 300min), model, {});
  CHECK(set.state(model, t0).proof == evidence{300min});
}

TEST_CASE("disabled cooling adds no evidence and a reset takes it away [T49] [T50]") {
  cooldown_rules rules;
  rules.disabled = true;
  block_set set;
  set.apply(exhausted_429(two_hours), model, rules);
  CHECK_FALSE(set.state(model, t0).blocked);
  set.apply(exhausted_429(two_hours), model, {});
  set.clear();
  CHECK_FALSE(set.state(model, t0).proof);
}

TEST_CASE("evidence survives a restart and still covers its deadline [T80] [T81]") {
  const auto covers = GENERATE(scope::model, scope::credential);
  auto what = exhausted_429(two_hours);
  what.covers = covers;
  block_set before;
  before.apply(what, model, {});
  block_set after;
  after.restore(before.active(t0 + 1h), t0 + 1h);
  CHECK(after.state(model, t0 + 1h).proof == evidence{300min});
  CHECK(after.state(model, t0 + 1h).reopens == t0 + two_hours);
}

TEST_CASE("a change of evidence alone is worth saving") {
  block_set set;
  CHECK(set.apply(hinted_429(two_hours), model, {}));
  CHECK(set.apply(exhausted_429(two_hours), model, {}));
  CHECK_FALSE(set.apply(exhausted_429(two_hours), model, {}));
}

}  // namespace tidegate::quota
