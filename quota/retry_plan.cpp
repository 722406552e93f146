#include "quota/retry_plan.hpp"

#include <algorithm>

namespace tidegate::quota {
namespace {

using std::chrono::nanoseconds;

bool opens_a_round(int status) {
  return status == 403 || status == 408 || status == 429 || status == 500 ||
         (status >= 502 && status <= 504);
}

bool takes_part(const candidate& who, int round) {
  return who.selectable && !who.status_disabled && who.request_retry >= round;
}

/// How long until this candidate can be tried; nullopt when a round cannot wait for it.
std::optional<nanoseconds> wait_for(const candidate& who, instant now) {
  std::optional<nanoseconds> least;
  for (const block_state& backend : who.backends) {
    if (backend.blocked && !(backend.round_eligible && backend.reopens)) continue;
    nanoseconds wait{0};
    if (backend.blocked) wait = std::max(nanoseconds{0}, *backend.reopens - now);
    if (who.just_failed_429) {
      wait = std::max<nanoseconds>(wait, rest_after_429);
      if (who.named_end) wait = std::max<nanoseconds>(wait, *who.named_end - now);
    }
    if (!least || wait < *least) least = wait;
  }
  return least;
}

/// Whether a cooldown of any backend was recorded.
bool has_block(const candidate& who) {
  return who.status_disabled || std::ranges::any_of(who.backends, &block_state::blocked);
}

bool is_blocked(const candidate& who) {
  return who.status_disabled || combine_backends(who.backends).blocked;
}

}  // namespace

after_failure plan_after(const outcome& failed) {
  switch (failed.rule) {
    case rule_action::stop:
    case rule_action::stop_and_cooldown:
      return after_failure::answer_now;
    case rule_action::next:
    case rule_action::next_and_cooldown:
      return after_failure::next_credential;
    case rule_action::none:
      break;
  }
  switch (failed.kind) {
    case outcome_class::success:
    case outcome_class::request_fault:
    case outcome_class::cancelled:
      return after_failure::answer_now;
    case outcome_class::quota:
    case outcome_class::unauthorized:
    case outcome_class::payment_required:
    case outcome_class::invalid_grant:
    case outcome_class::model_not_supported:
    case outcome_class::not_found:
    case outcome_class::cloudflare_challenge:
    case outcome_class::transient:
    case outcome_class::transport:
    case outcome_class::lifecycle:
      return after_failure::next_credential;
  }
  return after_failure::answer_now;
}

bool allows_another_round(const outcome& last) {
  if (plan_after(last) == after_failure::answer_now) return false;
  switch (last.kind) {
    case outcome_class::quota:
    case outcome_class::transport:
      return true;
    case outcome_class::transient:
      return last.status == 0 || opens_a_round(last.status);
    case outcome_class::payment_required:
    case outcome_class::cloudflare_challenge:
    case outcome_class::request_fault:
      return opens_a_round(last.status);
    case outcome_class::success:
    case outcome_class::cancelled:
    case outcome_class::unauthorized:
    case outcome_class::invalid_grant:
    case outcome_class::model_not_supported:
    case outcome_class::not_found:
    case outcome_class::lifecycle:
      return false;
  }
  return false;
}

std::optional<nanoseconds> wait_before_round(std::span<const candidate> pool, const outcome& last,
                                             int round, const retry_options& options,
                                             double jitter, instant now) {
  if (!allows_another_round(last)) return std::nullopt;
  std::optional<nanoseconds> least;
  for (const candidate& who : pool) {
    if (!takes_part(who, round)) continue;
    const auto wait = wait_for(who, now);
    if (wait && (!least || *wait < *least)) least = wait;
  }
  if (!least) return std::nullopt;
  if (*least == nanoseconds{0} && last.deadline && std::ranges::none_of(pool, has_block)) {
    least = std::max(nanoseconds{0}, *last.deadline - now);
  }
  if (*least == nanoseconds{0}) return least;
  const nanoseconds longest = options.max_retry_interval;
  if (*least > longest) return std::nullopt;
  const auto spread = static_cast<double>(std::min<nanoseconds>(*least / 4, jitter_max).count());
  const nanoseconds extra{static_cast<nanoseconds::rep>(spread * jitter)};
  return std::min(*least + extra, longest);
}

std::optional<credential_id> probe_target(std::span<const candidate> pool) {
  const auto free = [](const candidate& who) { return who.selectable && !is_blocked(who); };
  if (std::ranges::any_of(pool, free)) return std::nullopt;
  const auto due = std::ranges::find_if(pool, [](const candidate& who) {
    return who.selectable && !who.status_disabled && who.probe_due;
  });
  return due == pool.end() ? std::nullopt : std::optional{due->id};
}

}  // namespace tidegate::quota
