/// The decision table of spec/quota.md 7.5, row by row: real block sets, then decide(). Selection's
/// static filters are expressed by who is in the pool at all.

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/quota/fixtures.hpp"

namespace tidegate::quota {
namespace {

using namespace testing;
using oc = outcome_class;
using vk = verdict_kind;

/// What one backend of a candidate went through; empty = free.
using history = std::vector<outcome>;

struct credential_case {
  std::vector<history> backends;  ///< one per upstream model
  bool status_disabled = false;
  bool selectable = true;
};

struct row {
  const char* name;
  std::vector<credential_case> pool;
  final_error how;
  verdict_kind kind;
  std::optional<duration> reset = std::nullopt;  ///< checked when usage_limit
  std::optional<std::chrono::minutes> window = std::nullopt;
};

const final_error at_selection{};
const final_error after_429{true, 429, false};

credential_case plain(history failures) { return {{std::move(failures)}}; }
credential_case exhausted(duration reset, std::chrono::minutes window = 300min) {
  return plain({exhausted_429(reset, t0, window)});
}

credential_case status_off() {
  credential_case off = plain({});
  off.status_disabled = true;
  return off;
}

credential_case zero_weight() {
  credential_case never = plain({});
  never.selectable = false;
  return never;
}

/// 429 at ladder level 10 that says used up but gives no reset: blocks for 17m4s.
history long_ladder() {
  history out;
  for (int i = 0; i < 10; ++i) {
    auto earlier = quota_429(t0 - (20 - i) * 1h);
    out.push_back(earlier);
  }
  out.push_back(quota_429(t0));
  out.back().exhausted = true;
  return out;
}

std::vector<candidate> build(const std::vector<credential_case>& cases) {
  std::vector<candidate> pool;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    candidate who = member("c" + std::to_string(i + 1), {});
    who.status_disabled = cases[i].status_disabled;
    who.selectable = cases[i].selectable;
    who.backends.clear();
    block_set set;
    const auto backend = [](std::size_t b) { return "backend-" + std::to_string(b); };
    for (std::size_t b = 0; b < cases[i].backends.size(); ++b) {
      for (const auto& what : cases[i].backends[b]) set.apply(what, backend(b), {});
    }
    for (std::size_t b = 0; b < cases[i].backends.size(); ++b) {
      who.backends.push_back(set.state(backend(b), t0));
    }
    pool.push_back(std::move(who));
  }
  return pool;
}

std::vector<row> single_model_rows() {
  const auto e2h = exhausted(2h);
  const auto free = plain({});
  return {
      {"1", {e2h}, at_selection, vk::usage_limit, 2h, 300min},
      {"2, path a", {e2h, exhausted(30min, 10080min)}, at_selection, vk::usage_limit, 30min,
       10080min},
      {"2, path b", {e2h, exhausted(30min, 10080min)}, after_429, vk::usage_limit, 30min, 10080min},
      {"3, path a [T36]", {e2h, exhausted(4min)}, at_selection, vk::model_cooldown},
      {"3, path b [T36]", {e2h, exhausted(4min)}, after_429, vk::last_error},
      {"4 [T39]", {exhausted(5min)}, at_selection, vk::model_cooldown},
      {"[T41]", {exhausted(5min - 1s)}, at_selection, vk::model_cooldown},
      {"5 [T40]", {exhausted(5min + 1s)}, at_selection, vk::usage_limit, 5min + 1s, 300min},
      {"6", {exhausted(5min + 1ms)}, at_selection, vk::usage_limit, 5min + 1ms, 300min},
      {"7, path a [T35]", {e2h, plain({hinted_429(2h)})}, at_selection, vk::model_cooldown},
      {"7, path b [T35]", {e2h, plain({hinted_429(2h)})}, after_429, vk::last_error},
      {"8, path a [T34]", {e2h, plain({make(oc::transient, 503)})}, at_selection,
       vk::auth_unavailable},
      {"8, path b [T34]", {e2h, plain({make(oc::transient, 503)})}, after_429, vk::last_error},
      {"9", {e2h, plain({make(oc::unauthorized, 401)})}, at_selection, vk::auth_unavailable},
      {"10 [T63]", {e2h, free}, after_429, vk::last_error},
      {"11: a disabled credential is not in the pool [T54]", {e2h}, after_429, vk::usage_limit, 2h,
       300min},
      {"12, path a [T55]", {e2h, status_off()}, at_selection, vk::auth_unavailable},
      {"12, path b [T55]", {e2h, status_off()}, after_429, vk::last_error},
      {"13: a credential without executor is not in the pool [T56]", {e2h}, after_429,
       vk::usage_limit, 2h, 300min},
      {"14: another model's credential is not in the pool [T57]", {e2h}, after_429,
       vk::usage_limit, 2h, 300min},
      {"15: a pin leaves one in the pool [T58]", {e2h}, after_429, vk::usage_limit, 2h, 300min},
      {"16 [T38]", {plain(long_ladder())}, after_429, vk::last_error},
      {"16, path a [T38]", {plain(long_ladder())}, at_selection, vk::model_cooldown},
      {"17", {plain({exhausted_429(2h), make(oc::model_not_supported, 404)})}, after_429,
       vk::last_error},
      {"22", {}, at_selection, vk::auth_not_found},
      {"23", {e2h, plain({exhausted_429(2h), make(oc::transient, 500)})}, {true, 500, false},
       vk::last_error},
      {"24 [T89]", {e2h, e2h}, {true, 429, true}, vk::last_error},
      {"24 at selection [T89]", {e2h, e2h}, {false, 0, true}, vk::model_cooldown},
      {"weight 0 does not veto [A3]", {e2h, zero_weight()}, at_selection, vk::usage_limit, 2h,
       300min},
      {"a low-priority free credential vetoes [T62]", {e2h, free}, after_429, vk::last_error},
      {"tried ones count [T59]", {e2h, e2h}, after_429, vk::usage_limit, 2h, 300min},
  };
}

std::vector<row> alias_pool_rows() {
  const history e2h{exhausted_429(2h)};
  const history e30m{exhausted_429(30min, t0, 10080min)};
  const history generic{hinted_429(2h)};
  const history account{account_wide(exhausted_429(2h))};
  return {
      {"18, path a [T65]", {{{e2h, e30m}}}, at_selection, vk::usage_limit, 30min, 10080min},
      {"18, path b [T65]", {{{e2h, e30m}}}, after_429, vk::usage_limit, 30min, 10080min},
      {"19 [T66]", {{{e2h, {}}}}, after_429, vk::last_error},
      {"19 at selection [T66]", {{{e2h, {}}}}, at_selection, vk::selectable},
      {"20 [T67]", {{{e2h, generic}}}, at_selection, vk::model_cooldown},
      {"20, path b [T67]", {{{e2h, generic}}}, after_429, vk::last_error},
      {"21 [T69]", {{{account, {}}}}, at_selection, vk::usage_limit, 2h, 300min},
      {"21, path b [T69]", {{{account, {}}}}, after_429, vk::usage_limit, 2h, 300min},
      {"an alias pool beside a plain credential", {{{e2h, e30m}}, exhausted(1h)}, after_429,
       vk::usage_limit, 30min, 10080min},
  };
}

void check(const row& r) {
  CAPTURE(r.name);
  const auto said = decide(build(r.pool), r.how, response_mode::usage_limit, t0);
  CHECK(said.kind == r.kind);
  if (r.kind != vk::usage_limit) return;
  CHECK(said.reset_at == t0 + r.reset.value());
  CHECK(said.window == r.window);
}

}  // namespace

