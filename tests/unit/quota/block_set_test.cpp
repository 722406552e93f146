#include "quota/block_set.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;

constexpr std::string_view other_model = "gpt-y";

}  // namespace

TEST_CASE("a ladder step doubles from one second to half an hour") {
  const auto [level, step] = GENERATE(table<int, int>(
      {{-7, 1}, {0, 1}, {1, 2}, {2, 4}, {3, 8}, {4, 16}, {5, 32}, {6, 64}, {7, 128}, {8, 256},
       {9, 512}, {10, 1024}, {11, 1800}, {12, 1800}, {99, 1800}}));
  CHECK(ladder_step(level) == std::chrono::seconds{step});
}

TEST_CASE("every 429 without hint after the previous window climbs one step [T38]") {
  block_set set;
  instant now = t0;
  for (const int step : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1800, 1800}) {
    set.apply(quota_429(now), model, {});
    CHECK(only(set, now).deadline == now + std::chrono::seconds{step});
    CHECK_FALSE(only(set, now).proof);
    now = only(set, now).deadline;
  }
  CHECK(set.active(now - 1s).front().ladder_level == ladder_level_max);
}

TEST_CASE("a burst escalates once per open window") {
  block_set set;
  for (int i = 0; i < 20; ++i) set.apply(quota_429(t0 + i * 10ms), model, {});
  CHECK(only(set, t0).deadline == t0 + 1s);
  CHECK(only(set, t0).ladder_level == 1);
}

TEST_CASE("a hint leaves the ladder level as it is") {
  block_set set;
  set.apply(quota_429(t0), model, {});
  set.apply(hinted_429(30s, t0 + 5s), model, {});
  CHECK(only(set, t0 + 5s).ladder_level == 1);
  set.apply(quota_429(t0 + 60s), model, {});
  CHECK(only(set, t0 + 60s).deadline == t0 + 62s);
}

TEST_CASE("a failure of an attempt that began before the block does not climb the ladder [P16]") {
  block_set set;
  set.apply(quota_429(t0), model, {});
  auto late = quota_429(t0 + 3s);
  late.started_at = t0 - 1s;
  set.apply(late, model, {});
  CHECK(only(set, t0 + 3s).deadline == t0 + 4s);
  CHECK(only(set, t0 + 3s).ladder_level == 1);
}

TEST_CASE("challenge pages climb on every failure with steps of at least ten seconds") {
  block_set set;
  instant now = t0;
  for (const int step : {10, 10, 10, 10, 16, 32, 64, 128, 256, 512, 1024, 1800, 1800}) {
    set.apply(make(oc::cloudflare_challenge, 403, now), model, {});
    CHECK(only(set, now).deadline == now + std::chrono::seconds{step});
    now = only(set, now).deadline;
  }
  SECTION("also inside an open block") {
    block_set inside;
    for (int i = 0; i < 5; ++i) {
      inside.apply(make(oc::cloudflare_challenge, 403, t0 + i * 1ms), model, {});
    }
    CHECK(only(inside, t0).ladder_level == 5);
    CHECK(only(inside, t0).deadline == t0 + 4ms + 16s);
  }
  SECTION("but not for attempts that began before it") {
    block_set inside;
    for (int i = 0; i < 5; ++i) {
      auto what = make(oc::cloudflare_challenge, 403, t0 + i * 1ms);
      what.started_at = t0 - 1s;
      inside.apply(what, model, {});
    }
    CHECK(only(inside, t0).ladder_level == 1);
  }
}

TEST_CASE("bare 404s block a minute, then climb once the ladder is longer") {
  block_set set;
  instant now = t0;
  for (const int step : {60, 60, 60, 60, 60, 60, 64, 128, 256}) {
    set.apply(make(oc::not_found, 404, now), model, {});
    CHECK(only(set, now).deadline == now + std::chrono::seconds{step});
    now = only(set, now).deadline;
  }
}

TEST_CASE("keeps the later deadline when a shorter one arrives") {
  block_set set;
  SECTION("429 after 429") {
    set.apply(hinted_429(1h), model, {});
    CHECK_FALSE(set.apply(hinted_429(30s, t0 + 1s), model, {}));
    CHECK(only(set, t0).deadline == t0 + 1h);
    CHECK(only(set, t0).updated_at == t0 + 1s);
  }
  SECTION("5xx after 5xx") {
    auto first = make(oc::transient, 503);
    first.deadline = t0 + 10min;
    set.apply(first, model, {});
    set.apply(make(oc::transient, 500, t0 + 1s), model, {});
    CHECK(only(set, t0).deadline == t0 + 10min);
    CHECK(only(set, t0).status == 503);
  }
  SECTION("and extends when a longer one arrives") {
    set.apply(hinted_429(30s), model, {});
    CHECK(set.apply(hinted_429(1h, t0 + 1s), model, {}));
    CHECK(only(set, t0).deadline == t0 + 1s + 1h);
    CHECK(only(set, t0).since == t0);
  }
}

