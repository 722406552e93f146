#include "quota/cooldown.hpp"

#include <algorithm>

namespace tidegate::quota {
namespace {

using std::chrono::seconds;

outcome_class class_of_status(int status) {
  switch (status) {
    case 401: return outcome_class::unauthorized;
    case 402:
    case 403: return outcome_class::payment_required;
    case 404: return outcome_class::not_found;
    case 429: return outcome_class::quota;
    default: return outcome_class::transient;
  }
}

/// The class whose row applies; nullopt for classes that cool nothing.
std::optional<outcome_class> cooling_class(const outcome& failed, bool model_known) {
  switch (failed.kind) {
    case outcome_class::success:
    case outcome_class::cancelled:
      return std::nullopt;
    case outcome_class::transport:
    case outcome_class::lifecycle:
    case outcome_class::request_fault:
      if (forces_cooldown(failed.rule)) return class_of_status(failed.status);
      return std::nullopt;
    case outcome_class::model_not_supported:
      if (!model_known) return class_of_status(failed.status);
      return failed.kind;
    case outcome_class::quota:
    case outcome_class::unauthorized:
    case outcome_class::payment_required:
    case outcome_class::invalid_grant:
    case outcome_class::not_found:
    case outcome_class::cloudflare_challenge:
    case outcome_class::transient:
      return failed.kind;
  }
  return std::nullopt;
}

scope scope_of(const outcome& failed, outcome_class kind, const cooldown_rules& rules) {
  switch (kind) {
    case outcome_class::unauthorized:
    case outcome_class::invalid_grant:
      return scope::credential;
    case outcome_class::payment_required:
      return failed.status == 403 ? failed.covers : scope::credential;
    case outcome_class::model_not_supported:
      return scope::model;
    case outcome_class::quota:
      return rules.model_level ? scope::model : failed.covers;
    case outcome_class::not_found:
    case outcome_class::cloudflare_challenge:
    case outcome_class::transient:
    case outcome_class::success:
    case outcome_class::transport:
    case outcome_class::lifecycle:
    case outcome_class::request_fault:
    case outcome_class::cancelled:
      return failed.covers;
  }
  return failed.covers;
}

std::optional<instant> within(const std::optional<instant>& hint, instant now, duration horizon) {
  if (!hint || *hint > now + horizon) return std::nullopt;
  return hint;
}

std::optional<instant> future_hint(const outcome& failed) {
  const auto hint = within(failed.deadline, failed.observed_at, other_horizon);
  if (!hint || *hint <= failed.observed_at) return std::nullopt;
  return hint;
}

int level_of(const block* existing) {
  return existing ? std::clamp(existing->ladder_level, 0, ladder_level_max) : 0;
}

cooldown_ask fixed(const outcome& failed, duration length, const block* existing) {
  return {failed.observed_at + length, deadline_source::fixed, std::nullopt, level_of(existing)};
}

enum class escalation { once_per_window, every_failure };

/// An attempt that began before the present block did tells nothing new about it (P16): it
/// repeats the last step instead of taking the next.
cooldown_ask ladder(const outcome& failed, const block* existing, seconds step_min,
                    escalation how) {
  const instant now = failed.observed_at;
  const int level = level_of(existing);
  const bool open = existing && existing->deadline > now;
  if (open && how == escalation::once_per_window) {
    return {existing->deadline, existing->source, std::nullopt, level};
  }
  const bool began_earlier = existing && failed.started_at < existing->since;
  const auto step = std::max(step_min, ladder_step(began_earlier ? level - 1 : level));
  const int next = began_earlier ? level : std::min(level + 1, ladder_level_max);
  return {now + step, deadline_source::ladder, std::nullopt, next};
}

cooldown_ask quota_ask(const outcome& failed, const block* existing, const cooldown_rules& rules) {
  const auto hint = quota_hint(failed, rules);
  if (!hint) return ladder(failed, existing, seconds{0}, escalation::once_per_window);
  cooldown_ask ask{std::max(*hint, failed.observed_at + hint_floor), deadline_source::provider,
                   std::nullopt, level_of(existing)};
  if (failed.exhausted) ask.proof = evidence{failed.window};
  return ask;
}

cooldown_ask hint_or(const outcome& failed, const block* existing, cooldown_ask otherwise) {
  const auto hint = future_hint(failed);
  if (!hint) return otherwise;
  return {*hint, deadline_source::provider, std::nullopt, level_of(existing)};
}

std::optional<cooldown_ask> transient_ask(const outcome& failed, const block* existing,
                                          const cooldown_rules& rules) {
  if (rules.transient_seconds < 0) {
    if (!forces_cooldown(failed.rule)) return std::nullopt;
    return fixed(failed, transient_default, existing);
  }
  const auto length =
      rules.transient_seconds == 0 ? transient_default : seconds{rules.transient_seconds};
  const auto own = fixed(failed, length, existing);
  return is_server_fault(failed.status) ? hint_or(failed, existing, own) : own;
}

}  // namespace

bool is_server_fault(int status) {
  return status == 408 || status == 500 || (status >= 502 && status <= 504) ||
         (status >= 520 && status <= 526);
}

bool forces_cooldown(rule_action rule) {
  return rule == rule_action::stop_and_cooldown || rule == rule_action::next_and_cooldown;
}

std::optional<entry_key> entry_for(const outcome& failed, std::string_view model,
                                   const cooldown_rules& rules) {
  if (failed.rule == rule_action::stop || failed.rule == rule_action::next) return std::nullopt;
  if (rules.disabled && !forces_cooldown(failed.rule)) return std::nullopt;
  const auto kind = cooling_class(failed, !model.empty());
  if (!kind) return std::nullopt;
  const scope covers = model.empty() ? scope::credential : scope_of(failed, *kind, rules);
  return entry_key{covers, *kind};
}

std::optional<instant> quota_hint(const outcome& failed, const cooldown_rules& rules) {
  const instant now = failed.observed_at;
  if (const auto hint = within(failed.deadline, now, quota_horizon)) return hint;
  if (rules.mode != response_mode::usage_limit) return std::nullopt;
  const auto reset = within(failed.quota_reset, now, quota_horizon);
  return reset && *reset > now ? reset : std::nullopt;
}

std::optional<cooldown_ask> deadline_for(const outcome& failed, outcome_class kind,
                                         const block* existing, const cooldown_rules& rules) {
  switch (kind) {
    case outcome_class::quota:
      return quota_ask(failed, existing, rules);
    case outcome_class::unauthorized:
    case outcome_class::payment_required:
    case outcome_class::invalid_grant:
      return fixed(failed, auth_cooldown, existing);
    case outcome_class::model_not_supported:
      return hint_or(failed, existing, fixed(failed, not_supported_cooldown, existing));
    case outcome_class::not_found:
      return hint_or(failed, existing,
                     ladder(failed, existing, transient_default, escalation::once_per_window));
    case outcome_class::cloudflare_challenge:
      return ladder(failed, existing, hint_floor, escalation::every_failure);
    case outcome_class::transient:
      return transient_ask(failed, existing, rules);
    case outcome_class::success:
    case outcome_class::transport:
    case outcome_class::lifecycle:
    case outcome_class::request_fault:
    case outcome_class::cancelled:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tidegate::quota
