#include "actors/asio/bridge.hpp"

#include <caf/all.hpp>

#include "actors/asio/ask.hpp"
#include "actors/asio/desk.hpp"
#include "actors/asio/scheduler.hpp"
#include "actors/executor.hpp"
#include "provider/provider.hpp"

namespace tidegate::actors {
namespace {

using boost::asio::awaitable;

awaitable<result<pool_actor>> pool_of(caf::actor_system& system, const bridge_parts& parts,
                                      std::string model) {
  const auto now = parts.published->read();
  if (!now) co_return tidegate::failed(errc::unavailable, "the gateway is starting or stopping");
  if (now->catalog) {
    const auto known = now->pools.find(now->catalog->key_of(model));
    if (known != now->pools.end()) co_return known->second;
  }
  co_return co_await ask<pool_actor>(system, parts.gateway, route_atom_v, std::move(model));
}

/// One model call: an executor actor and the lease it holds at the moment.
class actor_exchange final : public http::exchange {
 public:
  actor_exchange(caf::actor_system& system, const bridge_parts& parts, http::call_profile wanted)
      : system_(system), parts_(parts) {
    auto profile = std::make_shared<request_profile>();
    profile->model = std::move(wanted.model);
    profile->surface = wanted.surface;
    profile->providers = wanted.providers;
    profile->session = std::move(wanted.session);
    profile->config = std::move(wanted.config);
    profile_ = std::move(profile);
  }

  ~actor_exchange() override { cancel(); }

  void cancel() override {
    if (executor_) caf::anon_send(executor_, cancel_atom_v);
    executor_ = nullptr;
  }

  awaitable<result<http::next_step>> begin() override {
    auto pool = co_await pool_of(system_, parts_, profile_->model);
    if (!pool) co_return std::unexpected{pool.error()};
    executor_ = system_.spawn<caf::lazy_init>(executor, parts_.env, *pool, profile_);
    release_logger();
    const auto to = executor_;
    auto answer = co_await ask<step_ptr>(system_, to, next_atom_v);
    co_return take(std::move(answer));
  }

  awaitable<result<http::next_step>> failed(
      quota::outcome how, std::optional<quota::window_report> windows) override {
    if (!executor_) co_return tidegate::failed(errc::cancelled, "the client left");
    auto end = settlement_of(std::move(how), std::move(windows));
    const auto to = executor_;
    auto answer = co_await ask<step_ptr>(system_, to, failed_atom_v, std::move(end));
    co_return take(std::move(answer));
  }

  void finish(quota::outcome how, std::optional<quota::window_report> windows) override {
    if (!executor_) return;
    caf::anon_send(executor_, finish_atom_v, settlement_of(std::move(how), std::move(windows)));
    executor_ = nullptr;
  }

 private:
  settlement_ptr settlement_of(quota::outcome how, std::optional<quota::window_report> windows) {
    auto end = std::make_shared<settlement>();
    if (lease_) {
      end->id = lease_->id;
      end->upstream_model = lease_->upstream_model;
    }
    end->outcome = std::move(how);
    end->windows = std::move(windows);
    return end;
  }

  result<http::next_step> take(result<step_ptr> answer) {
    if (!answer) return std::unexpected{answer.error()};
    const auto& next = **answer;
    http::next_step step;
    if (next.what == step::kind::attempt) {
      lease_ = next.given;
      step.who = lease_->who;
      step.upstream_model = lease_->upstream_model;
      step.force_mapping = lease_->force_mapping;
    } else {
      lease_ = nullptr;
      step.verdict = next.verdict;
      step.verdict.last_error = without_root(std::move(step.verdict.last_error),
                                             profile_->config->credentials.auth_dir);
    }
    return step;
  }

  caf::actor_system& system_;
  const bridge_parts& parts_;
  profile_ptr profile_;
  executor_actor executor_;
  lease_ptr lease_;
};

class bridge final : public http::control {
 public:
  bridge(caf::actor_system& system, bridge_parts parts)
      : system_(system), parts_(std::move(parts)), desk_(system_, parts_) {}

  http::credential_desk& desk() override { return desk_; }

  std::unique_ptr<http::exchange> open(http::call_profile profile) override {
    return std::make_unique<actor_exchange>(system_, parts_, std::move(profile));
  }

  config::snapshot_ptr config() const override {
    const auto now = parts_.published->read();
    return now ? now->config : nullptr;
  }

  std::shared_ptr<const provider::catalog> catalog() const override {
    const auto now = parts_.published->read();
    return now ? now->catalog : nullptr;
  }

