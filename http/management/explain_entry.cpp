#include "http/management/explain_entry.hpp"

#include "base/time_text.hpp"
#include "http/exchange/refusal_text.hpp"
#include "http/management/credential_entry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::http::management {
namespace {

using nlohmann::ordered_json;

std::string_view meaning_of(quota::verdict_kind kind) {
  switch (kind) {
    case quota::verdict_kind::usage_limit:
      return "every candidate's quota is used up by its provider's own word; final until the reset";
    case quota::verdict_kind::busy:
      return "every usable candidate has as many requests under way as it may; to be tried again";
    case quota::verdict_kind::model_cooldown:
      return "every candidate cools down for quota; to be tried again";
    case quota::verdict_kind::auth_unavailable:
      return "candidates exist, but none can be used now";
    case quota::verdict_kind::auth_required:
      return "every candidate's login is dead";
    case quota::verdict_kind::auth_not_found:
      return "no candidate for this model and surface";
    case quota::verdict_kind::last_error:
      return "the provider's last error would be relayed";
    case quota::verdict_kind::selectable:
      return "the request would be sent upstream";
  }
  return "unknown";
}

/// The cooldown that reopens exactly when the candidate does, as the one that decides.
const quota::block* deciding(const credential_view* view, instant reopens) {
  if (view == nullptr) return nullptr;
  const auto found = std::ranges::find(view->blocks, reopens, &quota::block::deadline);
  return found == view->blocks.end() ? nullptr : &*found;
}

std::string origin_of(const quota::block& entry) {
  const bool whole = entry.covers == quota::scope::credential;
  std::string out = fmt::format("{} of {}", quota::to_string(entry.kind),
                                whole ? "the whole credential" : "model " + entry.model);
  switch (entry.source) {
    case quota::deadline_source::provider:
      return out + ", time stated by the provider";
    case quota::deadline_source::ladder:
      return out + ", time from the back-off ladder";
    case quota::deadline_source::fixed:
      return out + ", fixed time";
  }
  return out;
}

std::string proof_of(const std::optional<quota::evidence>& proof) {
  if (!proof) return "no evidence of a used-up quota";
  if (!proof->window) return "evidence: quota used up, window unknown";
  return fmt::format("evidence: {}-minute window used up", proof->window->count());
}

const credential_view* find(const std::vector<credential_view>& all, const credential_id& id) {
  const auto found = std::ranges::find_if(all, [&](const auto& v) { return v.record->id == id; });
  return found == all.end() ? nullptr : &*found;
}

bool is_eligible(const quota::candidate& who, instant now) {
  if (who.status_disabled || !who.selectable) return false;
  const auto is = quota::combine_backends(who.backends);
  return !is.blocked || (is.reopens && *is.reopens <= now);
}

ordered_json backends_entry(const quota::candidate& who, const std::vector<std::string>* names,
                            instant now) {
  auto out = ordered_json::array();
  for (std::size_t i = 0; i < who.backends.size(); ++i) {
    const auto& is = who.backends[i];
    ordered_json one;
    if (names != nullptr && i < names->size()) one["upstream_model"] = (*names)[i];
    one["blocked"] = is.blocked;
    if (is.blocked) {
      if (is.reopens) {
        one["retry_at"] = format_rfc3339(*is.reopens);
        one["remaining_seconds"] = seconds_until(*is.reopens, now);
      }
      one["evidence"] = evidence_entry(is.proof);
      one["cause"] = is.cause;
    }
    out.push_back(std::move(one));
  }
  return out;
}

ordered_json cooldowns_entry(const credential_view& view, const std::vector<std::string>* names,
                             instant now) {
  auto out = ordered_json::array();
  for (const auto& entry : view.blocks) {
    const auto concerns = [&](const auto& name) {
      return quota::canonical_model(name) == entry.model;
    };
    const bool other = entry.covers == quota::scope::model && names != nullptr &&
                       std::ranges::none_of(*names, concerns);
    if (!other) out.push_back(cooldown_entry(entry, now));
  }
  return out;
}

ordered_json candidate_entry(const quota::candidate& who, const explain_facts& facts) {
  const auto* view = find(facts.views, who.id);
  const auto known = facts.upstream.find(who.id.value);
  const auto* names = known == facts.upstream.end() ? nullptr : &known->second;
  ordered_json out{{"id", who.id.value}};
  if (view != nullptr) {
    out["auth_index"] = view->record->auth_index;
    out["name"] = name_of(*view->record);
    out["priority"] = view->record->priority;
  }
  out["provider"] = who.provider;
  out["eligible"] = is_eligible(who, facts.now);
  out["why"] = why(who, view, facts.now);
  out["upstream"] = backends_entry(who, names, facts.now);
  if (view != nullptr) out["cooldowns"] = cooldowns_entry(*view, names, facts.now);
  if (!who.last_error.empty()) {
    out["last_error"] = {{"message", who.last_error}, {"at", format_rfc3339(who.last_error_at)}};
  }
  return out;
}

ordered_json verdict_entry(const quota::verdict& verdict, instant now) {
  ordered_json out{{"kind", to_string(verdict.kind)}, {"meaning", meaning_of(verdict.kind)}};
  if (verdict.reset_at) {
    out["reset_at"] = format_rfc3339(*verdict.reset_at);
    out["reset_seconds"] = seconds_until(*verdict.reset_at, now);
  }
  if (verdict.window) out["limit_window_minutes"] = verdict.window->count();
  if (!verdict.first.value.empty()) out["reopens_first"] = verdict.first.value;
  if (!verdict.providers.empty()) out["providers"] = verdict.providers;
  if (!verdict.last_error.empty()) out["last_upstream_error"] = verdict.last_error;
  return out;
}

}  // namespace