TEST_CASE("expiry is a comparison with the present, at the deadline itself it is over [T43]") {
  block_set set;
  set.apply(exhausted_429(two_hours), model, {});
  CHECK(set.state(model, t0 + two_hours - 1ns).blocked);
  CHECK_FALSE(set.state(model, t0 + two_hours).blocked);
  CHECK_FALSE(set.state(model, t0 + 30 * 24h).blocked);
}

TEST_CASE("account-wide entries block every model, model entries only their own [T57]") {
  block_set set;
  set.apply(hinted_429(1h), model, {});
  CHECK(set.state(model, t0).blocked);
  CHECK_FALSE(set.state(other_model, t0).blocked);
  set.apply(account_wide(hinted_429(10min)), model, {});
  CHECK(set.state(other_model, t0).reopens == t0 + 10min);
  CHECK(set.state(model, t0).reopens == t0 + 1h);
}

TEST_CASE("a 429 without hint inside an account-wide quota block adds nothing") {
  block_set set;
  set.apply(account_wide(exhausted_429(two_hours)), model, {});
  CHECK_FALSE(set.apply(quota_429(t0 + 1s), other_model, {}));
  CHECK(set.active(t0).size() == 1);
  CHECK(set.apply(quota_429(t0 + two_hours), other_model, {}));
}

TEST_CASE("success clears its model completely and no other [T48]") {
  block_set set;
  set.apply(quota_429(), model, {});
  set.apply(make(oc::transient, 500), model, {});
  set.apply(exhausted_429(two_hours), other_model, {});
  CHECK(set.apply(success(t0 + 1s, t0 + 2s), model, {}));
  CHECK_FALSE(set.state(model, t0).blocked);
  CHECK(set.state(other_model, t0).proof);
  set.apply(quota_429(t0 + 3s), model, {});
  CHECK(set.state(model, t0 + 3s).reopens == t0 + 4s);
}

TEST_CASE("success clears dead logins and payment blocks but never an open account-wide quota") {
  block_set set;
  set.apply(make(oc::unauthorized, 401), model, {});
  set.apply(make(oc::payment_required, 402), model, {});
  set.apply(account_wide(exhausted_429(two_hours)), model, {});
  CHECK(set.apply(success(t0 + 1s, t0 + 2s), model, {}));
  CHECK(only(set, t0 + 2s).kind == oc::quota);
  CHECK(set.apply(success(t0 + 3h, t0 + 3h), model, {}));
  CHECK(set.empty());
}

TEST_CASE("success of an attempt that began before the block does not clear it [P16]") {
  block_set set;
  set.apply(exhausted_429(two_hours), model, {});
  const auto started = GENERATE(t0 - 1h, t0 - 1ns, t0);
  CHECK_FALSE(set.apply(success(started, t0 + 1min), model, {}));
  CHECK(set.state(model, t0 + 1min).proof);
  CHECK(set.apply(success(t0 + 1ns, t0 + 1min), model, {}));
}

TEST_CASE("a second block after expiry counts as a new one for late successes [P16]") {
  block_set set;
  set.apply(quota_429(), model, {});
  set.apply(quota_429(t0 + 10s), model, {});
  CHECK_FALSE(set.apply(success(t0 + 5s, t0 + 11s), model, {}));
  CHECK(set.state(model, t0 + 11s).blocked);
}

TEST_CASE("a probe is due one interval after the last word about a block") {
  block_set set;
  CHECK_FALSE(set.probe_due(model, 15min, t0));
  set.apply(exhausted_429(two_hours), model, {});
  CHECK_FALSE(set.probe_due(model, 15min, t0 + 15min - 1ns));
  CHECK(set.probe_due(model, 15min, t0 + 15min));
  CHECK_FALSE(set.probe_due(other_model, 15min, t0 + 15min));
  set.apply(exhausted_429(two_hours, t0 + 15min), model, {});
  CHECK_FALSE(set.probe_due(model, 15min, t0 + 29min));
  CHECK_FALSE(set.probe_due(model, 15min, t0 + 15min + two_hours));
}

