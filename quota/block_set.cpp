#include "quota/block_set.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "quota/cooldown.hpp"

namespace tidegate::quota {
namespace {

auto key_of(scope covers, std::string_view model, outcome_class kind) {
  return std::tuple{covers != scope::credential, model, kind};
}

auto key_of(const block& b) { return key_of(b.covers, b.model, b.kind); }

bool is_active(const block& b, instant now) { return b.deadline > now; }

bool concerns(const block& b, std::string_view model) {
  return b.covers == scope::credential || b.model == model;
}

bool is_open_credential_quota(const block& b, instant now) {
  return b.covers == scope::credential && b.kind == outcome_class::quota && is_active(b, now);
}

bool is_login(outcome_class kind) {
  return kind == outcome_class::unauthorized || kind == outcome_class::invalid_grant;
}

bool is_quota_like(outcome_class kind) {
  return kind == outcome_class::quota || kind == outcome_class::cloudflare_challenge;
}

bool is_worth_waiting_for(const block& b) {
  switch (b.kind) {
    case outcome_class::quota:
    case outcome_class::cloudflare_challenge:
      return true;
    case outcome_class::transient:
      return b.status == 0 || is_server_fault(b.status);
    case outcome_class::payment_required:
      return b.status == 403;
    case outcome_class::unauthorized:
    case outcome_class::invalid_grant:
    case outcome_class::model_not_supported:
    case outcome_class::not_found:
    case outcome_class::success:
    case outcome_class::transport:
    case outcome_class::lifecycle:
    case outcome_class::request_fault:
    case outcome_class::cancelled:
      return false;
  }
  return false;
}

/// The evidence of two entries for the same deadline: the newer known window wins.
std::optional<evidence> joined(const std::optional<evidence>& newer,
                               const std::optional<evidence>& older) {
  if (!newer || !older) return newer ? newer : older;
  return newer->window ? newer : older;
}

/// Spec 7.2: evidence follows the deadline that it explains, and only that one.
void merge(block& into, const cooldown_ask& ask, const outcome& failed) {
  const instant now = failed.observed_at;
  const bool open = is_active(into, now);
  if (!open) into.since = now;
  if (!open || ask.until > into.deadline) {
    into.deadline = ask.until;
    into.source = ask.source;
    into.proof = ask.proof;
    into.status = failed.status;
    into.cause = failed.cause;
  } else if (ask.until == into.deadline && ask.proof) {
    into.source = ask.source;
    into.proof = joined(ask.proof, into.proof);
    into.status = failed.status;
    into.cause = failed.cause;
  }
  into.ladder_level = ask.ladder_level;
  into.updated_at = std::max(into.updated_at, now);
}

bool same_but_touched(const block& before, block after) {
  after.updated_at = before.updated_at;
  return before == after;
}

void merge_restored(block& into, const block& saved, instant now) {
  into.since = is_active(into, now) ? std::min(into.since, saved.since) : saved.since;
  if (saved.deadline == into.deadline) {
    into.proof = joined(saved.proof, into.proof);
  } else if (saved.deadline > into.deadline) {
    into.deadline = saved.deadline;
    into.source = saved.source;
    into.proof = saved.proof;
    into.status = saved.status;
    into.cause = saved.cause;
  }
  into.ladder_level = std::max(into.ladder_level, saved.ladder_level);
  into.updated_at = std::max(into.updated_at, saved.updated_at);
}

/// Brings a persisted entry into the form that apply() would have made.
void normalise(block& saved) {
  if (saved.model.empty()) saved.covers = scope::credential;
  if (saved.covers == scope::credential) saved.model.clear();
  saved.ladder_level = std::clamp(saved.ladder_level, 0, ladder_level_max);
  if (saved.kind != outcome_class::quota) saved.proof.reset();
}

bool cools(outcome_class kind) {
  return kind != outcome_class::success && kind != outcome_class::transport &&
         kind != outcome_class::lifecycle && kind != outcome_class::request_fault &&
         kind != outcome_class::cancelled;
}

}  // namespace

bool block_set::apply(const outcome& what, std::string_view model, const cooldown_rules& rules) {
  if (what.kind == outcome_class::success) return clear_disproved(what, model);
  const auto key = entry_for(what, model, rules);
  if (!key) return false;
  const instant now = what.observed_at;
  // A hint-less 429 inside a credential-wide quota block belongs to that block's burst.
  if (key->kind == outcome_class::quota && key->covers == scope::model &&
      !quota_hint(what, rules) && quota_covers_all(now)) {
    return false;
  }
  if (key->covers == scope::credential) model = {};
  const auto wanted = key_of(key->covers, model, key->kind);
  const auto at = std::ranges::find_if(
      entries_, [&](const block& entry) { return key_of(entry) == wanted; });
  const bool known = at != entries_.end();
  const auto ask = deadline_for(what, key->kind, known ? &*at : nullptr, rules);
  if (!ask) return false;
  if (known) {
    const block before = *at;
    merge(*at, *ask, what);
    return !same_but_touched(before, *at);
  }
  insert({key->covers, std::string{model}, key->kind, ask->until, ask->source, ask->proof,
          ask->ladder_level, what.status, what.cause, now, now},
         now);
  return true;
}

bool block_set::clear_disproved(const outcome& success, std::string_view model) {
  return remove_if([&](const block& entry) {
    return concerns(entry, model) && entry.since < success.started_at &&
           !is_open_credential_quota(entry, success.observed_at);
  });
}

bool block_set::quota_covers_all(instant now) const {
  return std::ranges::any_of(
      entries_, [now](const block& entry) { return is_open_credential_quota(entry, now); });
}

void block_set::insert(block entry, instant now) {
  if (entries_.size() >= blocks_max) {
    remove_if([now](const block& old) { return !is_active(old, now); });
  }
  if (entries_.size() >= blocks_max) {
    entries_.erase(std::ranges::min_element(entries_, {}, [](const block& old) {
      return std::tuple{old.proof.has_value(), old.deadline};
    }));
  }
  const auto before = [](const block& a, const block& b) { return key_of(a) < key_of(b); };
  entries_.insert(std::ranges::lower_bound(entries_, entry, before), std::move(entry));
}

block_state block_set::state(std::string_view model, instant now) const {
  block_state is;
  is.quota_only = is.round_eligible = true;
  const block* last = nullptr;
  for (const block& entry : entries_) {
    if (!concerns(entry, model) || !is_active(entry, now)) continue;
    is.quota_only = is.quota_only && is_quota_like(entry.kind);
    is.needs_login = is.needs_login || is_login(entry.kind);
    is.round_eligible = is.round_eligible && is_worth_waiting_for(entry);
    if (!last || entry.deadline > last->deadline) {
      last = &entry;
      is.proof = entry.proof;
    } else if (entry.deadline == last->deadline) {
      is.proof = joined(is.proof, entry.proof);
    }
  }
  if (!last) return {};
  is.blocked = true;
  is.reopens = last->deadline;
  is.cause = last->cause;
  return is;
}

template <class Predicate>
bool block_set::remove_if(Predicate gone) {
  return std::erase_if(entries_, gone) > 0;
}

bool block_set::lift_quota(std::optional<std::chrono::minutes> window, instant observed_at) {
  return remove_if([&](const block& entry) {
    return entry.kind == outcome_class::quota && entry.proof && entry.updated_at < observed_at &&
           (!window || entry.proof->window == window);
  });
}

bool block_set::probe_served(std::string_view model, instant started_at) {
  return remove_if([&](const block& entry) {
    return is_quota_like(entry.kind) && concerns(entry, model) && entry.since < started_at;
  });
}

bool block_set::probe_due(std::string_view model, duration interval, instant now) const {
  bool blocked = false;
  for (const block& entry : entries_) {
    if (!concerns(entry, model) || !is_active(entry, now)) continue;
    if (!is_quota_like(entry.kind) || entry.updated_at + interval > now) return false;
    blocked = true;
  }
  return blocked;
}

bool block_set::clear_login() {
  return remove_if([](const block& entry) { return is_login(entry.kind); });
}

bool block_set::clear() {
  return remove_if([](const block&) { return true; });
}

bool block_set::clear(std::string_view model) {
  return remove_if([&](const block& entry) {
    return entry.covers == scope::model && entry.model == model;
  });
}

void block_set::restore(std::vector<block> entries, instant now) {
  for (block& saved : entries) {
    if (!is_active(saved, now) || !cools(saved.kind)) continue;
    normalise(saved);
    const auto at = std::ranges::find_if(
        entries_, [&](const block& entry) { return key_of(entry) == key_of(saved); });
    if (at == entries_.end()) {
      insert(std::move(saved), now);
    } else {
      merge_restored(*at, saved, now);
    }
  }
}

std::vector<block> block_set::active(instant now) const {
  std::vector<block> out;
  std::ranges::copy_if(entries_, std::back_inserter(out),
                       [now](const block& entry) { return is_active(entry, now); });
  return out;
}

bool block_set::prune(instant now) {
  return remove_if([now](const block& entry) {
    return !is_active(entry, now) && entry.ladder_level == 0;
  });
}

std::string_view canonical_model(std::string_view name) {
  std::string_view base = trimmed(name);
  if (base.ends_with(')')) {
    const auto open = base.rfind('(');
    if (open != std::string_view::npos) base = trimmed(base.substr(0, open));
  }
  return base.empty() ? name : base;
}

std::chrono::seconds ladder_step(int level) {
  const int shift = std::clamp(level, 0, ladder_level_max);
  return std::min(std::chrono::seconds{1LL << shift}, ladder_cap);
}

}  // namespace tidegate::quota
