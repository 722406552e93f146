#pragma once
/// Builders for the quota tests: outcomes at a fixed present, candidates, and shorthand for time.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "quota/block_set.hpp"
#include "quota/outcome.hpp"
#include "quota/verdict.hpp"

namespace tidegate::quota::testing {

using namespace std::chrono_literals;

/// 2027-01-15T08:00:00Z.
inline constexpr instant t0 = from_unix(1'800'000'000);
inline constexpr std::string_view model = "gpt-x";
inline constexpr auto two_hours = std::chrono::hours{2};

/// An outcome seen at `seen` from an attempt that began at the same moment.
inline outcome make(outcome_class kind, int status, instant seen = t0) {
  outcome what;
  what.kind = kind;
  what.status = status;
  what.cause = "cause " + std::to_string(status);
  what.started_at = what.observed_at = seen;
  return what;
}

inline outcome quota_429(instant seen = t0) { return make(outcome_class::quota, 429, seen); }

/// 429 with the provider's own deadline but without a word about a used-up window.
inline outcome hinted_429(duration hint, instant seen = t0) {
  auto what = quota_429(seen);
  what.deadline = seen + hint;
  return what;
}

/// 429 that says that a window is used up and when it reopens.
inline outcome exhausted_429(duration reset, instant seen = t0,
                             std::optional<std::chrono::minutes> window = 300min) {
  auto what = hinted_429(reset, seen);
  what.exhausted = true;
  what.window = window;
  return what;
}

inline outcome account_wide(outcome what) {
  what.covers = scope::credential;
  return what;
}

inline outcome success(instant started, instant seen) {
  auto what = make(outcome_class::success, 200, seen);
  what.started_at = started;
  return what;
}

inline cooldown_rules in_mode(response_mode mode) {
  cooldown_rules rules;
  rules.mode = mode;
  return rules;
}

inline candidate member(std::string id, block_state backend) {
  candidate who;
  who.id = {std::move(id)};
  who.provider = "codex";
  who.request_retry = 3;
  who.backends = {std::move(backend)};
  return who;
}

/// A persisted entry of one model (or of the credential when `name` is empty).
inline block saved_block(std::string name, outcome_class kind, instant deadline) {
  block saved;
  saved.model = std::move(name);
  saved.kind = kind;
  saved.deadline = deadline;
  return saved;
}

/// The one entry of a set that must hold exactly one at `now`.
inline block only(const block_set& set, instant now) {
  auto active = set.active(now);
  return active.size() == 1 ? active.front() : block{};
}

}  // namespace tidegate::quota::testing
