#include "quota/verdict.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace tidegate::quota {
namespace {

/// One counted candidate with its combined state at the present.
struct standing {
  const candidate* who = nullptr;
  block_state is;
};

/// Order of reopening: earlier first, no instant last, then a known window.
auto reopening_order(const block_state& is) {
  const bool known_window = is.proof && is.proof->window;
  return std::tuple{!is.reopens, is.reopens.value_or(instant{}), !known_window};
}

block_state state_of(const candidate& who, instant now) {
  if (who.status_disabled) {
    block_state off;
    off.blocked = true;
    return off;
  }
  auto is = combine_backends(who.backends);
  if (is.blocked && is.reopens && *is.reopens <= now) return {};
  return is;
}

std::vector<standing> counted(std::span<const candidate> pool, instant now) {
  std::vector<standing> out;
  for (const candidate& who : pool) {
    if (who.selectable) out.push_back({&who, state_of(who, now)});
  }
  return out;
}

bool blocked_for_quota(const standing& s) {
  return s.is.blocked && (s.is.quota_only || s.is.proof.has_value());
}

/// Fills in what the wording needs: the candidate that reopens first, providers, newest error.
verdict describe(std::span<const standing> all) {
  verdict out;
  std::set<std::string_view> providers;
  const standing* first = nullptr;
  const candidate* newest = nullptr;
  const auto order = [](const standing& s) {
    return std::tuple_cat(reopening_order(s.is), std::tie(s.who->id));
  };
  for (const standing& s : all) {
    if (!s.who->provider.empty()) providers.insert(s.who->provider);
    if (s.is.blocked && s.is.reopens && (!first || order(s) < order(*first))) first = &s;
    if (!s.who->last_error.empty() &&
        (!newest || std::tie(newest->last_error_at, s.who->id) <
                        std::tie(s.who->last_error_at, newest->id))) {
      newest = s.who;
    }
  }
  if (first) {
    out.reset_at = first->is.reopens;
    out.first = first->who->id;
    if (first->is.proof) out.window = first->is.proof->window;
  }
  if (newest) out.last_error = newest->last_error;
  for (const auto name : providers) {
    if (!out.providers.empty()) out.providers += ',';
    out.providers += name;
  }
  return out;
}

/// Spec 7.4: every counted candidate blocked by evidence, and the earliest reset is far.
bool is_usage_limit(std::span<const standing> all, const verdict& words, instant now) {
  const auto covered = [](const standing& s) {
    return s.is.blocked && s.is.reopens && s.is.proof;
  };
  return !all.empty() && std::ranges::all_of(all, covered) &&
         *words.reset_at > now + usage_limit_threshold;
}

bool is_free(const standing& s) { return !s.is.blocked && !s.who->full; }

bool any_free(std::span<const standing> all) { return std::ranges::any_of(all, is_free); }

bool any_only_full(std::span<const standing> all) {
  return std::ranges::any_of(all, [](const standing& s) { return !s.is.blocked && s.who->full; });
}

/// With a free candidate nobody waits for a blocked one; a free one that just answered 429 has
/// only its own word.
std::optional<instant> reopening_beside(std::span<const standing> all, instant now) {
  const bool untouched = std::ranges::any_of(all, [](const standing& s) {
    return !s.is.blocked && !s.who->just_failed_429;
  });
  return untouched ? std::optional{now} : std::nullopt;
}

verdict_kind kind_of(std::span<const candidate> pool, std::span<const standing> all,
                     const verdict& words, const final_error& how, response_mode mode,
                     instant now) {
  const bool may_be_final = mode == response_mode::usage_limit && !how.counting;
  if (how.attempted) {
    return may_be_final && how.status == 429 && is_usage_limit(all, words, now)
               ? verdict_kind::usage_limit
               : verdict_kind::last_error;
  }
  if (pool.empty()) return verdict_kind::auth_not_found;
  if (all.empty()) return verdict_kind::auth_unavailable;
  if (any_free(all)) return verdict_kind::selectable;
  if (any_only_full(all)) return verdict_kind::busy;
  if (std::ranges::all_of(all, [](const standing& s) { return s.is.needs_login; })) {
    return verdict_kind::auth_required;
  }
  if (may_be_final && is_usage_limit(all, words, now)) return verdict_kind::usage_limit;
  if (std::ranges::all_of(all, blocked_for_quota) && words.reset_at) {
    return verdict_kind::model_cooldown;
  }
  return verdict_kind::auth_unavailable;
}

}  // namespace

block_state combine_backends(std::span<const block_state> backends) {
  block_state out;
  if (backends.empty()) {
    out.blocked = true;
    return out;
  }
  if (!std::ranges::all_of(backends, &block_state::blocked)) return {};
  out = *std::ranges::min_element(backends, {}, reopening_order);
  out.quota_only = std::ranges::all_of(backends, &block_state::quota_only);
  out.needs_login = std::ranges::all_of(backends, &block_state::needs_login);
  out.round_eligible = std::ranges::any_of(backends, &block_state::round_eligible);
  if (!std::ranges::all_of(backends, [](const block_state& b) { return b.proof.has_value(); })) {
    out.proof.reset();
  }
  return out;
}

verdict decide(std::span<const candidate> pool, const final_error& how, response_mode mode,
               instant now) {
  const auto all = counted(pool, now);
  auto out = describe(all);
  out.kind = kind_of(pool, all, out, how, mode, now);
  if (any_free(all) || any_only_full(all)) out.reset_at = reopening_beside(all, now);
  return out;
}

}  // namespace tidegate::quota
