#pragma once
/// The actor that owns one credential: cooldowns, evidence, quota windows, open leases, counters.
/// It alone decides whether an attempt may start; pools only keep hints.

#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <deque>
#include <map>
#include <unordered_map>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"
#include "actors/recent_requests.hpp"
#include "actors/renewal_schedule.hpp"

namespace tidegate::actors {

/// Open leases one credential may have; beyond it a grant is refused.
inline constexpr std::size_t open_leases_max = 100'000;
/// Requests that wait for one token; beyond it a grant is refused.
inline constexpr std::size_t waiting_for_token_max = 4096;
/// Renewals that one request waits for.
inline constexpr int renewals_per_grant_max = 3;
/// Longest time between two looks at a far-away renewal.
inline constexpr std::chrono::minutes renewal_look{15};
/// Executors one credential names in the live tree.
inline constexpr std::size_t holders_shown_max = 100;

/// Whom a credential asks; null in tests that need neither.
struct credential_services {
  persistence_actor persistence;
  gateway_actor gateway;  ///< passes renewals on
};

class credential_state {
 public:
  static inline const char* name = "credential";
  using pointer = credential_actor::stateful_pointer<credential_state>;

  /// Called once, before the first message.
  void start(pointer self, environment_ptr env, credential_start from, applied_config config,
             credential_services with);

  /// At once, or when the token that it needs is there.
  caf::result<grant> grant_or_renew(const grant_request& wanted);
  void settle(const settlement& end);
  caf::result<bool> token_refused(const settlement_ptr& end);
  caf::result<credential_view_ptr> renew_on_request();
  void on_tick();
  quota::candidate describe(const describe_request& asked) const;
  void subscribe(const grant_request& backends, const member_feed& pool);
  void clear(const std::string& model);
  void update(provider::credential_ptr record, const applied_config& config);
  void retire();
  /// Answers everybody who still waits for a token; nothing may follow.
  void end();
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
    provider::credential_ptr who;        ///< with the token that the attempt uses
    bool probe = false;
  };

  struct waiting_grant {
    grant_request wanted;
    caf::weak_actor_ptr holder;
    caf::typed_response_promise<grant> promise;
    int renewals = 0;  ///< after which the token had ended again
  };

  struct refused_token {
    settlement_ptr end;
    caf::typed_response_promise<bool> promise;
  };

  /// `holder` is the executor that asked.
  grant decide_grant(const grant_request& wanted, caf::weak_actor_ptr holder);
  bool off() const;
  /// Whether this backend may take one more request.
  bool has_room(const std::string& backend) const;
  bool full_over(const std::vector<std::string>& backends) const;
  void count_under_way();
  /// Tells the pools, when a limit was reached or left.
  void room_changed();

  // Tokens: credential_tokens.cpp.
  /// Whether a request would have nothing to be sent with, and nothing to wait for.
  bool lacks_token(instant now) const;
  quota::block_state state_without_token() const;
  bool superseded(const open_lease& of) const;
  void renew();
  void on_renewal(const renewal& end);
  void take_over(const provider::credential& renewed);
  void rest_without_token(const provider::refresh_failure& why);
  void answer_waiting(bool renewed);
  /// The record that the configuration knows, with the tokens that were renewed here.
  provider::credential_ptr with_own_tokens(provider::credential_ptr incoming) const;
  void adopt_tokens(const provider::credential& before);
  bool has_token_file() const;
  /// Its tokens may have been replaced before.
  void tell_of_file(const provider::credential_ptr& found);
  void confirm();
  void arm();

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

  pointer self_ = nullptr;
  environment_ptr env_;
  provider::credential_ptr record_;
  config::snapshot_ptr config_;
  credential_services with_;
  quota::block_set blocks_;
  std::unordered_map<std::uint64_t, open_lease> open_leases_;
  bool limited_ = false;                                        ///< max-concurrency, anywhere
  std::map<std::string, int, std::less<>> under_way_;           ///< per upstream model, if limited
  std::optional<lease_id> probe_;                               ///< one at a time
  instant probed_at_{};
  std::map<std::string, std::size_t> alias_turn_;               ///< rotation over an alias pool
  std::vector<subscription> subscriptions_;
  std::map<std::string, quota::window_report> windows_;         ///< newest per source
  std::map<std::string, std::uint64_t> failed_;
  std::uint64_t served_ = 0;
  recent_requests recent_;
  std::string last_error_;
  instant last_error_at_{};
  instant born_{};
  bool retired_ = false;

  renewal_schedule tokens_;
  provider::credential_ptr before_renewal_;  ///< what the file said before the last one; or null
  bool unconfirmed_ = false;                 ///< the file's token has not served yet
  std::optional<instant> armed_for_;         ///< the earliest look that is on its way
  std::vector<waiting_grant> waiting_;
  std::vector<refused_token> refused_;
  std::vector<caf::typed_response_promise<credential_view_ptr>> asked_;
};

credential_actor::behavior_type credential(credential_state::pointer self, environment_ptr env,
                                           credential_start from, applied_config config,
                                           credential_services with);

}  // namespace tidegate::actors
