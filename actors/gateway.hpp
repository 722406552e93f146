#pragma once
/// The supervisor: spawns one actor per credential, one per model asked for, applies configurations
/// to all of them and brings crashed ones back. Publishes the directory that the request path reads.

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <functional>
#include <map>
#include <set>

#include "actors/directory.hpp"
#include "actors/environment.hpp"
#include "actors/interfaces.hpp"

namespace tidegate::actors {

/// Pools for names that no configuration lists; more of them are refused.
inline constexpr std::size_t family_pools_max = 512;
/// Pause before a crashed actor is started again.
inline constexpr std::chrono::milliseconds restart_delay{100};

class gateway_state {
 public:
  static inline const char* name = "gateway";
  using pointer = gateway_actor::stateful_pointer<gateway_state>;

  void start(pointer self, environment_ptr env, persistence_actor persistence,
             std::shared_ptr<published_directory> published);
  caf::result<bool> apply(const applied_config& next);
  caf::result<credential_view_ptr> clear(const credential_id& id, const std::string& model);
  caf::result<switch_answer> set_switch(const credential_id& id, bool disabled);
  caf::result<credential_view_ptr> renew(const credential_id& id);
  const renewer_actor& renewer() const { return renewer_; }
  caf::result<pool_actor> route(const std::string& model);
  std::vector<credential_actor> credentials() const;
  void on_down(const caf::down_msg& gone);
  void restart_lost();
  void stop_all();
  inspection inspect() const;

 private:
  struct supervised {
    credential_actor actor;
    provider::credential_ptr record;
  };

  /// Puts `configured_` with the operator's switches in force, then calls `done`; at once unless
  /// credentials are new.
  void apply_switched(const std::function<void()>& done);
  void answer_switch(const credential_id& id, caf::typed_response_promise<switch_answer> promise);
  /// Spawns `fresh`, then rebuilds catalog, pools and directory.
  void put_in_force(const std::vector<provider::credential_ptr>& fresh,
                    const restored_ptr& restored);
  load_request_ptr wanted_back(const std::vector<provider::credential_ptr>& fresh) const;
  void spawn_credentials(const std::vector<provider::credential_ptr>& fresh,
                         const restored_ptr& restored);
  void drop_removed(const std::set<credential_id>& kept);
  void update_pools();
  pool_start_ptr members_of(const provider::route& route) const;
  void publish();

  pointer self_ = nullptr;
  environment_ptr env_;
  persistence_actor persistence_;
  renewer_actor renewer_;
  std::shared_ptr<published_directory> published_;
  applied_config configured_;         ///< as the config actor gave it
  applied_config applied_;            ///< with the operator's switches
  std::optional<switches> switches_;  ///< none until they were read
  std::shared_ptr<const provider::catalog> catalog_;
  std::map<credential_id, supervised> credentials_;
  std::vector<credential_actor> leaving_;  ///< removed, ended once the pools know
  std::map<std::string, pool_actor, std::less<>> pools_;
  std::set<credential_id> lost_credentials_;
  std::set<std::string> lost_pools_;
  std::uint64_t restarts_ = 0;
};

gateway_actor::behavior_type gateway(gateway_state::pointer self, environment_ptr env,
                                     persistence_actor persistence,
                                     std::shared_ptr<published_directory> published);

}  // namespace tidegate::actors
