#include "persistence/cooldown_file.hpp"

#include "base/bounded_json.hpp"
#include "base/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace tidegate::persistence {

namespace {

using nlohmann::json;
using quota::block;
using quota::outcome_class;
using quota::scope;

constexpr int depth_max = 16;
constexpr std::int64_t window_minutes_max = 366 * 24 * 60;

const json* member(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string_view text_member(const json& object, const char* name) {
  const json* value = member(object, name);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_ref<const std::string&>();
}

std::int64_t number_member(const json& object, const char* name, std::int64_t low,
                           std::int64_t high, std::int64_t otherwise) {
  const json* value = member(object, name);
  if (value == nullptr || !value->is_number_integer()) return otherwise;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
    return high;
  }
  return std::clamp(value->get<std::int64_t>(), low, high);
}

bool flag_member(const json& object, const char* name) {
  const json* value = member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::optional<instant> time_member(const json& object, const char* name) {
  return parse_rfc3339(text_member(object, name));
}

constexpr std::array<std::pair<std::string_view, outcome_class>, 12> reasons{{
    {"quota", outcome_class::quota},
    {"credential_quota", outcome_class::quota},
    {"quota_exhausted", outcome_class::quota},
    {"unauthorized", outcome_class::unauthorized},
    {"payment_required", outcome_class::payment_required},
    {"not_found", outcome_class::not_found},
    {"model_not_supported", outcome_class::model_not_supported},
    {"invalid_grant", outcome_class::invalid_grant},
    {"cloudflare_challenge", outcome_class::cloudflare_challenge},
    {"transient_error", outcome_class::transient},
    {"transient_upstream_error", outcome_class::transient},
    {"request_failed", outcome_class::transient},
}};

std::optional<outcome_class> class_of_reason(std::string_view reason) {
  std::string name{reason};
  std::replace(name.begin(), name.end(), ' ', '_');
  for (const auto& [known, kind] : reasons) {
    if (name == known) return kind;
  }
  return std::nullopt;
}

/// A foreign record's reason may be any text; then its quota object and status decide.
outcome_class class_of(std::string_view reason, bool exceeded, int status) {
  if (const auto kind = class_of_reason(reason)) return *kind;
  if (exceeded || status == 429) return outcome_class::quota;
  if (status == 401) return outcome_class::unauthorized;
  if (status == 402 || status == 403) return outcome_class::payment_required;
  if (status == 404) return outcome_class::not_found;
  return outcome_class::transient;
}

quota::deadline_source source_of(std::string_view name, const block& entry) {
  if (name == "provider") return quota::deadline_source::provider;
  if (name == "ladder") return quota::deadline_source::ladder;
  if (name == "fixed") return quota::deadline_source::fixed;
  if (entry.proof) return quota::deadline_source::provider;
  return entry.ladder_level > 0 ? quota::deadline_source::ladder : quota::deadline_source::fixed;
}

std::optional<quota::evidence> proof_of(const json& record, const json& limits) {
  const bool inside = member(limits, "exhausted") != nullptr;
  if (!flag_member(inside ? limits : record, "exhausted")) return std::nullopt;
  const auto minutes_in = [](const json& object) {
    return number_member(object, "limit_window_minutes", 0, window_minutes_max + 1, 0);
  };
  const auto within = minutes_in(limits);
  const auto minutes = within != 0 ? within : minutes_in(record);
  if (minutes <= 0 || minutes > window_minutes_max) return quota::evidence{};
  return quota::evidence{std::chrono::minutes{minutes}};
}

std::string cause_of(const json& fault) {
  std::string_view text = text_member(fault, "message");
  if (text.empty()) text = text_member(fault, "code");
  std::string cause{text.substr(0, cause_bytes_max)};
  std::replace_if(
      cause.begin(), cause.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return cause;
}

struct decoded {
  block entry;
  bool own_format = false;  ///< written by this codec: `source` says so
  bool credential_quota = false;
};

/// nullopt: expired, beyond its horizon, or nothing to block.
std::optional<decoded> decode_record(const json& record, instant now) {
  static const json none = json::object();
  const json* limits_found = member(record, "quota");
  const json& limits = limits_found != nullptr ? *limits_found : none;
  const json* fault_found = member(record, "last_error");
  const json& fault = fault_found != nullptr ? *fault_found : none;

  const auto retry_at = time_member(record, "next_retry_after");
  if (!retry_at || *retry_at <= now) return std::nullopt;
  const std::string_view model = text_member(record, "model");
  if (model.size() > model_name_bytes_max) return std::nullopt;
  const bool exceeded = flag_member(limits, "exceeded");
  const auto recover_at = exceeded ? time_member(limits, "next_recover_at") : std::nullopt;

  decoded out;
  block& entry = out.entry;
  entry.model = std::string{quota::canonical_model(model)};
  entry.covers = entry.model.empty() ? scope::credential : scope::model;
  entry.status = static_cast<int>(number_member(fault, "http_status", 0, 1000, 0));
  if (entry.status < 100 || entry.status > 599) entry.status = 0;
  const std::string_view reason = text_member(record, "reason");
  entry.kind = class_of(reason, exceeded, entry.status);
  entry.deadline = std::max(*retry_at, recover_at.value_or(*retry_at));
  const duration horizon =
      entry.kind == outcome_class::quota ? quota::quota_horizon : quota::other_horizon;
  if (entry.deadline - now > horizon) return std::nullopt;
  // A retry time after the recovery belongs to another fault, which the evidence does not cover.
  const bool covered = !recover_at || *recover_at >= *retry_at;
  if (entry.kind == outcome_class::quota && exceeded && covered) {
    entry.proof = proof_of(record, limits);
  }
  entry.ladder_level =
      static_cast<int>(number_member(limits, "backoff_level", 0, quota::ladder_level_max, 0));
  entry.cause = cause_of(fault);
  entry.updated_at = std::min(time_member(record, "updated_at").value_or(now), now);
  entry.since = std::min(time_member(record, "since").value_or(entry.updated_at), now);
  const std::string_view source = text_member(record, "source");
  entry.source = source_of(source, entry);
  out.own_format = !source.empty();
  out.credential_quota = reason == "credential_quota";
  return out;
}

/// In the reference's files a credential-wide record without `credential_quota` sums up the model
/// records beside it, and a model record with it repeats the credential-wide one.
void drop_summaries(std::vector<decoded>& rows) {
  std::optional<instant> wide_quota;
  bool any_model = false;
  for (const decoded& row : rows) {
    if (row.entry.covers == scope::model) any_model = true;
    if (row.entry.covers == scope::credential && row.credential_quota) {
      wide_quota = std::max(wide_quota.value_or(row.entry.deadline), row.entry.deadline);
    }
  }
  std::erase_if(rows, [&](const decoded& row) {
    if (row.own_format) return false;
    if (row.entry.covers == scope::credential) return any_model && !row.credential_quota;
    return row.credential_quota && wide_quota && row.entry.deadline <= *wide_quota;
  });
}

auto key_of(const block& entry) {
  return std::tuple{entry.covers == scope::model, std::string_view{entry.model}, entry.kind};
}

/// Later deadline, higher level; evidence of either when the deadlines are equal.
void merge_into(block& kept, const block& other) {
  const int level = std::max(kept.ladder_level, other.ladder_level);
  if (other.deadline > kept.deadline) {
    kept = other;
  } else if (other.deadline == kept.deadline && other.proof) {
    if (!kept.proof || !kept.proof->window) kept.proof = other.proof;
  }
  kept.ladder_level = level;
}

std::vector<block> merged(std::vector<decoded> rows) {
  std::sort(rows.begin(), rows.end(), [](const decoded& a, const decoded& b) {
    return std::tuple{key_of(a.entry), a.entry.deadline, std::string_view{a.entry.cause}} <
           std::tuple{key_of(b.entry), b.entry.deadline, std::string_view{b.entry.cause}};
  });
  std::vector<block> blocks;
  for (decoded& row : rows) {
    if (!blocks.empty() && key_of(blocks.back()) == key_of(row.entry)) {
      merge_into(blocks.back(), row.entry);
    } else {
      blocks.push_back(std::move(row.entry));
    }
  }
  return blocks;
}

}  // namespace

result<cooldown_record> decode_cooldowns(std::string_view text, const credential_id& expected,
                                         instant now) {
  cooldown_record out{expected, {}, {}};
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return out;
  const auto document =
      parse_bounded_json(text, {.bytes_max = cooldown_file_bytes_max, .depth_max = depth_max});
  if (!document) return failed(errc::invalid_input, document.error().detail);
  if (!document->is_object()) return failed(errc::invalid_input, "not a JSON object");
  if (number_member(*document, "version", 0, 2, 0) != 1) {
    return failed(errc::invalid_input, "`version` is not 1");
  }
  out.provider = std::string{text_member(*document, "provider")};
  const json* records = member(*document, "records");
  if (records == nullptr || records->is_null()) return out;
  if (!records->is_array()) return failed(errc::invalid_input, "`records` is not a list");

  std::vector<decoded> rows;
  for (std::size_t i = 0; i < records->size(); ++i) {
    const json& record = (*records)[i];
    if (!record.is_object()) {
      return failed(errc::invalid_input, fmt::format("`records[{}]` is not an object", i));
    }
    if (text_member(record, "auth_id") != expected.value) continue;
    if (!text_member(record, "provider").empty()) {
      out.provider = std::string{text_member(record, "provider")};
    }
    if (auto row = decode_record(record, now)) rows.push_back(std::move(*row));
  }
  drop_summaries(rows);
  out.blocks = merged(std::move(rows));
  return out;
}

}  // namespace tidegate::persistence
