#include "http/management/credential_entry.hpp"

#include "base/time_text.hpp"
#include "provider/credential_mask.hpp"

#include <algorithm>

namespace tidegate::http::management {
namespace {

using nlohmann::ordered_json;

std::string_view source_name(quota::deadline_source source) {
  switch (source) {
    case quota::deadline_source::provider:
      return "provider";
    case quota::deadline_source::ladder:
      return "ladder";
    case quota::deadline_source::fixed:
      return "fixed";
  }
  return "unknown";
}

std::string_view reason_of(const quota::block& entry) {
  const bool whole = entry.covers == quota::scope::credential;
  if (whole && entry.kind == quota::outcome_class::quota) return "credential_quota";
  return quota::to_string(entry.kind);
}

void put_time(ordered_json& into, const char* name, const std::optional<instant>& at) {
  if (at) into[name] = format_rfc3339(*at);
}

void put_text(ordered_json& into, const char* name, const std::string& text) {
  if (!text.empty()) into[name] = text;
}

/// Latest deadline among the cooldowns of the whole credential.
std::optional<instant> unavailable_until(const credential_view& view) {
  std::optional<instant> until;
  for (const auto& entry : view.blocks) {
    if (entry.covers != quota::scope::credential) continue;
    until = std::max(until.value_or(entry.deadline), entry.deadline);
  }
  return until;
}

/// Its tokens have ended, and nothing but a login brings new ones.
bool login_is_dead(const credential_view& view, instant now) {
  const auto& end = view.record->expires_at;
  return view.token.state == "rejected" && (!end || *end <= now);
}

void put_status(ordered_json& into, const credential_view& view, instant now) {
  const auto& who = *view.record;
  std::string_view status = "active";
  std::string message;
  if (who.disabled || who.status_disabled) {
    status = "disabled";
    message = who.disabled ? "disabled by the operator" : "disabled until its login is renewed";
  } else if (login_is_dead(view, now)) {
    status = "disabled";
    message = "token not renewed, log in again: " + view.token.reason;
  } else if (!view.blocks.empty()) {
    status = "error";
    message = std::ranges::max_element(view.blocks, {}, &quota::block::updated_at)->cause;
  }
  if (status == "active" && (view.token.state == "failed" || view.token.state == "rejected")) {
    status = "error";
    message = "token not renewed: " + view.token.reason;
  }
  const auto until = unavailable_until(view);
  into["status"] = status;
  into["status_message"] = message;
  into["disabled"] = who.disabled;
  into["unavailable"] = until.has_value();
  put_time(into, "next_retry_after", until);
}

void put_origin(ordered_json& into, const provider::credential& who) {
  const bool account = who.auth == provider::auth_kind::account;
  into["source"] = who.file.empty() ? "memory" : "file";
  into["runtime_only"] = false;
  put_text(into, "path", who.source);
  into["account_type"] = account ? "oauth" : "api_key";
  put_text(into, "account", account ? who.label : who.secret.masked());
  // Without a name of its own an account is labelled with that of its file.
  if (account && who.label != who.file) put_text(into, "email", who.label);
  put_text(into, "project_id", who.project_id);
  if (!who.plan_type.empty() || !who.account_id.empty()) {
    auto& token = into["id_token"] = ordered_json::object();
    put_text(token, "chatgpt_account_id", who.account_id);
    put_text(token, "plan_type", who.plan_type);
    put_time(token, "chatgpt_subscription_active_start", who.subscribed_from);
    put_time(token, "chatgpt_subscription_active_until", who.subscribed_until);
  }
  put_time(into, "expires_at", who.expires_at);
}

void put_settings(ordered_json& into, const provider::credential& who) {
  into["base_url"] = provider::masked_url(who.base_url);
  if (!who.proxy_url.empty()) into["proxy_url"] = provider::masked_url(who.proxy_url.reveal());
  put_text(into, "prefix", who.prefix);
  into["priority"] = who.priority;
  into["weight"] = who.weight;
  put_text(into, "note", who.note);
  if (who.max_concurrency > 0) into["max_concurrency"] = who.max_concurrency;
  if (who.request_retry) into["request_retry"] = *who.request_retry;
  if (who.disable_cooling) into["disable_cooling"] = *who.disable_cooling;
  if (!who.excluded_models.empty()) into["excluded_models"] = who.excluded_models;
}

void put_counters(ordered_json& into, const credential_view& view) {
  std::uint64_t sum = 0;
  auto classes = ordered_json::object();
  for (const auto& [name, count] : view.failed) {
    if (name != quota::to_string(quota::outcome_class::cancelled) &&
        name != quota::to_string(quota::outcome_class::request_fault)) {
      sum += count;
    }
    classes[name] = count;
  }
  into["success"] = view.served;
  into["failed"] = sum;
  into["failures"] = std::move(classes);
  into["in_flight"] = view.in_flight;
  auto& recent = into["recent_requests"] = ordered_json::array();
  for (const auto& one : view.recent) {
    recent.push_back({{"time", format_rfc3339(one.begin)},
                      {"success", one.served},
                      {"failed", one.failed}});
  }
  if (view.last_error.empty()) return;
  into["last_error"] = {{"message", view.last_error}};
  if (view.last_error_at) into["last_error"]["at"] = format_rfc3339(*view.last_error_at);
}

void put_token(ordered_json& into, const token_view& token,
               const std::optional<instant>& refreshed_at) {
  put_time(into, "last_refresh", refreshed_at);
  if (token.state == "none") return;
  auto& out = into["token"] = {{"state", token.state}};
  put_time(out, "next_refresh", token.next);
  put_text(out, "reason", token.reason);
  out["refreshed"] = token.successes;
  out["failed"] = token.failures;
  put_time(into, "last_refresh", token.last_success);
}

ordered_json window_entry(const quota::window& one, const quota::window_report& from, instant now) {
  ordered_json out{{"name", one.name}};
  if (one.used_percent) out["used_percent"] = *one.used_percent;
  if (one.length) out["limit_window_minutes"] = one.length->count();
  if (one.reset_at) {
    out["reset_at"] = format_rfc3339(*one.reset_at);
    out["reset_seconds"] = seconds_until(*one.reset_at, now);
  }
  put_text(out, "status", one.status);
  out["source"] = from.source;
  out["observed_at"] = format_rfc3339(from.observed_at);
  return out;
}

ordered_json quota_entry(const credential_view& view, instant now) {
  const auto is_quota = [](const auto& b) { return b.kind == quota::outcome_class::quota; };
  ordered_json out{{"exceeded", std::ranges::any_of(view.blocks, is_quota)}};
  auto& windows = out["windows"] = ordered_json::array();
  for (const auto& report : view.windows) {
    for (const auto& one : report.windows) windows.push_back(window_entry(one, report, now));
  }
  return out;
}

}  // namespace

std::int64_t seconds_until(instant then, instant now) {
  return std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::seconds>(then - now).count());
}