TEST_CASE("no probe is due while anything but quota blocks the model") {
  block_set set;
  set.apply(exhausted_429(two_hours), model, {});
  set.apply(make(oc::unauthorized, 401), model, {});
  CHECK_FALSE(set.probe_due(model, 15min, t0 + 20min));
  CHECK(set.probe_due(model, 15min, t0 + 31min));
}

TEST_CASE("a served probe lifts the quota of its model whatever the scope") {
  block_set set;
  set.apply(account_wide(hinted_429(two_hours)), model, {});
  set.apply(exhausted_429(two_hours), model, {});
  set.apply(make(oc::transient, 500), model, {});
  set.apply(exhausted_429(two_hours), other_model, {});
  CHECK_FALSE(set.probe_served(model, t0));
  CHECK(set.probe_served(model, t0 + 15min));
  CHECK(set.active(t0).size() == 2);
  CHECK(set.state(model, t0).reopens == t0 + 60s);
  CHECK(set.state(other_model, t0).blocked);
}

TEST_CASE("telemetry newer than a block lifts the windows that have room") {
  block_set set;
  set.apply(account_wide(exhausted_429(two_hours, t0, 300min)), model, {});
  set.apply(exhausted_429(48h, t0, 10080min), model, {});
  set.apply(hinted_429(1h), other_model, {});
  SECTION("one window") {
    CHECK(set.lift_quota(300min, t0 + 1s));
    CHECK(set.state(model, t0).reopens == t0 + 48h);
    CHECK(set.state(other_model, t0).reopens == t0 + 1h);
  }
  SECTION("all evidence when none is named") {
    CHECK(set.lift_quota(std::nullopt, t0 + 1s));
    CHECK_FALSE(set.state(model, t0).blocked);
    CHECK(set.state(other_model, t0).reopens == t0 + 1h);
  }
  SECTION("not when it is as old as the block") {
    CHECK_FALSE(set.lift_quota(std::nullopt, t0));
  }
  SECTION("not when a newer 429 confirmed the block") {
    set.apply(account_wide(exhausted_429(two_hours - 5s, t0 + 5s, 300min)), model, {});
    CHECK_FALSE(set.lift_quota(300min, t0 + 4s));
  }
}

TEST_CASE("operator resets clear everything or one model [T49]") {
  block_set set;
  set.apply(account_wide(exhausted_429(two_hours)), model, {});
  set.apply(exhausted_429(two_hours), model, {});
  set.apply(exhausted_429(two_hours), other_model, {});
  SECTION("one model keeps the account-wide entries") {
    CHECK(set.clear(model));
    CHECK(set.active(t0).size() == 2);
    CHECK_FALSE(set.clear(model));
  }
  SECTION("everything, ladder levels too") {
    CHECK(set.clear());
    CHECK(set.empty());
    CHECK_FALSE(set.clear());
  }
}

TEST_CASE("a renewed login clears dead logins and nothing else") {
  block_set set;
  set.apply(make(oc::unauthorized, 401), model, {});
  set.apply(make(oc::invalid_grant, 400), model, {});
  set.apply(make(oc::payment_required, 402), model, {});
  CHECK(set.clear_login());
  CHECK(only(set, t0).kind == oc::payment_required);
}

TEST_CASE("the state tells what kind of block it is") {
  struct row {
    std::vector<outcome> failures;
    bool quota_only;
    bool needs_login;
    bool round_eligible;
    int cause;
  };
  const auto r = GENERATE(values<row>({
      {{hinted_429(1h)}, true, false, true, 429},
      {{make(oc::cloudflare_challenge, 403)}, true, false, true, 403},
      {{hinted_429(1h), make(oc::cloudflare_challenge, 403)}, true, false, true, 429},
      {{make(oc::transient, 503)}, false, false, true, 503},
      {{make(oc::transient, 524)}, false, false, true, 524},
      {{make(oc::transient, 529)}, false, false, false, 529},
      {{make(oc::payment_required, 403)}, false, false, true, 403},
      {{make(oc::payment_required, 402)}, false, false, false, 402},
      {{make(oc::unauthorized, 401)}, false, true, false, 401},
      {{make(oc::invalid_grant, 400)}, false, true, false, 400},
      {{make(oc::not_found, 404)}, false, false, false, 404},
      {{make(oc::model_not_supported, 400)}, false, false, false, 400},
      {{hinted_429(1h), make(oc::unauthorized, 401)}, false, true, false, 429},
      {{hinted_429(1min), make(oc::payment_required, 403)}, false, false, true, 403},
  }));
  block_set set;
  for (const auto& what : r.failures) set.apply(what, model, {});
  const auto is = set.state(model, t0);
  CAPTURE(r.cause);
  CHECK(is.blocked);
  CHECK(is.quota_only == r.quota_only);
  CHECK(is.needs_login == r.needs_login);
  CHECK(is.round_eligible == r.round_eligible);
  CHECK(is.cause == "cause " + std::to_string(r.cause));
}

