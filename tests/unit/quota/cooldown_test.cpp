#include "quota/cooldown.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;

struct row {
  const char* name;
  outcome_class kind;
  int status;
  std::optional<duration> hint;
  duration blocks_for;
  scope covers;
  deadline_source source;
};

outcome outcome_of(const row& r) {
  auto what = make(r.kind, r.status);
  if (r.hint) what.deadline = t0 + *r.hint;
  return what;
}

}  // namespace

TEST_CASE("a first failure blocks as long as its row of the table says") {
  constexpr auto model_wide = scope::model;
  constexpr auto all = scope::credential;
  constexpr auto fixed = deadline_source::fixed;
  constexpr auto ladder = deadline_source::ladder;
  constexpr auto provider = deadline_source::provider;
  const auto r = GENERATE_COPY(values<row>({
      {"1 not supported", oc::model_not_supported, 400, {}, 12h, model_wide, fixed},
      {"1 not supported, 404", oc::model_not_supported, 404, {}, 12h, model_wide, fixed},
      {"1 not supported with hint", oc::model_not_supported, 422, 90s, 90s, model_wide, provider},
      {"2 challenge page", oc::cloudflare_challenge, 403, {}, 10s, model_wide, ladder},
      {"2 challenge ignores a hint", oc::cloudflare_challenge, 429, 1h, 10s, model_wide, ladder},
      {"3 invalid_grant", oc::invalid_grant, 400, {}, 30min, all, fixed},
      {"3 invalid_grant without status", oc::invalid_grant, 0, {}, 30min, all, fixed},
      {"4 unauthorized", oc::unauthorized, 401, {}, 30min, all, fixed},
      {"4 unauthorized ignores a hint", oc::unauthorized, 401, 2h, 30min, all, fixed},
      {"5 payment required", oc::payment_required, 402, {}, 30min, all, fixed},
      {"5 forbidden", oc::payment_required, 403, {}, 30min, model_wide, fixed},
      {"6 bare 404", oc::not_found, 404, {}, 60s, model_wide, ladder},
      {"6 bare 404 with hint", oc::not_found, 404, 5min, 5min, model_wide, provider},
      {"6 bare 404 with past hint", oc::not_found, 404, -5s, 60s, model_wide, ladder},
      {"7 429 without hint", oc::quota, 429, {}, 1s, model_wide, ladder},
      {"7 429 with hint", oc::quota, 429, 90s, 90s, model_wide, provider},
      {"7 429 with short hint", oc::quota, 429, 3s, 10s, model_wide, provider},
      {"7 429 with hint 0", oc::quota, 429, 0s, 10s, model_wide, provider},
      {"7 429 with past hint", oc::quota, 429, -1h, 10s, model_wide, provider},
      {"8 408", oc::transient, 408, {}, 60s, model_wide, fixed},
      {"8 500", oc::transient, 500, {}, 60s, model_wide, fixed},
      {"8 502", oc::transient, 502, {}, 60s, model_wide, fixed},
      {"8 503 with hint", oc::transient, 503, 7s, 7s, model_wide, provider},
      {"8 504 with past hint", oc::transient, 504, 0s, 60s, model_wide, fixed},
      {"8 520 with hint", oc::transient, 520, 20s, 20s, model_wide, provider},
      {"8 526", oc::transient, 526, {}, 60s, model_wide, fixed},
      {"9 529 ignores a hint", oc::transient, 529, 20s, 60s, model_wide, fixed},
      {"9 527 ignores a hint", oc::transient, 527, 20s, 60s, model_wide, fixed},
      {"9 405", oc::transient, 405, {}, 60s, model_wide, fixed},
      {"9 empty stream", oc::transient, 0, {}, 60s, model_wide, fixed},
  }));
  CAPTURE(r.name);
  block_set set;
  REQUIRE(set.apply(outcome_of(r), model, {}));
  const auto entry = only(set, t0);
  CHECK(entry.kind == r.kind);
  CHECK(entry.covers == r.covers);
  CHECK(entry.model == (r.covers == scope::model ? std::string{model} : std::string{}));
  CHECK(entry.deadline == t0 + r.blocks_for);
  CHECK(entry.source == r.source);
  CHECK(entry.status == r.status);
  CHECK(entry.since == t0);
  CHECK_FALSE(entry.proof);
  CHECK(set.state(model, t0 + r.blocks_for - 1ns).blocked);
  CHECK_FALSE(set.state(model, t0 + r.blocks_for).blocked);
}

TEST_CASE("classes that say nothing about the credential cool nothing") {
  const auto kind = GENERATE(oc::transport, oc::lifecycle, oc::request_fault, oc::cancelled);
  auto what = make(kind, 0);
  what.deadline = t0 + 1h;
  block_set set;
  CHECK_FALSE(set.apply(what, model, {}));
  CHECK(set.empty());
}

TEST_CASE("the transient setting shapes only the transient rows") {
  cooldown_rules rules;
  block_set set;
  SECTION("a positive value replaces the minute") {
    rules.transient_seconds = 5;
    set.apply(make(oc::transient, 500), model, rules);
    CHECK(only(set, t0).deadline == t0 + 5s);
  }
  SECTION("a negative value cools nothing, hint or not") {
    rules.transient_seconds = -1;
    auto what = make(oc::transient, 503);
    what.deadline = t0 + 1h;
    CHECK_FALSE(set.apply(what, model, rules));
    CHECK(set.empty());
  }
  SECTION("it never affects 429 and 401 to 404") {
    rules.transient_seconds = -1;
    CHECK(set.apply(quota_429(), model, rules));
    CHECK(set.apply(make(oc::unauthorized, 401), model, rules));
    CHECK(set.apply(make(oc::payment_required, 403), model, rules));
    CHECK(set.apply(make(oc::not_found, 404), model, rules));
    CHECK(set.active(t0).size() == 4);
  }
}

