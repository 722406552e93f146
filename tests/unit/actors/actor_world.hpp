#pragma once
/// A gateway's actors in virtual time: CAF's test scheduler, a wall clock that moves only when
/// told, no threads, no disk. Every test builds its own.

#include <caf/all.hpp>
#include <caf/detail/test_actor_clock.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "actors/config.hpp"
#include "actors/executor.hpp"
#include "actors/gateway.hpp"
#include "actors/inspector.hpp"
#include "actors/persistence.hpp"
#include "actors/pool.hpp"

namespace tidegate::actors::test {

using namespace std::chrono_literals;

/// 2027-01-15T08:00:00Z.
inline constexpr instant t0 = from_unix(1'800'000'000);

class virtual_clock final : public wall_clock {
 public:
  instant now() const noexcept override { return now_; }
  void advance(duration by) { now_ += by; }

 private:
  instant now_ = t0;
};

/// Credential files as several gateways on one directory see them.
struct memory_disk {
  std::map<std::string, std::string> files;   ///< by name
  std::map<std::string, std::weak_ptr<const held_file>> locks;
  std::map<std::string, std::string> renamed;  ///< former to present names, found by identity
  std::optional<error> trouble;               ///< of every write
  std::function<void()> on_write;             ///< what happens meanwhile
};

/// Keeps what it was asked to save, as a disk would.
struct memory_store {
  std::map<credential_id, save_request_ptr> saved;
  switches operator_switches;
  std::shared_ptr<memory_disk> disk = std::make_shared<memory_disk>();
  std::vector<std::string> confirmed;

  held_answer read(const std::string& root, const std::string& file) const {
    const auto found = disk->files.find(file);
    if (found == disk->files.end()) return {nullptr, error{errc::not_found, "no such file"}};
    auto held = std::make_shared<held_file>();
    held->root = root;
    held->file = file;
    held->text = secret_string{found->second};
    return {std::move(held), std::nullopt};
  }
  held_answer hold(const std::string& root, const std::string& file) const {
    if (disk->locks[file].lock()) return {nullptr, error{errc::unavailable, "locked"}};
    auto answer = read(root, file);
    disk->locks[file] = answer.held;
    return answer;
  }
  held_answer reread(const held_file& held) const {
    const auto moved = disk->renamed.find(held.file);
    if (moved == disk->renamed.end()) return read(held.root, held.file);
    if (disk->locks[moved->second].lock()) return {nullptr, error{errc::unavailable, "locked"}};
    return read(held.root, moved->second);
  }
  write_answer write(const held_file& held, const secret_string& text) const {
    if (disk->trouble) return disk->trouble;
    if (disk->on_write) disk->on_write();
    const auto found = disk->files.find(held.file);
    if (found == disk->files.end()) return error{errc::not_found, "no such file"};
    found->second = text.reveal();
    return std::nullopt;
  }
};

inline persistence_actor::behavior_type memory_persistence(persistence_actor::pointer,
                                                           std::shared_ptr<memory_store> store) {
  return {
      [=](save_atom, const save_request_ptr& wanted) { store->saved[wanted->record.id] = wanted; },
      [=](load_atom, const load_request_ptr& wanted) {
        auto found = std::make_shared<std::vector<persistence::cooldown_record>>();
        for (const auto& [id, file] : wanted->wanted) {
          if (store->saved.contains(id)) found->push_back(store->saved.at(id)->record);
        }
        return restored_ptr{found};
      },
      [=](switch_atom, const std::string&) {
        return std::make_shared<const switches>(store->operator_switches);
      },
      [=](switch_atom, const std::string&, const switches_ptr& now) {
        if (!store->disk->trouble) store->operator_switches = *now;
        return write_answer{store->disk->trouble};
      },
      [=](hold_atom, const std::string& root, const std::string& file) {
        return store->hold(root, file);
      },
      [=](hold_atom, const held_file_ptr& held) { return store->reread(*held); },
      [=](keep_atom, const held_file_ptr&) { return write_answer{}; },
      [=](write_atom, const held_file_ptr& held, const secret_ptr& text) {
        return store->write(*held, *text);
      },
      [=](load_atom, const std::string& root, const std::string& file) {
        return store->read(root, file);
      },
      [=](write_atom, const std::string&, const std::string& file, const secret_ptr& text) {
        store->disk->files[file] = text->reveal();
        return write_answer{};
      },
      [=](remove_atom, const std::string&, const std::string& file) {
        store->disk->files.erase(file);
        return write_answer{};
      },
      [=](confirm_atom, const std::string&, const std::string& file) {
        store->confirmed.push_back(file);
      },
      [](flush_atom) { return true; },
      [](tick_atom) {},
      [](inspect_atom) { return inspection{R"({"actor":"persistence"})", {}}; },
  };
}

inline provider::credential codex_key(const std::string& id) {
  provider::credential record;
  record.id = {id};
  record.provider = provider::kind::codex;
  record.provider_name = "codex";
  record.secret = secret_string{"key-of-" + id};
  record.base_url = "http://127.0.0.1:1";
  record.models = {{"gpt-x", "gpt-x", false}};
  return record;
}

/// Requests to token endpoints; answered when the test says so.
struct token_endpoint {
  struct asked {
    provider::upstream_request what;
    fetch_answer answer;
  };
  std::deque<asked> open;
  std::size_t total = 0;
};

class actor_world {
 public:
  explicit actor_world(std::vector<provider::credential> records,
                       quota::routing_options routing = {},
                       std::shared_ptr<memory_disk> disk = nullptr)
      : system_(prepared(config_)),
        scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())),
        clock(std::make_shared<virtual_clock>()),
        store(std::make_shared<memory_store>()),
        tokens(std::make_shared<token_endpoint>()),
        published(std::make_shared<published_directory>()) {
    auto env = std::make_shared<environment>();
    env->clock = clock;
    env->random = [] { return 0.0; };
    env->fetch = [to = tokens](fetch_request wanted, fetch_answer answer) {
      ++to->total;
      to->open.push_back({std::move(wanted.what), std::move(answer)});
    };
    if (disk) store->disk = std::move(disk);
    env_ = env;
    persistence_ = system_.spawn(memory_persistence, store);
    gateway = system_.spawn(actors::gateway, env_, persistence_, published);
    settings.routing = routing;
    apply(std::move(records));
  }

