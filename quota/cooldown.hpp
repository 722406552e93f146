#pragma once
/// What one failed attempt asks of the block set: which entry it belongs to and until when that
/// entry should block. The tables of spec/quota.md 2.5 and 2.6; block_set merges the answer and
/// never shortens a deadline. Pure: `observed_at` of the outcome is the present.
///
/// | class                | covers        | asks for                                           |
/// |----------------------|---------------|----------------------------------------------------|
/// | quota                | as classified | hint, at least 10 s; else ladder                   |
/// | unauthorized         | credential    | 30 min                                             |
/// | invalid_grant        | credential    | 30 min                                             |
/// | payment_required 402 | credential    | 30 min                                             |
/// | payment_required 403 | as classified | 30 min                                             |
/// | model_not_supported  | model         | hint, else 12 h                                    |
/// | not_found            | as classified | hint, else ladder with steps of at least 60 s      |
/// | cloudflare_challenge | as classified | ladder with steps of at least 10 s                 |
/// | transient            | as classified | hint (408, 500, 502-504, 520-526), else setting    |
/// | any other            | -             | nothing                                            |
///
/// A model-scope outcome without a known model covers the credential. A hint that lies beyond the
/// horizon of its class (block_set.hpp) is not believed: it counts as no hint.

#include <optional>
#include <string_view>

#include "quota/block_set.hpp"

namespace tidegate::quota {

/// Which entry an outcome belongs to, beside the model.
struct entry_key {
  scope covers = scope::model;
  outcome_class kind = outcome_class::transient;
};

/// The deadline that one outcome wants for its entry.
struct cooldown_ask {
  instant until{};
  deadline_source source = deadline_source::fixed;
  std::optional<evidence> proof;  ///< set when `until` is the reset of a used-up window
  int ladder_level = 0;           ///< the entry's level afterwards
};

/// Status of a fault on the provider's side (408, 500, 502-504, 520-526): its hint counts, and a
/// retry round may wait for its end.
bool is_server_fault(int status);

/// Whether the operator's rule wants a cooldown even where cooling is disabled.
bool forces_cooldown(rule_action rule);

/// The entry that `failed` belongs to; nullopt when it cools nothing.
std::optional<entry_key> entry_for(const outcome& failed, std::string_view model,
                                   const cooldown_rules& rules);

/// The hint that counts for a 429: the provider's deadline, or in usage-limit mode the quota
/// reset when there is none. No floor applied.
std::optional<instant> quota_hint(const outcome& failed, const cooldown_rules& rules);

/// The deadline for that entry; `existing` is its present state, null when it has none. nullopt
/// when the settings ask for no cooldown.
std::optional<cooldown_ask> deadline_for(const outcome& failed, outcome_class kind,
                                         const block* existing, const cooldown_rules& rules);

}  // namespace tidegate::quota
