#include "app/sim/director.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/wildcard.hpp"

namespace tidegate::sim {
namespace {

bool matches(const rule& candidate, const call& request) {
  if (request.what == operation::other && candidate.path == "*") return false;
  return matches_wildcard(candidate.key, request.key) &&
         matches_wildcard(candidate.model, request.model) &&
         matches_wildcard(candidate.method, request.method) &&
         matches_wildcard(candidate.path, request.path);
}

/// Keys may hold any character, so the parts are joined with one that no header value can hold.
std::string counter_name(std::size_t index, const call& request, bool by_key, bool by_model) {
  std::string name = std::to_string(index);
  name += '\n';
  if (by_key) name += request.key;
  name += '\n';
  if (by_model) name += request.model;
  return name;
}

bool spent(const reply& current, int used, std::optional<instant> since, instant now) {
  if (!since) return false;
  return current.lasts ? now >= *since + *current.lasts : used >= current.times;
}

}  // namespace

director::position& director::advance(const rule& chosen, const std::string& counter, instant now) {
  if (positions_.size() >= positions_max && !positions_.contains(counter)) positions_.clear();
  auto& at = positions_[counter];
  if (spent(chosen.replies[at.index], at.used, at.since, now)) {
    const bool last = at.index + 1 == chosen.replies.size();
    if (!last || chosen.cycle) at = position{last ? 0 : at.index + 1, 0, {}, {}};
  }
  const auto& current = chosen.replies[at.index];
  if (!at.since) at.since = now;
  if (at.used < current.times) ++at.used;
  if (!at.anchor || now >= *at.anchor + current.reset_span) at.anchor = now;
  return at;
}

std::optional<window_use> director::charge(std::size_t index, const rule& chosen,
                                           const call& request, bool counts, instant now) {
  if (!chosen.window || request.what != operation::generate) return std::nullopt;
  const auto& terms = *chosen.window;
  const auto name = counter_name(index, request, true, terms.per_model);
  if (windows_.size() >= positions_max && !windows_.contains(name)) windows_.clear();
  auto& open = windows_[name];
  if (now >= open.ends) open = window{now + terms.window, 0};
  const bool exhausted = open.used >= terms.limit;
  if (counts && !exhausted) ++open.used;
  return window_use{open.used, terms.limit, terms.window, open.ends, exhausted};
}

decision director::decide(const call& request, instant now) {
  decision out;
  out.keeps = script_;
  out.anchor = now;
  for (std::size_t index = 0; index < script_->rules.size(); ++index) {
    const auto& chosen = script_->rules[index];
    if (!matches(chosen, request)) continue;
    out.rule_index = index;
    if (chosen.window) {
      out.quota_preset = chosen.window->kind;
      out.window = charge(index, chosen, request, false, now);
      if (out.window && out.window->exhausted) {
        out.answer = &chosen.replies.front();
        return out;
      }
    }
    const auto counter = counter_name(index, request, chosen.count_by != counting::rule,
                                      chosen.count_by == counting::key_and_model);
    const auto& at = advance(chosen, counter, now);
    out.reply_index = at.index;
    out.answer = &chosen.replies[at.index];
    out.anchor = *at.anchor;
    out.window = charge(index, chosen, request, out.answer->kind == reply_kind::answer, now);
    return out;
  }
  return out;
}

void director::reset() {
  positions_.clear();
  windows_.clear();
}

void director::replace(std::shared_ptr<const script> plan) {
  script_ = std::move(plan);
  reset();
}

}  // namespace tidegate::sim