std::string_view to_string(quota::verdict_kind kind) {
  switch (kind) {
    case quota::verdict_kind::usage_limit:
      return "usage_limit";
    case quota::verdict_kind::busy:
      return "busy";
    case quota::verdict_kind::model_cooldown:
      return "model_cooldown";
    case quota::verdict_kind::auth_unavailable:
      return "auth_unavailable";
    case quota::verdict_kind::auth_required:
      return "auth_required";
    case quota::verdict_kind::auth_not_found:
      return "auth_not_found";
    case quota::verdict_kind::last_error:
      return "last_error";
    case quota::verdict_kind::selectable:
      return "selectable";
  }
  return "unknown";
}

std::string why(const quota::candidate& who, const credential_view* view, instant now) {
  if (who.status_disabled) {
    return "blocked without end: its login must be renewed; not evidence of a used-up quota";
  }
  if (!who.selectable) return "never picked: its weight is 0 under the weighted strategy";
  if (is_eligible(who, now)) return "eligible";
  const auto is = quota::combine_backends(who.backends);
  if (!is.reopens) return "blocked until an operator acts: " + proof_of(is.proof);
  std::string out = fmt::format("blocked until {} ({}): ", format_rfc3339(*is.reopens),
                                format_reset_time(*is.reopens - now));
  if (const auto* entry = deciding(view, *is.reopens)) out += origin_of(*entry) + "; ";
  out += proof_of(is.proof);
  if (!is.cause.empty()) out += "; cause: " + is.cause;
  return out;
}

ordered_json answer_entry(const protocol::reply& reply) {
  ordered_json out{{"status", reply.status}};
  auto& headers = out["headers"] = ordered_json::object();
  for (const auto& [name, value] : reply.headers) headers[name] = value;
  auto body = ordered_json::parse(reply.body, nullptr, false);
  out["body"] = body.is_discarded() ? ordered_json(reply.body) : std::move(body);
  return out;
}

ordered_json explain_entry(const explain_facts& facts) {
  const auto& verdict = facts.told.verdict;
  ordered_json out{{"surface", protocol::to_string(facts.surface)}};
  out["verdict"] = verdict_entry(verdict, facts.now);
  if (verdict.kind != quota::verdict_kind::selectable) {
    out["answer"] = answer_entry(answer_of(protocol::wire_of(facts.surface), verdict,
                                           std::string{facts.model}, std::nullopt, facts.now));
  }
  auto& all = out["credentials"] = ordered_json::array();
  for (const auto& who : facts.told.candidates) all.push_back(candidate_entry(who, facts));
  for (const auto& id : facts.told.other_surface) {
    const auto* view = find(facts.views, id);
    if (view == nullptr) continue;
    all.push_back(bystander_entry(*view->record, "serves the model, but not on this surface"));
  }
  return out;
}

ordered_json bystander_entry(const provider::credential& who, std::string_view reason) {
  return {{"id", who.id.value},
          {"auth_index", who.auth_index},
          {"name", name_of(who)},
          {"priority", who.priority},
          {"provider", who.provider_name},
          {"eligible", false},
          {"why", reason}};
}

}  // namespace tidegate::http::management
