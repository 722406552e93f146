#include "provider/classify.hpp"
#include "provider/text_match.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace tidegate::provider {
namespace {

constexpr std::size_t rule_bytes_max = 1024;
constexpr std::int64_t rule_memory_max = 1 << 20;
constexpr std::size_t cached_patterns_max = 128;

using quota::rule_action;

rule_action action_from(std::string_view name) {
  const auto word = lower(trimmed(name));
  if (word == "stop") return rule_action::stop;
  if (word == "stop-and-cooldown") return rule_action::stop_and_cooldown;
  if (word == "continue") return rule_action::next;
  if (word == "continue-and-cooldown") return rule_action::next_and_cooldown;
  return rule_action::none;
}

/// Compiled once per thread and pattern; nullptr for a pattern that RE2 refuses or that is too big.
const RE2* compiled(const std::string& pattern) {
  thread_local std::unordered_map<std::string, std::unique_ptr<RE2>> cache;
  if (pattern.size() > rule_bytes_max) return nullptr;
  auto at = cache.find(pattern);
  if (at == cache.end()) {
    if (cache.size() >= cached_patterns_max) cache.clear();
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(rule_memory_max);
    at = cache.emplace(pattern, std::make_unique<RE2>(pattern, options)).first;
  }
  return at->second->ok() ? at->second.get() : nullptr;
}

bool matches(const error_rule& rule, std::string_view text) {
  for (const auto& part : rule.match) {
    if (!part.empty() && text.find(part) != std::string_view::npos) return true;
  }
  for (const auto& pattern : rule.match_regex) {
    const RE2* regex = pattern.empty() ? nullptr : compiled(pattern);
    if (regex != nullptr && RE2::PartialMatch(re2::StringPiece{text.data(), text.size()}, *regex)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void apply_error_rules(quota::outcome& what, const credential& who, std::string_view raw_body) {
  const std::string_view text =
      raw_body.empty() ? std::string_view{what.cause} : raw_body.substr(0, error_body_bytes_max);
  for (const auto& rule : who.error_rules) {
    const auto action = action_from(rule.action);
    if (rule.status <= 0 || rule.status != what.status || action == rule_action::none) continue;
    if (!matches(rule, text)) continue;
    what.rule = action;
    return;
  }
}

}  // namespace tidegate::provider
