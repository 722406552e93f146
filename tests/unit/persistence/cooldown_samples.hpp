#pragma once
/// Generated blocks for the tests of the cooldown files.

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "persistence/cooldown_file.hpp"

namespace tidegate::persistence {

/// 2027-01-15T08:00:00Z
inline constexpr instant sample_now = from_unix(1'800'000'000);

inline quota::block sample_block(std::chrono::seconds remaining) {
  quota::block entry;
  entry.covers = quota::scope::credential;
  entry.kind = quota::outcome_class::quota;
  entry.deadline = sample_now + remaining;
  entry.source = quota::deadline_source::provider;
  entry.proof = quota::evidence{std::chrono::minutes{300}};
  entry.status = 429;
  entry.cause = "usage_limit_reached: The usage limit has been reached";
  entry.since = entry.updated_at = sample_now;
  return entry;
}

inline std::tuple<bool, std::string, quota::outcome_class> sample_key(const quota::block& entry) {
  return {entry.covers == quota::scope::model, entry.model, entry.kind};
}

inline quota::block arbitrary_block() {
  using quota::outcome_class;
  constexpr std::array kinds{outcome_class::quota,
                             outcome_class::unauthorized,
                             outcome_class::payment_required,
                             outcome_class::invalid_grant,
                             outcome_class::model_not_supported,
                             outcome_class::not_found,
                             outcome_class::cloudflare_challenge,
                             outcome_class::transient};
  constexpr std::array sources{quota::deadline_source::provider, quota::deadline_source::ladder,
                               quota::deadline_source::fixed};
  quota::block entry;
  entry.kind = *rc::gen::elementOf(kinds);
  entry.covers = *rc::gen::element(quota::scope::model, quota::scope::credential);
  if (entry.covers == quota::scope::model) {
    entry.model = *rc::gen::element<std::string>("gpt-5", "claude-opus-4", "a/b \"quoted\"", "é");
  }
  const auto horizon = entry.kind == outcome_class::quota ? duration{quota::quota_horizon}
                                                          : duration{quota::other_horizon};
  entry.deadline = sample_now + duration{*rc::gen::inRange<std::int64_t>(1, horizon.count())};
  entry.source = *rc::gen::elementOf(sources);
  if (entry.kind == outcome_class::quota && *rc::gen::arbitrary<bool>()) {
    entry.proof = quota::evidence{};
    if (*rc::gen::arbitrary<bool>()) {
      entry.proof->window = std::chrono::minutes{*rc::gen::inRange(1, 100'000)};
    }
  }
  entry.ladder_level = *rc::gen::inRange(0, quota::ladder_level_max + 1);
  entry.status = *rc::gen::element(0, 401, 429, 500);
  entry.cause = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
  entry.updated_at = sample_now - duration{*rc::gen::inRange<std::int64_t>(0, 1LL << 50)};
  entry.since = entry.updated_at - duration{*rc::gen::inRange<std::int64_t>(0, 1LL << 50)};
  return entry;
}

/// Blocks with distinct keys in the order of block_set::active.
inline cooldown_record arbitrary_record(const std::string& id) {
  cooldown_record record{credential_id{id}, "codex", {}};
  const int count = *rc::gen::inRange(0, 12);
  std::set<std::tuple<bool, std::string, quota::outcome_class>> used;
  for (int i = 0; i < count; ++i) {
    auto entry = arbitrary_block();
    if (used.insert(sample_key(entry)).second) record.blocks.push_back(std::move(entry));
  }
  std::sort(record.blocks.begin(), record.blocks.end(),
            [](const auto& a, const auto& b) { return sample_key(a) < sample_key(b); });
  return record;
}

}  // namespace tidegate::persistence