const std::string& name_of(const provider::credential& who) {
  return who.file.empty() ? who.id.value : who.file;
}

ordered_json evidence_entry(const std::optional<quota::evidence>& proof) {
  ordered_json out{{"exhausted", proof.has_value()}};
  if (proof && proof->window) out["limit_window_minutes"] = proof->window->count();
  return out;
}

ordered_json cooldown_entry(const quota::block& entry, instant now) {
  const bool whole = entry.covers == quota::scope::credential;
  ordered_json out{{"scope", whole ? "credential" : "model"}};
  out["model_key"] = entry.model;
  out["reason"] = reason_of(entry);
  out["retry_at"] = format_rfc3339(entry.deadline);
  out["remaining_seconds"] = seconds_until(entry.deadline, now);
  if (entry.ladder_level > 0) out["backoff_level"] = entry.ladder_level;
  if (entry.status != 0) out["http_status"] = entry.status;
  out["deadline_source"] = source_name(entry.source);
  out["evidence"] = evidence_entry(entry.proof);
  out["cause"] = entry.cause;
  out["since"] = format_rfc3339(entry.since);
  out["updated_at"] = format_rfc3339(entry.updated_at);
  return out;
}

ordered_json credential_entry(const credential_view& view, instant now) {
  const auto& who = *view.record;
  ordered_json out{{"id", who.id.value},
                   {"auth_index", who.auth_index},
                   {"name", name_of(who)},
                   {"type", provider::to_string(who.provider)},
                   {"provider", who.provider_name},
                   {"label", who.label}};
  put_status(out, view, now);
  put_origin(out, who);
  put_settings(out, who);
  put_counters(out, view);
  put_token(out, view.token, who.refreshed_at);
  auto& cooldowns = out["cooldowns"] = ordered_json::array();
  for (const auto& entry : view.blocks) cooldowns.push_back(cooldown_entry(entry, now));
  out["quota"] = quota_entry(view, now);
  return out;
}

}  // namespace tidegate::http::management