  instant now() const override { return parts_.env->clock->now(); }
  double random() override { return parts_.env->random(); }

  awaitable<result<std::vector<http::credential_view>>> credentials() override {
    auto views = co_await ask<credential_views_ptr>(system_, parts_.inspector, view_atom_v);
    if (!views) co_return std::unexpected{views.error()};
    std::vector<http::credential_view> all;
    all.reserve((*views)->size());
    for (const auto& view : **views) all.push_back(placeless(*view));
    co_return all;
  }

  awaitable<result<http::credential_view>> reset(credential_id who, std::string model) override {
    auto view = co_await ask<credential_view_ptr>(system_, parts_.gateway, clear_atom_v,
                                                  std::move(who), std::move(model));
    if (!view) co_return std::unexpected{view.error()};
    co_return **view;
  }

  awaitable<result<http::credential_view>> renew(credential_id who) override {
    auto view = co_await ask<credential_view_ptr>(system_, parts_.gateway, renew_atom_v,
                                                  std::move(who));
    if (!view) co_return std::unexpected{view.error()};
    co_return placeless(**view);
  }

  awaitable<result<http::credential_view>> set_disabled(credential_id who,
                                                        bool disabled) override {
    auto answer = co_await ask<switch_answer>(system_, parts_.gateway, switch_atom_v,
                                              std::move(who), disabled);
    if (!answer) co_return std::unexpected{answer.error()};
    if (answer->view) co_return placeless(*answer->view);
    auto why = without_root(*answer->why, root());
    why.detail = "the switch cannot be saved and stays as it was: " + why.detail;
    co_return std::unexpected{std::move(why)};
  }

  awaitable<result<http::explanation>> explain(std::string model,
                                               protocol::surface surface) override {
    auto pool = co_await pool_of(system_, parts_, model);
    if (!pool) co_return std::unexpected{pool.error()};
    auto asked = std::make_shared<request_profile>();
    asked->model = model;
    asked->surface = surface;
    asked->config = config();
    for (const auto& kind : provider::registry()) {
      if (provider::can_serve(kind, surface)) asked->providers |= 1U << static_cast<unsigned>(kind.id);
    }
    const profile_ptr profile = asked;
    auto account = co_await ask<pool_account_ptr>(system_, *pool, decide_atom_v, profile);
    if (!account) co_return std::unexpected{account.error()};
    http::explanation answer;
    answer.candidates = **account;
    for (auto& candidate : answer.candidates) hide_root(candidate);
    quota::final_error untried;
    untried.counting = !protocol::may_be_usage_limit(surface);
    answer.verdict = quota::decide(answer.candidates, untried,
                                   asked->config->routing.cooldown.mode, now());
    if (const auto route = catalog()->find(model)) {
      for (const auto& member : route->members) {
        const auto kind = static_cast<unsigned>(member.credential->provider);
        if (!(asked->providers & (1U << kind))) {
          answer.other_surface.push_back(member.credential->id);
        }
      }
    }
    co_return answer;
  }

  awaitable<result<std::string>> tree() override {
    co_return co_await ask<std::string>(system_, parts_.inspector, tree_atom_v);
  }

  awaitable<result<http::reload_view>> reload() override {
    auto report = co_await ask<reload_view_ptr>(system_, parts_.config, reload_atom_v);
    if (!report) co_return std::unexpected{report.error()};
    co_return **report;
  }

  awaitable<result<http::reload_view>> last_reload() override {
    auto report = co_await ask<reload_view_ptr>(system_, parts_.config, current_atom_v);
    if (!report) co_return std::unexpected{report.error()};
    co_return **report;
  }

 private:
  std::string root() const {
    const auto now = config();
    return now ? now->credentials.auth_dir : std::string{};
  }

  /// Reasons of failures may name files by their place; callers know them by their name.
  http::credential_view placeless(http::credential_view view) const {
    view.token.reason = without_root(std::move(view.token.reason), root());
    view.last_error = without_root(std::move(view.last_error), root());
    return view;
  }

  void hide_root(quota::candidate& candidate) const {
    candidate.last_error = without_root(std::move(candidate.last_error), root());
    for (auto& state : candidate.backends) {
      state.cause = without_root(std::move(state.cause), root());
    }
  }

  caf::actor_system& system_;
  const bridge_parts parts_;
  file_desk desk_;
};

}  // namespace

std::unique_ptr<http::control> make_bridge(caf::actor_system& system, bridge_parts parts) {
  return std::make_unique<bridge>(system, std::move(parts));
}

}  // namespace tidegate::actors
