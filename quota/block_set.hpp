#pragma once
/// All cooldowns of one credential: independent entries, one per {scope, model, class}. Blocked =
/// any entry active; reopening = the latest deadline among the active ones. Nothing is aggregated,
/// so wording, verdict, listing and `.cds` are functions of the same entries.
/// Owner: the credential actor. Pure: `now` is a parameter. Rules: spec/quota.md 2 and 7.2.
///
/// Which scope a class covers and how long it asks to block is the table in quota/cooldown.hpp.
/// In short: 401, invalid_grant and 402 concern the account and cover the credential; 403 is often
/// about one model and covers what the provider's classification says, which is the model unless
/// it knows better. Model names are canonical everywhere here (canonical_model).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "quota/options.hpp"
#include "quota/outcome.hpp"

namespace tidegate::quota {

/// Who said when the block ends.
enum class deadline_source : std::uint8_t { provider, ladder, fixed };

/// Proof that a deadline is the reset of a quota window that the provider called used up.
struct evidence {
  std::optional<std::chrono::minutes> window;  ///< none = the provider did not say which

  friend bool operator==(const evidence&, const evidence&) = default;
};

struct block {
  scope covers = scope::model;
  std::string model;                 ///< canonical upstream model; empty for credential scope
  outcome_class kind = outcome_class::quota;
  instant deadline{};                ///< active while strictly after now
  deadline_source source = deadline_source::fixed;
  std::optional<evidence> proof;     ///< describes `deadline`, never another one
  int ladder_level = 0;              ///< next ladder step; 0..11
  int status = 0;                    ///< HTTP status that caused it
  std::string cause;                 ///< redacted summary
  instant since{};                   ///< start of the present uninterrupted block
  instant updated_at{};              ///< last outcome that touched it

  friend bool operator==(const block&, const block&) = default;
};

/// Settings that shape a cooldown, resolved for one credential at the time of the outcome.
struct cooldown_rules {
  bool disabled = false;                      ///< credential, entry or global `disable-cooling`
  int transient_seconds = 0;                  ///< 0 = 60 s, negative = none
  response_mode mode = response_mode::retryable;
  bool model_level = false;                   ///< provider switch: a quota covers the model only
};

/// Why a credential cannot take a request for a model right now.
struct block_state {
  bool blocked = false;
  bool quota_only = false;              ///< every active entry is quota or cloudflare_challenge
  bool needs_login = false;             ///< an active entry is unauthorized or invalid_grant
  bool round_eligible = false;          ///< another retry round may wait for it (spec 4.5)
  std::optional<instant> reopens;       ///< latest active deadline; none = an operator must act
  std::optional<evidence> proof;        ///< evidence that covers `reopens`
  std::string cause;                    ///< of the entry that reopens last
};

class block_set {
 public:
  /// Applies one attempt's end for `model` (canonical). Failures add or extend entries and never
  /// shorten one; success clears what it disproves (2.10, and P16: only entries that began before
  /// the attempt did; an active credential-wide quota stays). Returns whether anything but
  /// `updated_at` changed, that is whether the entries are worth saving.
  bool apply(const outcome& what, std::string_view model, const cooldown_rules& rules);

  block_state state(std::string_view model, instant now) const;

  /// Fresh telemetry says that windows have room (spec 8 P1): lifts quota entries recorded before
  /// `observed_at` whose evidence names one of these windows, or all evidence when none is named.
  bool lift_quota(std::optional<std::chrono::minutes> window, instant observed_at);

  /// A deliberate attempt inside a block was served: removes the quota entries that cover `model`
  /// and began before `started_at`, whatever their scope. Only for an attempt that was granted as a
  /// probe; an ordinary success never lifts a credential-wide quota.
  bool probe_served(std::string_view model, instant started_at);

  /// Whether one deliberate attempt inside the block is worth making: nothing but quota blocks
  /// `model`, and no outcome confirmed that within `interval` before `now`.
  bool probe_due(std::string_view model, duration interval, instant now) const;

  /// The login was renewed: removes unauthorized and invalid_grant entries.
  bool clear_login();

  /// Operator reset: everything, or one model with its credential-wide entries kept.
  bool clear();
  bool clear(std::string_view model);

  /// Restores persisted entries by the merge rule (later deadline, higher level).
  void restore(std::vector<block> entries, instant now);

  /// Entries active at `now`, in a stable order (credential scope first, then by model, class).
  std::vector<block> active(instant now) const;
  /// Forgets expired entries whose ladder level is 0. Returns true when some went.
  bool prune(instant now);
  bool empty() const { return entries_.empty(); }

 private:
  /// Removes the entries for which `gone` holds; whether there were any.
  template <class Predicate>
  bool remove_if(Predicate gone);
  bool clear_disproved(const outcome& success, std::string_view model);
  bool quota_covers_all(instant now) const;
  void insert(block entry, instant now);

  std::vector<block> entries_;  ///< ordered: credential scope first, then model, class
};

/// Entries kept by one credential. Beyond it the entry that reopens first makes room, one without
/// evidence before one with.
inline constexpr std::size_t blocks_max = 1024;

/// `name(suffix)` without the suffix, trimmed; the name itself when nothing would be left.
std::string_view canonical_model(std::string_view name);

/// Cooldown constants, spec/quota.md 2.1 with the [B] corrections.
inline constexpr std::chrono::seconds ladder_cap{1800};
inline constexpr int ladder_level_max = 11;
inline constexpr std::chrono::seconds hint_floor{10};
inline constexpr std::chrono::seconds transient_default{60};
inline constexpr std::chrono::minutes auth_cooldown{30};
inline constexpr std::chrono::hours not_supported_cooldown{12};
inline constexpr std::chrono::minutes usage_limit_threshold{5};  ///< remaining must exceed it
/// A provider's hint further ahead is not believed, and `.cds` deadlines beyond are refused.
inline constexpr std::chrono::hours quota_horizon{8 * 24};
inline constexpr std::chrono::hours other_horizon{13};           ///< the same for other classes

/// 1 s doubled per level up to ladder_cap; the level is clamped to 0..ladder_level_max.
std::chrono::seconds ladder_step(int level);

}  // namespace tidegate::quota
