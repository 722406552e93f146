#include "persistence/cooldown_file.hpp"

#include "base/bounded_json.hpp"
#include "base/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidegate::persistence {

namespace {

using nlohmann::ordered_json;
using quota::block;

constexpr std::string_view go_zero_time = "0001-01-01T00:00:00Z";

/// Room for the envelope and for the indentation that a record gains inside it.
constexpr std::size_t envelope_bytes = 4096;
constexpr std::size_t indent_bytes = 256;

std::string reason_of(const block& entry) {
  if (entry.kind == quota::outcome_class::quota && entry.covers == quota::scope::credential) {
    return "credential_quota";
  }
  return std::string{to_string(entry.kind)};
}

std::string_view source_name(quota::deadline_source source) {
  switch (source) {
    case quota::deadline_source::provider: return "provider";
    case quota::deadline_source::ladder: return "ladder";
    case quota::deadline_source::fixed: return "fixed";
  }
  return "fixed";
}

bool counts_as_exceeded(quota::outcome_class kind) {
  return kind == quota::outcome_class::quota || kind == quota::outcome_class::cloudflare_challenge;
}

ordered_json quota_json(const block& entry) {
  ordered_json out;
  const bool exceeded = counts_as_exceeded(entry.kind);
  out["exceeded"] = exceeded;
  if (exceeded) out["reason"] = reason_of(entry);
  out["next_recover_at"] = exceeded ? format_rfc3339(entry.deadline) : std::string{go_zero_time};
  if (entry.ladder_level > 0) out["backoff_level"] = entry.ladder_level;
  if (exceeded && entry.proof) {
    out["exhausted"] = true;
    if (entry.proof->window) out["limit_window_minutes"] = entry.proof->window->count();
  }
  return out;
}

ordered_json record_json(const cooldown_record& owner, const block& entry) {
  ordered_json out;
  if (!owner.provider.empty()) out["provider"] = owner.provider;
  out["auth_id"] = owner.id.value;
  if (entry.covers == quota::scope::model) out["model"] = entry.model;
  out["status"] = "cooling";
  out["next_retry_after"] = format_rfc3339(entry.deadline);
  out["reason"] = reason_of(entry);
  out["quota"] = quota_json(entry);
  if (entry.status != 0 || !entry.cause.empty()) {
    ordered_json fault;
    if (!entry.cause.empty()) fault["message"] = entry.cause.substr(0, cause_bytes_max);
    fault["retryable"] = false;
    if (entry.status != 0) fault["http_status"] = entry.status;
    out["last_error"] = std::move(fault);
  }
  out["source"] = source_name(entry.source);
  if (entry.since != entry.updated_at) out["since"] = format_rfc3339(entry.since);
  out["updated_at"] = format_rfc3339(entry.updated_at);
  return out;
}

std::string text_of(const ordered_json& value) {
  // A cause that was cut inside a character must not make the file unwritable.
  return value.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

bool storable(const block& entry, instant now) {
  if (entry.deadline <= now) return false;
  if (entry.covers == quota::scope::credential) return true;
  return !entry.model.empty() && entry.model.size() <= model_name_bytes_max;
}

/// Records in the order of the file, as many as fit into `room` bytes.
ordered_json records_of(const cooldown_record& record, instant now, std::size_t room) {
  std::vector<const block*> chosen;
  for (const block& entry : record.blocks) {
    if (storable(entry, now)) chosen.push_back(&entry);
  }
  std::sort(chosen.begin(), chosen.end(), [](const block* a, const block* b) {
    return std::tuple{a->covers == quota::scope::model, b->deadline, a->kind} <
           std::tuple{b->covers == quota::scope::model, a->deadline, b->kind};
  });
  std::vector<std::pair<const block*, ordered_json>> rows;
  for (const block* entry : chosen) {
    ordered_json row = record_json(record, *entry);
    const std::size_t bytes = text_of(row).size() + indent_bytes;
    if (bytes > room) break;
    room -= bytes;
    rows.emplace_back(entry, std::move(row));
  }
  // The reference lets the last record of one scope win: the longest block comes last.
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    const block& x = *a.first;
    const block& y = *b.first;
    return std::tuple{x.covers == quota::scope::model, std::string_view{x.model}, x.deadline,
                      x.kind} < std::tuple{y.covers == quota::scope::model,
                                           std::string_view{y.model}, y.deadline, y.kind};
  });
  ordered_json out = ordered_json::array();
  for (auto& row : rows) out.push_back(std::move(row.second));
  return out;
}

std::string envelope(const cooldown_record& record, instant now, ordered_json records) {
  ordered_json out;
  out["version"] = 1;
  out["auth_id"] = record.id.value;
  if (!record.provider.empty()) out["provider"] = record.provider;
  out["updated_at"] = format_rfc3339(now);
  out["records"] = std::move(records);
  return text_of(out) + "\n";
}

bool is_active(const ordered_json& record, instant now) {
  const auto deadline = record.find("next_retry_after");
  if (deadline == record.end() || !deadline->is_string()) return false;
  const auto until = parse_rfc3339(deadline->get_ref<const std::string&>());
  return until && *until > now;
}

bool is_foreign(const ordered_json& record, const credential_id& own) {
  const auto id = record.find("auth_id");
  return id != record.end() && id->is_string() && id->get_ref<const std::string&>() != own.value;
}

/// What a rewrite keeps of the file's present text.
struct kept_text {
  ordered_json records = ordered_json::array();  ///< active ones of other credentials, as they are
  std::optional<instant> updated_at;
};

kept_text keep(std::string_view text, const credential_id& own, instant now) {
  kept_text kept;
  if (!parse_bounded_json(text, {.bytes_max = cooldown_file_bytes_max, .depth_max = 16})) {
    return kept;
  }
  const auto document = ordered_json::parse(text.begin(), text.end(), nullptr, false);
  if (!document.is_object()) return kept;
  if (const auto at = document.find("updated_at"); at != document.end() && at->is_string()) {
    kept.updated_at = parse_rfc3339(at->get_ref<const std::string&>());
  }
  const auto records = document.find("records");
  if (records == document.end() || !records->is_array()) return kept;
  for (const auto& record : *records) {
    if (record.is_object() && is_foreign(record, own) && is_active(record, now)) {
      kept.records.push_back(record);
    }
  }
  return kept;
}

}  // namespace

std::string encode_cooldowns(const cooldown_record& record, instant now) {
  return envelope(record, now, records_of(record, now, cooldown_file_bytes_max - envelope_bytes));
}

std::string replace_cooldowns(std::string_view previous, const cooldown_record& record,
                              instant now) {
  kept_text kept = keep(previous, record.id, now);
  constexpr std::size_t room = cooldown_file_bytes_max - envelope_bytes;
  std::size_t used = 0;
  for (const auto& other : kept.records) used += text_of(other).size() + indent_bytes;
  if (used > room / 2) {
    kept.records.clear();
    used = 0;
  }
  auto records = records_of(record, now, room - used);
  for (auto& other : kept.records) records.push_back(std::move(other));
  if (records.empty()) return {};
  return envelope(record, std::max(now, kept.updated_at.value_or(now)), std::move(records));
}

}  // namespace tidegate::persistence