  ~actor_world() {
    caf::anon_send_exit(gateway, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(persistence_, caf::exit_reason::user_shutdown);
    gateway = nullptr;
    persistence_ = nullptr;
    published->publish(nullptr);
    drain();
  }

  /// Only the next `count` jobs of the scheduler.
  void run(int count) {
    while (count-- > 0 && scheduler_.try_run_once()) {
    }
  }

  void drain() {
    while (scheduler_.try_run_once()) {
    }
  }

  void advance(duration by) {
    clock->advance(by);
    scheduler_.clock().advance_time(std::chrono::duration_cast<caf::timespan>(by));
    drain();
  }

  void apply(std::vector<provider::credential> records) {
    ask<bool>(gateway, apply_atom_v, next_configuration(std::move(records)));
  }

  applied_config next_configuration(std::vector<provider::credential> records) {
    applied_config next;
    auto snapshot = std::make_shared<config::snapshot>(settings);
    snapshot->generation = ++generation_;
    next.config = snapshot;
    auto list = std::make_shared<std::vector<provider::credential_ptr>>();
    for (auto& record : records) {
      list->push_back(std::make_shared<const provider::credential>(std::move(record)));
    }
    next.credentials = list;
    return next;
  }

  /// The reply, or nullopt when the receiver answered with an error or not yet.
  template <class T, class Handle, class... Ts>
  std::optional<T> ask(const Handle& to, Ts... messages) {
    caf::scoped_actor self{system_};
    auto pending = self->request(to, caf::infinite, std::move(messages)...);
    drain();
    std::optional<T> answer;
    if (!self->has_next_message()) return answer;
    pending.receive([&](T& value) { answer = std::move(value); }, [](const caf::error&) {});
    return answer;
  }

  pool_actor pool(const std::string& model = "gpt-x") {
    return *ask<pool_actor>(gateway, route_atom_v, model);
  }

  /// The pool in the published directory, without asking anybody.
  pool_actor known_pool() const { return published->read()->pools.begin()->second; }
  environment_ptr env() const { return env_; }

  profile_ptr profile(const std::string& model = "gpt-x") {
    auto wanted = std::make_shared<request_profile>();
    wanted->model = model;
    wanted->surface = protocol::surface::responses;
    wanted->providers = 0xF;
    wanted->config = published->read()->config;
    return wanted;
  }

  executor_actor spawn_executor(const profile_ptr& wanted) {
    return system_.spawn(executor, env_, pool(wanted->model), wanted);
  }

  /// First step of a fresh exchange.
  std::pair<executor_actor, step_ptr> begin(const std::string& model = "gpt-x") {
    auto run = spawn_executor(profile(model));
    auto step = ask<step_ptr>(run, next_atom_v);
    return {run, step.value_or(nullptr)};
  }

  settlement_ptr ended(const step_ptr& step, quota::outcome how) {
    auto end = std::make_shared<settlement>();
    end->id = step->given->id;
    end->upstream_model = step->given->upstream_model;
    how.started_at = clock->now();
    how.observed_at = clock->now();
    end->outcome = std::move(how);
    return end;
  }

  caf::actor_system& system() { return system_; }

 private:
  static caf::actor_system_config& prepared(caf::actor_system_config& config) {
    config.add_message_types<caf::id_block::tidegate>();
    config.set("scheduler.policy", caf::atom("testing"));
    return config;
  }

  caf::actor_system_config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  environment_ptr env_;
  persistence_actor persistence_;
  std::uint64_t generation_ = 0;

 public:
  std::shared_ptr<virtual_clock> clock;
  std::shared_ptr<memory_store> store;
  std::shared_ptr<token_endpoint> tokens;
  std::shared_ptr<published_directory> published;
  gateway_actor gateway;
  config::snapshot settings;
};

/// A 429 that says its quota is used up until `until`.
inline quota::outcome used_up(instant until, quota::scope covers = quota::scope::credential) {
  quota::outcome how;
  how.kind = quota::outcome_class::quota;
  how.covers = covers;
  how.status = 429;
  how.cause = "usage_limit_reached: Window used up";
  how.deadline = until;
  how.exhausted = true;
  how.window = std::chrono::minutes{300};
  return how;
}

inline quota::outcome failed_with(quota::outcome_class kind, int status) {
  quota::outcome how;
  how.kind = kind;
  how.status = status;
  how.cause = "invented failure";
  return how;
}

inline quota::outcome served() {
  quota::outcome how;
  how.status = 200;
  return how;
}

/// An exchange that waits for its first step.
class waiting_exchange {
 public:
  explicit waiting_exchange(actor_world& world)
      : world_(world), self_(world.system()), run_(world.spawn_executor(world.profile())) {
    pending_.emplace(self_->request(run_, caf::infinite, next_atom_v));
    world.drain();
  }
  bool has_answer() { return self_->has_next_message(); }
  step_ptr step() {
    if (!step_ && has_answer()) {
      pending_->receive([&](const step_ptr& got) { step_ = got; }, [](const caf::error&) {});
    }
    return step_;
  }
  void finish() {
    caf::anon_send(run_, finish_atom_v, world_.ended(step(), served()));
    world_.drain();
  }
  void leave() {
    caf::anon_send(run_, cancel_atom_v);
    world_.drain();
  }

 private:
  using response = decltype(std::declval<caf::scoped_actor&>()->request(
      std::declval<executor_actor>(), caf::infinite, next_atom_v));

  actor_world& world_;
  caf::scoped_actor self_;
  executor_actor run_;
  std::optional<response> pending_;
  step_ptr step_;
};

/// The credential that a step leads to.
inline std::string served_by(const step_ptr& step) {
  return step && step->given ? step->given->who->id.value : "nobody";
}

}  // namespace tidegate::actors::test