TEST_CASE("restoring takes the later deadline and the higher level") {
  block live = saved_block(std::string{model}, oc::quota, t0 + 1h);
  live.ladder_level = 5;
  live.since = t0;
  block saved = saved_block(std::string{model}, oc::quota, t0 + 2h);
  saved.ladder_level = 3;
  saved.since = t0 - 1h;
  saved.proof = evidence{300min};
  block_set set;
  set.restore({live}, t0);
  set.restore({saved}, t0);
  CHECK(only(set, t0).deadline == t0 + 2h);
  CHECK(only(set, t0).ladder_level == 5);
  CHECK(only(set, t0).since == t0 - 1h);
  CHECK(only(set, t0).proof == evidence{300min});
}

TEST_CASE("restoring repairs what a file may contain [T83]") {
  block_set set;
  SECTION("expired entries are left out") {
    set.restore({saved_block("gpt-x", oc::quota, t0)}, t0);
    CHECK(set.empty());
  }
  SECTION("levels are clamped") {
    block saved = saved_block("gpt-x", oc::quota, t0 + 1h);
    saved.ladder_level = 4000;
    set.restore({saved}, t0);
    CHECK(only(set, t0).ladder_level == ladder_level_max);
  }
  SECTION("evidence without a quota is dropped") {
    block saved = saved_block("gpt-x", oc::transient, t0 + 1h);
    saved.proof = evidence{300min};
    set.restore({saved}, t0);
    CHECK_FALSE(only(set, t0).proof);
  }
  SECTION("an entry without a model covers the credential") {
    set.restore({saved_block("", oc::quota, t0 + 1h)}, t0);
    CHECK(set.state(model, t0).blocked);
  }
  SECTION("classes that cool nothing are left out") {
    set.restore({saved_block("gpt-x", oc::transport, t0 + 1h)}, t0);
    CHECK(set.empty());
  }
}

TEST_CASE("pruning forgets expired entries and keeps the memory of the ladder") {
  block_set set;
  set.apply(make(oc::transient, 500), model, {});
  set.apply(quota_429(), model, {});
  CHECK_FALSE(set.prune(t0));
  CHECK(set.prune(t0 + 1h));
  CHECK_FALSE(set.empty());
  set.apply(quota_429(t0 + 1h), model, {});
  CHECK(set.state(model, t0 + 1h).reopens == t0 + 1h + 2s);
}

TEST_CASE("active entries come in a stable order: account first, then model and class") {
  block_set set;
  set.apply(make(oc::transient, 500), "b", {});
  set.apply(quota_429(), "b", {});
  set.apply(quota_429(), "a", {});
  set.apply(make(oc::unauthorized, 401), "a", {});
  const auto active = set.active(t0);
  REQUIRE(active.size() == 4);
  CHECK(active[0].covers == scope::credential);
  CHECK(active[1].model == "a");
  CHECK((active[2].model == "b" && active[2].kind == oc::quota));
  CHECK((active[3].model == "b" && active[3].kind == oc::transient));
}

TEST_CASE("a full set gives up the entry that reopens first, evidence last") {
  block_set set;
  set.apply(exhausted_429(30s), "proven", {});
  for (std::size_t i = 0; i < blocks_max + 10; ++i) {
    set.apply(hinted_429(1h + std::chrono::seconds{i}), "m" + std::to_string(i), {});
  }
  CHECK(set.active(t0).size() == blocks_max);
  CHECK(set.state("proven", t0).blocked);
  CHECK_FALSE(set.state("m0", t0).blocked);
  CHECK(set.state("m1000", t0).blocked);
  set.apply(hinted_429(1h, t0 + 24h), "later", {});
  CHECK(set.active(t0 + 24h).size() == 1);
}

TEST_CASE("a canonical model is the name without its suffix [T61]") {
  const auto [name, canonical] = GENERATE(table<std::string, std::string>({
      {"gpt-x", "gpt-x"},
      {"gpt-x(high)", "gpt-x"},
      {" gpt-x (8192) ", "gpt-x"},
      {"gpt-x(a)(b)", "gpt-x(a)"},
      {"gpt-x(high", "gpt-x(high"},
      {"gpt-x)", "gpt-x)"},
      {"(high)", "(high)"},
      {"", ""},
  }));
  CAPTURE(name);
  CHECK(canonical_model(name) == canonical);
}

}  // namespace tidegate::quota