TEST_CASE("the final answer follows the decision table") {
  for (const auto& r : single_model_rows()) check(r);
}

TEST_CASE("an alias pool is final when every backend is covered, and reopens with its first") {
  for (const auto& r : alias_pool_rows()) check(r);
}

TEST_CASE("retryable mode never gives a final answer") {
  for (const auto& r : single_model_rows()) {
    CAPTURE(r.name);
    const auto said = decide(build(r.pool), r.how, response_mode::retryable, t0);
    CHECK(said.kind != vk::usage_limit);
    if (r.kind == vk::usage_limit) {
      CHECK(said.kind == (r.how.attempted ? vk::last_error : vk::model_cooldown));
    }
  }
}

TEST_CASE("the check looks at 429 and at nothing else that an attempt ended with [T91]") {
  const auto status = GENERATE(0, 401, 403, 408, 500, 502, 503, 504);
  const auto pool = build({exhausted(2h)});
  const auto said = decide(pool, {true, status, false}, response_mode::usage_limit, t0);
  CHECK(said.kind == vk::last_error);
}

TEST_CASE("a deadline that passes between failure and check leaves the answer retryable [T43]") {
  block_set set;
  set.apply(exhausted_429(6min), model, {});
  const auto at = [&](instant now) {
    const std::vector pool{member("a", set.state(model, now))};
    return decide(pool, after_429, response_mode::usage_limit, now).kind;
  };
  CHECK(at(t0) == vk::usage_limit);
  CHECK(at(t0 + 1min) == vk::last_error);
  CHECK(at(t0 + 6min) == vk::last_error);
}

TEST_CASE("the window told is that of the credential that reopens first [T51] [T53]") {
  const auto pool = build({exhausted(2h, 300min), exhausted(1h, 10080min)});
  const auto said = decide(pool, after_429, response_mode::usage_limit, t0);
  CHECK(said.window == 10080min);
  CHECK(said.first.value == "c2");
}

TEST_CASE("of two equal resets a known window is told, then the smallest id") {
  auto unknown = exhausted(2h);
  unknown.backends[0][0].window.reset();
  SECTION("known window first") {
    const auto said =
        decide(build({unknown, exhausted(2h)}), after_429, response_mode::usage_limit, t0);
    CHECK(said.first.value == "c2");
    CHECK(said.window == 300min);
  }
  SECTION("then the id") {
    auto pool = build({exhausted(2h), exhausted(2h)});
    std::swap(pool[0], pool[1]);
    CHECK(decide(pool, after_429, response_mode::usage_limit, t0).first.value == "c1");
  }
  SECTION("an unknown window stays unknown [T52]") {
    const auto said = decide(build({unknown}), after_429, response_mode::usage_limit, t0);
    CHECK(said.kind == vk::usage_limit);
    CHECK_FALSE(said.window);
  }
}

}  // namespace tidegate::quota
