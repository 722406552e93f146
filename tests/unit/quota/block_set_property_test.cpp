/// What must hold for every history of outcomes: evidence is never undercut, deadlines never
/// shorten, proof is never invented, entries survive a restart, the final answer is exact.

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "quota/block_set.hpp"
#include "quota/cooldown.hpp"
#include "quota/verdict.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;

constexpr std::array<std::string_view, 3> models{"m0", "m1", "m2"};

struct event {
  outcome what;
  std::string_view model;
  cooldown_rules rules;
};

rc::Gen<outcome_class> any_class() {
  return rc::gen::weightedElement<outcome_class>(
      {{12, oc::quota}, {3, oc::success}, {3, oc::transient}, {1, oc::unauthorized},
       {1, oc::payment_required}, {1, oc::invalid_grant}, {1, oc::model_not_supported},
       {1, oc::not_found}, {1, oc::cloudflare_challenge}, {1, oc::transport},
       {1, oc::lifecycle}, {1, oc::request_fault}, {1, oc::cancelled}});
}

/// Seconds, mostly short, sometimes days.
duration any_length() {
  return std::chrono::seconds{*rc::gen::oneOf(rc::gen::inRange(0, 30), rc::gen::inRange(0, 4000),
                                              rc::gen::inRange(0, 9 * 86'400))};
}

outcome any_outcome(instant now) {
  auto what = make(*any_class(), *rc::gen::element(429, 500, 503, 403, 401, 529, 0), now);
  what.covers = *rc::gen::element(scope::model, scope::credential);
  if (*rc::gen::element(true, true, false)) what.deadline = now + any_length();
  if (*rc::gen::element(true, false, false)) what.quota_reset = now + any_length();
  what.exhausted = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) what.window = *rc::gen::element(300min, 10080min);
  what.started_at = now - std::chrono::milliseconds{*rc::gen::inRange(0, 20'000)};
  return what;
}

cooldown_rules any_rules() {
  cooldown_rules rules;
  rules.disabled = *rc::gen::weightedElement<bool>({{9, false}, {1, true}});
  rules.transient_seconds = *rc::gen::element(0, 5, 4000, -1);
  rules.mode = *rc::gen::element(response_mode::retryable, response_mode::usage_limit);
  rules.model_level = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
  return rules;
}

event any_event(instant now) {
  return {any_outcome(now), models[*rc::gen::inRange<std::size_t>(0, models.size())], any_rules()};
}

/// Runs a random history over one set; `check(set, event, before)` follows every step.
template <class Check>
void live(Check check) {
  block_set set;
  instant now = t0;
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i) {
    now += any_length() / *rc::gen::element(1, 50);
    const auto e = any_event(now);
    const block_set before = set;
    set.apply(e.what, e.model, e.rules);
    check(set, e, before);
  }
}

/// The deadline that this event proves, read from the rules and not from the set.
std::optional<instant> proven(const event& e) {
  const bool counts = e.what.kind == oc::quota && e.what.exhausted && !e.rules.disabled;
  const instant now = e.what.observed_at;
  if (!counts) return std::nullopt;
  auto reset = e.what.deadline;
  if (reset && *reset > now + quota_horizon) reset.reset();
  if (!reset && e.rules.mode == response_mode::usage_limit && e.what.quota_reset &&
      *e.what.quota_reset > now && *e.what.quota_reset <= now + quota_horizon) {
    reset = e.what.quota_reset;
  }
  if (!reset) return std::nullopt;
  return std::max(*reset, now + hint_floor);
}

block_set lived_through() {
  block_set set;
  live([&](const block_set& now, const event&, const block_set&) { set = now; });
  return set;
}

/// Whether evidence explains the reopening, read from the entries alone.
bool is_covered(const std::vector<block>& active, std::string_view name) {
  std::optional<instant> last;
  std::optional<instant> proof;
  for (const auto& entry : active) {
    if (entry.covers == scope::model && entry.model != name) continue;
    last = std::max(last, std::optional{entry.deadline});
    if (entry.proof) proof = std::max(proof, std::optional{entry.deadline});
  }
  return last && proof == last;
}

}  // namespace

TEST_CASE("nothing is free before a proven reset unless success disproved it") {
  REQUIRE(rc::check("evidence is never undercut", [] {
    std::map<std::string_view, instant> promised;  // per model; "" = the whole credential
    live([&](const block_set& set, const event& e, const block_set&) {
      const instant now = e.what.observed_at;
      if (const auto until = proven(e)) {
        const bool all = e.what.covers == scope::credential && !e.rules.model_level;
        auto& promise = promised[all ? "" : e.model];
        promise = std::max(promise, *until);
      }
      if (e.what.kind == oc::success) promised.erase(e.model);
      for (const auto& [name, until] : promised) {
        if (until <= now) continue;
        for (const auto m : models) {
          if (!name.empty() && name != m) continue;
          RC_ASSERT(set.state(m, now).blocked);
          RC_ASSERT(set.state(m, until - 1ns).blocked);
        }
      }
    });
  }));
}

TEST_CASE("no failure shortens a deadline of any model") {
  REQUIRE(rc::check("deadlines never shorten", [] {
    live([](const block_set& set, const event& e, const block_set& before) {
      if (e.what.kind == oc::success) return;
      for (const auto m : models) {
        const instant now = e.what.observed_at;
        RC_ASSERT((set.state(m, now).reopens >= before.state(m, now).reopens));
      }
    });
  }));
}

TEST_CASE("proof names a deadline that a provider proved, and it is the one that reopens") {
  REQUIRE(rc::check("proof is never invented", [] {
    std::vector<instant> said;
    live([&](const block_set& set, const event& e, const block_set&) {
      if (const auto until = proven(e)) said.push_back(*until);
      for (const auto m : models) {
        const auto is = set.state(m, e.what.observed_at);
        if (is.proof) RC_ASSERT(std::ranges::find(said, is.reopens.value()) != said.end());
        RC_ASSERT((is.proof.has_value() == is_covered(set.active(e.what.observed_at), m)));
      }
    });
  }));
}

TEST_CASE("a success never unblocks another model nor an open account-wide quota") {
  REQUIRE(rc::check("success stays with its model", [] {
    live([](const block_set& set, const event& e, const block_set& before) {
      if (e.what.kind != oc::success) return;
      const instant now = e.what.observed_at;
      const auto after = set.active(now);
      for (const auto& entry : before.active(now)) {
        const bool touchable = entry.covers == scope::credential
                                   ? entry.kind != oc::quota
                                   : entry.model == e.model;
        if (!touchable) RC_ASSERT(std::ranges::find(after, entry) != after.end());
      }
    });
  }));
}

TEST_CASE("an unreported change is no change") {
  REQUIRE(rc::check("apply tells when the entries are worth saving", [] {
    block_set set;
    instant now = t0;
    for (int i = *rc::gen::inRange(1, 40); i > 0; --i) {
      now += any_length() / 50;
      const auto e = any_event(now);
      auto before = set.active(now);
      const bool changed = set.apply(e.what, e.model, e.rules);
      auto after = set.active(now);
      for (auto& entry : before) entry.updated_at = {};
      for (auto& entry : after) entry.updated_at = {};
      if (!changed) RC_ASSERT((before == after));
    }
  }));
}

TEST_CASE("active entries restored into an empty set are the same entries") {
  REQUIRE(rc::check("restore(active()) round-trips", [] {
    const auto set = lived_through();
    const instant now = t0 + any_length();
    block_set restored;
    restored.restore(set.active(now), now);
    RC_ASSERT((restored.active(now) == set.active(now)));
    restored.restore(set.active(now), now);
    RC_ASSERT((restored.active(now) == set.active(now)));
    for (const auto m : models) {
      RC_ASSERT((restored.state(m, now).reopens == set.state(m, now).reopens));
      RC_ASSERT((restored.state(m, now).proof == set.state(m, now).proof));
    }
  }));
}

TEST_CASE("pruning changes no answer, present or future") {
  REQUIRE(rc::check("prune is invisible", [] {
    const auto set = lived_through();
    auto pruned = set;
    const instant now = t0 + any_length();
    pruned.prune(now);
    RC_ASSERT((pruned.active(now) == set.active(now)));
    auto failure = quota_429(now);
    auto kept = set;
    kept.apply(failure, models[0], {});
    pruned.apply(failure, models[0], {});
    RC_ASSERT((pruned.state(models[0], now).reopens == kept.state(models[0], now).reopens));
  }));
}

TEST_CASE("final exactly when evidence covers every candidate and the earliest reset is far") {
  REQUIRE(rc::check("usage limit iff covered and more than five minutes", [] {
    const instant now = t0 + any_length();
    std::vector<candidate> pool;
    bool all_covered = true;
    bool any_counts = false;
    std::optional<instant> earliest;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const auto set = lived_through();
      auto who = member("c" + std::to_string(i), set.state(models[0], now));
      who.selectable = *rc::gen::weightedElement<bool>({{5, true}, {1, false}});
      who.status_disabled = *rc::gen::weightedElement<bool>({{9, false}, {1, true}});
      if (who.selectable) {
        any_counts = true;
        all_covered = all_covered && !who.status_disabled &&
                      is_covered(set.active(now), models[0]);
        const auto reopens = who.backends[0].reopens;
        if (reopens && (!earliest || *reopens < *earliest)) earliest = reopens;
      }
      pool.push_back(std::move(who));
    }
    const bool final = any_counts && all_covered && *earliest > now + usage_limit_threshold;
    const auto said = decide(pool, {true, 429, false}, response_mode::usage_limit, now);
    RC_TAG(final);
    RC_ASSERT(((said.kind == verdict_kind::usage_limit) == final));
    if (final) RC_ASSERT((said.reset_at == earliest));
  }));
}

}  // namespace tidegate::quota
