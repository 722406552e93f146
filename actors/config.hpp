#pragma once
/// The actor that turns changes on disk into configurations in force: debounces, validates, hands
/// whole snapshots to the gateway, keeps the old one when the new one is bad, and remembers how it
/// went. Runs detached: it blocks on the disk.

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "actors/config_source.hpp"
#include "actors/environment.hpp"
#include "actors/interfaces.hpp"

namespace tidegate::actors {

/// Quiet time after the last change before the file is read.
inline constexpr std::chrono::milliseconds reload_debounce{150};
/// Longest wait under continuous changes.
inline constexpr std::chrono::milliseconds reload_wait_max{1000};
/// Every how many of those looks each credential file is looked at too.
inline constexpr std::uint64_t thorough_poll_every = 15;

class config_state {
 public:
  static inline const char* name = "config";
  using pointer = config_actor::stateful_pointer<config_state>;
  using report_result = caf::result<reload_view_ptr>;

  /// `first` is already in force.
  void start(pointer self, environment_ptr env, config_source source, applied_config first,
             gateway_actor gateway);
  report_result reload();
  reload_view_ptr current() const { return report_; }
  void touched();
  void on_tick();
  void on_poll();
  inspection inspect() const;

 private:
  using monotonic = caf::actor_clock::time_point;

  void apply(config_candidate candidate, caf::typed_response_promise<reload_view_ptr> reply);
  void remember(std::shared_ptr<reload_view> report);

  pointer self_ = nullptr;
  environment_ptr env_;
  config_source source_;
  gateway_actor gateway_;
  config::snapshot_ptr at_start_;  ///< what needs a restart is compared with this one
  applied_config current_;
  reload_view_ptr report_;
  std::uint64_t polls_ = 0;
  monotonic first_touch_{};
  monotonic last_touch_{};
  bool armed_ = false;
  std::uint64_t reloads_ = 0;
};

config_actor::behavior_type config(config_state::pointer self, environment_ptr env,
                                   config_source source, applied_config first,
                                   gateway_actor gateway);

}  // namespace tidegate::actors
