#include "provider/credential_fields.hpp"

#include "base/time_text.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tidegate::provider {

namespace {

using nlohmann::json;

constexpr std::size_t problem_bytes_max = 200;
constexpr std::size_t pattern_bytes_max = 1024;
constexpr std::int64_t pattern_memory_max = 1 << 20;
constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;

const json* member(const json& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// A whole number, also as `5.0` or `"5"`.
std::optional<std::int64_t> whole(const json& value) {
  if (value.is_string()) return number_in(value.get_ref<const std::string&>());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
    return std::nullopt;
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (std::trunc(number) != number || std::abs(number) > static_cast<double>(exact_in_double)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

std::optional<bool> switch_word(std::string_view word) {
  constexpr std::array<std::string_view, 6> on{"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> off{"0", "f", "F", "false", "FALSE", "False"};
  for (const auto known : on) {
    if (word == known) return true;
  }
  for (const auto known : off) {
    if (word == known) return false;
  }
  return std::nullopt;
}

std::optional<instant> unix_time(std::int64_t number) {
  constexpr std::int64_t millis_from = 1'000'000'000'000;
  constexpr std::int64_t millis_max = 9'000'000'000'000;
  if (number <= 0 || number > millis_max) return std::nullopt;
  if (number > millis_from) return instant{std::chrono::milliseconds{number}};
  constexpr std::int64_t seconds_max = 9'000'000'000;
  return number > seconds_max ? std::nullopt : std::optional{from_unix(number)};
}

/// `2027-01-15 08:00[:00]`, UTC.
std::optional<instant> plain_time(std::string_view text) {
  if (text.size() != 16 && text.size() != 19) return std::nullopt;
  if (text[10] != ' ') return std::nullopt;
  std::string iso{text};
  iso[10] = 'T';
  return parse_rfc3339(iso + (iso.size() == 16 ? ":00Z" : "Z"));
}

/// nullopt: no time; a value without one: Go's zero time, zero, or blank.
std::optional<std::optional<instant>> read_time(const json& value) {
  if (value.is_string()) {
    const auto text = trimmed(value.get_ref<const std::string&>());
    if (text.empty() || text.starts_with("0001-01-01")) return std::optional<instant>{};
    if (const auto at = parse_rfc3339(text)) return at;
    if (const auto at = plain_time(text)) return at;
  }
  const auto number = whole(value);
  if (number == 0) return std::optional<instant>{};
  const auto at = number ? unix_time(*number) : std::nullopt;
  if (!at) return std::nullopt;
  return at;
}

bool is_pattern(const std::string& pattern) {
  if (pattern.size() > pattern_bytes_max) return false;
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory_max);
  return RE2{pattern, options}.ok();
}

}  // namespace

const json* credential_fields::find(std::string_view name) const {
  if (const json* value = member(object_, name)) return value;
  std::string kebab{name};
  for (char& c : kebab) {
    if (c == '_') c = '-';
  }
  return member(object_, kebab);
}

void credential_fields::report(const std::string& problem) {
  if (!problem_.empty()) return;
  // It may repeat a key of the file, which can be anything.
  problem_ = problem.substr(0, problem_bytes_max);
  std::replace_if(
      problem_.begin(), problem_.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
}

std::string credential_fields::text(std::string_view name) {
  const json* value = find(name);
  if (value == nullptr) return {};
  if (value->is_string()) return std::string{trimmed(value->get_ref<const std::string&>())};
  report(fmt::format("`{}` must be text", name));
  return {};
}

bool credential_fields::flag(std::string_view name) {
  const json* value = find(name);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  report(fmt::format("`{}` must be true or false", name));
  return false;
}

std::optional<bool> credential_fields::switch_of(std::string_view name) {
  const json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number()) return value->get<double>() != 0;
  if (value->is_string()) {
    const auto word = trimmed(value->get_ref<const std::string&>());
    if (word.empty()) return std::nullopt;
    if (const auto known = switch_word(word)) return known;
  }
  report(fmt::format("`{}` must be true or false", name));
  return std::nullopt;
}

std::optional<std::int64_t> credential_fields::integer(std::string_view name, std::int64_t low,
                                                       std::int64_t high) {
  const json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string() && trimmed(value->get_ref<const std::string&>()).empty()) {
    return std::nullopt;
  }
  const auto number = whole(*value);
  if (number && *number >= low && *number <= high) return number;
  report(number ? fmt::format("`{}` must be from {} to {}", name, low, high)
                : fmt::format("`{}` must be a whole number", name));
  return std::nullopt;
}

std::vector<std::string> credential_fields::texts(std::string_view name) {
  std::vector<std::string> out;
  const json* value = find(name);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    report(fmt::format("`{}` must be a list", name));
    return out;
  }
  for (const json& item : *value) {
    if (!item.is_string()) {
      report(fmt::format("`{}` must hold text only", name));
      return {};
    }
    out.push_back(item.get<std::string>());
  }
  return out;
}

header_list credential_fields::headers(std::string_view name) {
  header_list out;
  const json* value = find(name);
  if (value == nullptr) return out;
  if (!value->is_object()) {
    report(fmt::format("`{}` must be an object", name));
    return out;
  }
  for (const auto& [header, content] : value->items()) {
    if (!content.is_string()) {
      report(fmt::format("`{}.{}` must be text", name, header));
      return {};
    }
    out.emplace_back(trimmed(header), trimmed(content.get_ref<const std::string&>()));
  }
  return out;
}

std::vector<model_entry> credential_fields::aliases(std::string_view name) {
  std::vector<model_entry> out;
  const json* value = find(name);
  if (value == nullptr) return out;
  if (!value->is_array()) report(fmt::format("`{}` must be a list", name));
  for (std::size_t i = 0; i < value->size() && problem_.empty(); ++i) {
    if (!(*value)[i].is_object()) {
      report(fmt::format("`{}[{}]` must be an object", name, i));
      break;
    }
    credential_fields item{(*value)[i]};
    model_entry entry;
    entry.name = item.text("name");
    entry.alias = item.text("alias");
    entry.force_mapping = item.flag("force_mapping");
    entry.max_concurrency =
        static_cast<int>(item.integer("max_concurrency", 0, concurrency_max).value_or(0));
    entry.fork = item.flag("fork");
    entry.display_name = item.text("display_name");
    entry.context_window = item.integer("max_context_length", 0, context_window_max).value_or(0);
    if (!item.problem().empty()) report(fmt::format("{}[{}]: {}", name, i, item.problem()));
    if (entry.alias.empty()) entry.alias = entry.name;
    if (!entry.name.empty()) out.push_back(std::move(entry));
  }
  return out;
}

std::vector<error_rule> credential_fields::rules(std::string_view name) {
  std::vector<error_rule> out;
  const json* value = find(name);
  if (value == nullptr) return out;
  if (!value->is_array()) report(fmt::format("`{}` must be a list", name));
  for (std::size_t i = 0; i < value->size() && problem_.empty(); ++i) {
    if (!(*value)[i].is_object()) {
      report(fmt::format("`{}[{}]` must be an object", name, i));
      break;
    }
    credential_fields item{(*value)[i]};
    error_rule rule;
    rule.status = static_cast<int>(item.integer("status", -1, 999).value_or(0));
    rule.match = item.texts("match");
    rule.match_regex = item.texts(item.find("match_regex") ? "match_regex" : "match_regexr");
    rule.action = lower(item.text("action"));
    for (const auto& pattern : rule.match_regex) {
      if (!is_pattern(pattern)) item.report("`match_regex` holds no usable pattern");
    }
    const bool known = rule.action == "stop" || rule.action == "stop-and-cooldown" ||
                       rule.action == "continue" || rule.action == "continue-and-cooldown";
    if (!rule.action.empty() && !known) item.report("`action` is unknown");
    if (!item.problem().empty()) report(fmt::format("{}[{}]: {}", name, i, item.problem()));
    const bool complete =
        rule.status > 0 && known && !(rule.match.empty() && rule.match_regex.empty());
    if (complete) out.push_back(std::move(rule));
  }
  return out;
}

std::optional<instant> credential_fields::time_of(std::string_view name, const json& value) {
  const auto at = read_time(value);
  if (!at) report(fmt::format("`{}` is no time", name));
  return at.value_or(std::nullopt);
}

std::optional<instant> credential_fields::last_refresh() {
  std::optional<instant> first;
  for (const auto name : refresh_names) {
    const json* value = find(name);
    const auto at = value != nullptr ? time_of(name, *value) : std::nullopt;
    if (!first) first = at;
  }
  return first;
}

std::optional<std::chrono::seconds> credential_fields::refresh_interval() {
  constexpr std::int64_t interval_max = 366 * std::int64_t{86'400};
  for (const auto name : {"refresh_interval_seconds", "refresh_interval"}) {
    if (find(name) == nullptr) continue;
    const auto seconds = integer(name, 0, interval_max);
    if (seconds && *seconds > 0) return std::chrono::seconds{*seconds};
  }
  return std::nullopt;
}

std::optional<instant> credential_fields::time(std::string_view name) {
  const json* value = find(name);
  return value == nullptr ? std::nullopt : time_of(name, *value);
}

std::optional<instant> credential_fields::expiry() {
  std::optional<std::optional<instant>> first;
  const auto take = [&](std::string_view name, const json* value) {
    if (value == nullptr) return;
    const auto at = time_of(name, *value);
    if (!first) first = at;
  };
  for (const auto name : expiry_names) take(name, find(name));
  if (const json* token = find("token"); token != nullptr && token->is_object()) {
    for (const auto name : expiry_names) {
      take(fmt::format("token.{}", name), member(*token, name));
    }
  }
  return first.value_or(std::nullopt);
}

}  // namespace tidegate::provider
