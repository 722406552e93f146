#pragma once
/// The actor that owns one credential: cooldowns, evidence, quota windows, open leases, counters.
/// It alone decides whether an attempt may start; pools only keep hints.

#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <map>
#include <unordered_map>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"

namespace tidegate::actors {

/// Open leases one credential may have; beyond it a grant is refused.
inline constexpr std::size_t open_leases_max = 100'000;
/// Executors one credential names in the live tree.
inline constexpr std::size_t holders_shown_max = 100;

class credential_state {
 public:
  static inline const char* name = "credential";

  /// Called once, before the first message.
  void start(environment_ptr env, credential_start from, applied_config config,
             persistence_actor persistence);

  /// `me` becomes the lease's owner; `holder` is the executor that asked.
  grant decide_grant(const grant_request& wanted, caf::actor me, caf::weak_actor_ptr holder);
  void settle(const settlement& end);
  quota::candidate describe(const describe_request& asked) const;
  void subscribe(const grant_request& backends, const member_feed& pool);
  void clear(const std::string& model);
  void update(provider::credential_ptr record, const applied_config& config);
  void retire() { retired_ = true; }
  credential_view_ptr view() const;
  inspection inspect(std::size_t mailbox) const;

 private:
  struct subscription {
    std::shared_ptr<const std::vector<std::string>> backends;
    caf::weak_actor_ptr pool;             ///< the gateway keeps pools alive
    std::optional<member_status> pushed;  ///< what the pool was last told
  };

  struct open_lease {
    std::string upstream_model;
    caf::weak_actor_ptr holder;          ///< its executor, for the live tree
    bool probe = false;
  };

  quota::block_state state_over(const std::vector<std::string>& backends, instant now) const;
  quota::cooldown_rules rules() const;
  quota::block_state state_of(const std::string& backend, instant now) const;
  /// Keeps the newest report; one that came with a success may lift older quota blocks. True when
  /// it did.
  bool observe(const quota::window_report& report, quota::outcome_class with);
  void note(const settlement& end);
  /// Saves and tells the pools, after anything about the blocks changed.
  void changed();
  /// False when the pool is gone.
  bool push(subscription& to, instant now);
  /// After a restart the restored blocks still know what was said last.
  void recall_error(quota::candidate& account, instant now) const;
  bool probe_due(const std::string& backend, instant now) const;
  /// The backend that the next attempt goes to, in turn; nullptr when none may take one.
  const std::string* next_backend(const grant_request& wanted, instant now);

  environment_ptr env_;
  provider::credential_ptr record_;
  config::snapshot_ptr config_;
  persistence_actor persistence_;
  quota::block_set blocks_;
  std::unordered_map<std::uint64_t, open_lease> open_leases_;
  std::optional<lease_id> probe_;                               ///< one at a time
  instant probed_at_{};
  std::map<std::string, std::size_t> alias_turn_;               ///< rotation over an alias pool
  std::vector<subscription> subscriptions_;
  std::map<std::string, quota::window_report> windows_;         ///< newest per source
  std::map<std::string, std::uint64_t> failed_;
  std::uint64_t served_ = 0;
  std::string last_error_;
  instant last_error_at_{};
  instant born_{};
  bool retired_ = false;
};

credential_actor::behavior_type credential(
    credential_actor::stateful_pointer<credential_state> self, environment_ptr env,
    credential_start from, applied_config config, persistence_actor persistence);

}  // namespace tidegate::actors
