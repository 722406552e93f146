#pragma once
/// The actor behind one client-visible model: who its members are and whose turn it is. It keeps
/// hints about its members' cooldowns, pushed by the credentials, and picks from those; the picked
/// credential itself decides. Only a refusal asks everybody (`decide`).

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"
#include "quota/affinity.hpp"
#include "quota/rotation.hpp"

namespace tidegate::actors {

/// How long a round of questions waits for a member that does not answer.
inline constexpr std::chrono::seconds describe_timeout{2};
/// Requests that wait for room in one pool; further ones are told at once that it is full.
inline constexpr std::size_t waiting_for_room_max = 10'000;

class pool_state {
 public:
  static inline const char* name = "pool";
  using pointer = pool_actor::stateful_pointer<pool_state>;

  void start(pointer self, environment_ptr env, const pool_start& from);
  void update(const pool_start& from);

  caf::result<grant> acquire(const acquire_request& wanted);
  void on_room_timeout();
  void leave_queue(const caf::strong_actor_ptr& who);
  /// Answers everybody who still waits for something; nothing may follow.
  void end();
  void on_status(const member_status& news);
  void unbind(const std::string& session, const credential_id& from);

  caf::result<pool_account_ptr> decide(const profile_ptr& profile);
  void on_description(description&& answer);
  void on_timeout(std::uint64_t epoch);

  inspection inspect() const;

 private:
  struct member {
    credential_actor actor;
    provider::credential_ptr record;
    grant_request ask;                   ///< sent along with every grant
    std::uint32_t provider_bit = 0;
    bool blocked = false;
    bool full = false;
    std::optional<instant> until;
  };
  /// A request for which there was no room.
  struct queued {
    acquire_request wanted;
    caf::weak_actor_ptr asker;
    instant until{};
    caf::typed_response_promise<grant> promise;
  };
  struct waiter {
    profile_ptr profile;
    caf::typed_response_promise<pool_account_ptr> promise;
  };

  caf::result<grant> ask_only(const acquire_request& wanted);
  grant_request ask_of(const member& who, const acquire_request& wanted) const;
  bool somebody_is_full(const acquire_request& wanted) const;
  caf::result<grant> wait_for_room(const acquire_request& wanted);
  /// Serves the longest waiting request that somebody has room for; one at a time.
  void serve_queue();
  void on_queue_grant(queued who, const grant& answer);
  void mark_full(const credential_id& id);
  static void set_hint(quota::rotation& in, const member& who);
  void arm_room_timeout();
  quota::rotation& rotation_for(std::uint32_t providers);
  std::optional<credential_id> choose(const acquire_request& wanted, instant now);
  std::vector<credential_id> kept_out(const acquire_request& wanted) const;
  bool eligible(const member& who, const request_profile& profile) const;
  void begin_round();
  void end_round();

  pointer self_ = nullptr;
  environment_ptr env_;
  config::snapshot_ptr config_;
  std::string model_;
  std::map<credential_id, member> members_;
  std::map<std::uint32_t, quota::rotation> rotations_;  ///< per set of usable providers
  std::optional<quota::affinity> affinity_;
  std::deque<queued> queue_;            ///< in order of arrival
  bool serving_ = false;                ///< a grant for the queue is under way
  bool room_timeout_armed_ = false;
  std::uint64_t acquired_ = 0;
  std::uint64_t rounds_ = 0;

  // One round of questions serves everybody who asked before it began; who asks during it waits
  // for the next, because its own settlement may be younger than the answers.
  std::uint64_t epoch_ = 0;
  std::size_t unanswered_ = 0;
  std::map<credential_id, quota::candidate> answers_;
  std::vector<waiter> asking_;
  std::vector<waiter> waiting_;
};

pool_actor::behavior_type pool(pool_state::pointer self, environment_ptr env,
                               pool_start_ptr from);

}  // namespace tidegate::actors
