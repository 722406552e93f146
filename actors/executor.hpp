#pragma once
/// The actor of one exchange: takes leases from the pool, hears how attempts ended, decides on
/// failover, retry rounds and the final refusal. The session's coroutine does the I/O and asks here
/// what to do next. Ends with `finish` or `cancel`; a lease that is still open then is settled.

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <optional>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"

namespace tidegate::actors {

/// Upstream calls one request may cause, over all its rounds.
inline constexpr int attempts_max = 64;
/// Stale hints one request puts up with before it takes the pool as empty.
inline constexpr int refusals_max = 256;
/// Fresh starts because a candidate became free while everybody was asked.
inline constexpr int reopenings_max = 3;

class executor_state {
 public:
  static inline const char* name = "executor";
  using pointer = executor_actor::stateful_pointer<executor_state>;

  ~executor_state();

  void start(pointer self, environment_ptr env, pool_actor pool, profile_ptr profile);
  caf::result<step_ptr> first();
  caf::result<step_ptr> after_failure(const settlement_ptr& end);
  void finish(const settlement_ptr& end);
  void cancel();
  void resume_round();
  inspection inspect() const;

 private:
  struct failed_429 {
    credential_id who;
    std::optional<instant> named_end;
  };

  void settle(const settlement_ptr& end);
  void go_on_after(const settlement_ptr& end);
  /// The account's token was refused: has it renewed and tries the same account once more.
  bool renew_and_repeat(const settlement_ptr& end);
  void note_tried(const lease& of);
  void acquire();
  void ask_pool(acquire_request wanted);
  void on_grant(const grant& answer);
  void on_lost(const caf::error& reason);
  /// The client left while a grant was asked for: gives it back and ends.
  bool ends_instead(const lease_ptr& given);
  void survey();
  void on_account(const pool_account_ptr& account);
  /// Tries one used-up credential before this request is refused, when that is due.
  bool probe(const std::vector<quota::candidate>& pool);
  bool wait_for_round(const std::vector<quota::candidate>& pool);
  /// The pool's account with what this request's last round saw.
  std::vector<quota::candidate> with_failures(const std::vector<quota::candidate>& pool) const;
  void give(lease_ptr given);
  void refuse(quota::verdict why);
  void fail(const caf::error& reason);

  pointer self_ = nullptr;
  environment_ptr env_;
  pool_actor pool_;
  profile_ptr profile_;
  lease_ptr open_;
  std::vector<credential_id> tried_;
  std::vector<tried_backend> tried_backends_;  ///< of alias pools
  std::vector<credential_id> renewed_;         ///< whose token this request had renewed
  std::vector<failed_429> failed_429_;         ///< in this round
  std::optional<quota::outcome> last_;
  caf::typed_response_promise<step_ptr> reply_;
  int round_ = 0;
  int attempts_ = 0;        ///< over all rounds
  int credentials_in_round_ = 0;
  int refusals_ = 0;
  int reopenings_ = 0;
  bool asking_ = false;     ///< for a grant
  bool cancelled_ = false;
  bool waited_for_room_ = false;  ///< once a request
  bool waiting_ = false;
  bool probed_ = false;     ///< one probe a request
  instant born_{};
};

executor_actor::behavior_type executor(executor_state::pointer self, environment_ptr env,
                                       pool_actor pool, profile_ptr profile);

}  // namespace tidegate::actors