TEST_CASE("a failure without a known model covers the credential") {
  block_set set;
  set.apply(make(oc::transient, 500), "", {});
  CHECK(only(set, t0).covers == scope::credential);
  CHECK(set.state(model, t0).blocked);
  CHECK(set.state("another", t0).blocked);
}

TEST_CASE("not supported without a known model falls to the row of its status") {
  block_set set;
  set.apply(make(oc::model_not_supported, 400), "", {});
  CHECK(only(set, t0).kind == oc::transient);
  CHECK(only(set, t0).deadline == t0 + 60s);
}

TEST_CASE("a hint beyond the horizon of its class is not believed") {
  block_set set;
  SECTION("429 falls back to the ladder and records no evidence") {
    set.apply(exhausted_429(18 * 24h), model, {});
    CHECK(only(set, t0).deadline == t0 + 1s);
    CHECK_FALSE(only(set, t0).proof);
  }
  SECTION("a weekly window is within it") {
    set.apply(exhausted_429(7 * 24h, t0, 10080min), model, {});
    CHECK(only(set, t0).deadline == t0 + 7 * 24h);
    CHECK(only(set, t0).proof);
  }
  SECTION("5xx falls back to the setting") {
    auto what = make(oc::transient, 503);
    what.deadline = t0 + 14h;
    set.apply(what, model, {});
    CHECK(only(set, t0).deadline == t0 + 60s);
  }
}

TEST_CASE("disabled cooling records nothing, not even an authoritative hint") {
  const auto kind = GENERATE(oc::quota, oc::unauthorized, oc::model_not_supported, oc::transient,
                             oc::cloudflare_challenge, oc::not_found);
  auto what = make(kind, 429);
  what.deadline = t0 + 1h;
  what.exhausted = true;
  cooldown_rules rules;
  rules.disabled = true;
  block_set set;
  CHECK_FALSE(set.apply(what, model, rules));
  CHECK(set.empty());
}

TEST_CASE("an operator rule without cooldown keeps every class out of the set") {
  auto what = exhausted_429(two_hours);
  what.rule = GENERATE(rule_action::stop, rule_action::next);
  block_set set;
  CHECK_FALSE(set.apply(what, model, {}));
  CHECK(set.empty());
}

TEST_CASE("an operator rule with cooldown cools as if cooling were enabled") {
  const auto rule = GENERATE(rule_action::stop_and_cooldown, rule_action::next_and_cooldown);
  cooldown_rules rules;
  rules.disabled = true;
  block_set set;
  SECTION("the row of the class applies") {
    auto what = exhausted_429(two_hours);
    what.rule = rule;
    CHECK(set.apply(what, model, rules));
    CHECK(only(set, t0).deadline == t0 + two_hours);
    CHECK(only(set, t0).proof);
  }
  SECTION("a row that yields no deadline gives a minute") {
    auto what = make(oc::transient, 500);
    what.rule = rule;
    rules.transient_seconds = -1;
    CHECK(set.apply(what, model, rules));
    CHECK(only(set, t0).deadline == t0 + 60s);
  }
  SECTION("a request fault takes the row of its status") {
    const auto [status, kind, length] = GENERATE(table<int, outcome_class, duration>(
        {{400, oc::transient, duration{60s}},
         {401, oc::unauthorized, duration{30min}},
         {402, oc::payment_required, duration{30min}},
         {404, oc::not_found, duration{60s}},
         {429, oc::quota, duration{1s}}}));
    auto what = make(oc::request_fault, status);
    what.rule = rule;
    CHECK(set.apply(what, model, rules));
    CHECK(only(set, t0).kind == kind);
    CHECK(only(set, t0).deadline == t0 + length);
  }
  SECTION("a client that left still says nothing") {
    auto what = make(oc::cancelled, 0);
    what.rule = rule;
    CHECK_FALSE(set.apply(what, model, rules));
  }
}

TEST_CASE("the model-level switch keeps an account-wide quota on its model") {
  cooldown_rules rules;
  rules.model_level = true;
  block_set set;
  set.apply(account_wide(exhausted_429(two_hours)), model, rules);
  CHECK(set.state(model, t0).blocked);
  CHECK_FALSE(set.state("another", t0).blocked);
  set.apply(make(oc::unauthorized, 401), model, rules);
  CHECK(set.state("another", t0).blocked);
}

TEST_CASE("a quota reset replaces a missing hint in usage-limit mode only [T77] [T78]") {
  auto what = quota_429();
  what.quota_reset = t0 + two_hours;
  what.exhausted = true;
  block_set set;
  SECTION("retryable mode keeps the ladder") {
    set.apply(what, model, in_mode(response_mode::retryable));
    CHECK(only(set, t0).deadline == t0 + 1s);
    CHECK_FALSE(only(set, t0).proof);
  }
  SECTION("usage-limit mode takes it as deadline and evidence") {
    set.apply(what, model, in_mode(response_mode::usage_limit));
    CHECK(only(set, t0).deadline == t0 + two_hours);
    CHECK(only(set, t0).proof == evidence{});
  }
  SECTION("a hint keeps its precedence") {
    what.deadline = t0 + 90s;
    set.apply(what, model, in_mode(response_mode::usage_limit));
    CHECK(only(set, t0).deadline == t0 + 90s);
  }
  SECTION("a reset that is not in the future is none [T42]") {
    what.quota_reset = t0;
    set.apply(what, model, in_mode(response_mode::usage_limit));
    CHECK(only(set, t0).source == deadline_source::ladder);
    CHECK_FALSE(only(set, t0).proof);
  }
}

}  // namespace tidegate::quota
