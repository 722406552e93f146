#include "actors/gateway.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <nlohmann/json.hpp>

#include "actors/credential.hpp"
#include "actors/pool.hpp"
#include "actors/renewer.hpp"
#include "base/log.hpp"
#include "quota/block_set.hpp"

namespace tidegate::actors {
namespace {

provider::credential_ptr switched(const provider::credential_ptr& record, const switches& off) {
  const auto found = off.find(record->id);
  if (found == off.end() || found->second == record->disabled) return record;
  auto copy = std::make_shared<provider::credential>(*record);
  copy->disabled = found->second;
  return copy;
}

/// Ends removed credentials when the last pool has taken the new membership: a grant that a pool
/// passed on before is then answered, not lost.
class leaving {
 public:
  explicit leaving(std::vector<credential_actor> who) : who_{std::move(who)} {}
  leaving(const leaving&) = delete;
  leaving& operator=(const leaving&) = delete;
  ~leaving() {
    for (const auto& one : who_) {
      // Behind everything in its mailbox, where send_exit would go before it.
      caf::actor_cast<caf::strong_actor_ptr>(one)->enqueue(
          nullptr, caf::make_message_id(),
          caf::make_message(caf::exit_msg{one.address(), caf::exit_reason::user_shutdown}),
          nullptr);
    }
  }

 private:
  std::vector<credential_actor> who_;
};

}  // namespace

void gateway_state::start(pointer self, environment_ptr env, persistence_actor persistence,
                          std::shared_ptr<published_directory> published) {
  self_ = self;
  env_ = std::move(env);
  persistence_ = std::move(persistence);
  published_ = std::move(published);
  renewer_ = self_->spawn<caf::monitored>(actors::renewer, env_, persistence_);
}

caf::result<bool> gateway_state::apply(const applied_config& next) {
  configured_ = next;
  auto promise = self_->make_response_promise<bool>();
  const std::function<void()> done = [promise]() mutable { promise.deliver(true); };
  if (switches_) {
    apply_switched(done);
    return promise;
  }
  // Await, not then, here and below: nothing may be routed by half a configuration.
  self_->request(persistence_, caf::infinite, switch_atom_v, next.config->credentials.auth_dir)
      .await(
          [this, done](const switches_ptr& restored) {
            switches_ = *restored;
            apply_switched(done);
          },
          [promise](const caf::error& reason) mutable { promise.deliver(reason); });
  return promise;
}

void gateway_state::apply_switched(const std::function<void()>& done) {
  auto records = std::make_shared<std::vector<provider::credential_ptr>>();
  std::vector<provider::credential_ptr> fresh;
  std::set<credential_id> kept;
  for (const auto& record : *configured_.credentials) {
    records->push_back(switched(record, *switches_));
  }
  const bool new_settings = applied_.config != configured_.config;
  applied_.config = configured_.config;
  applied_.credentials = records;
  for (const auto& record : *records) {
    kept.insert(record->id);
    const auto known = credentials_.find(record->id);
    if (known == credentials_.end()) {
      fresh.push_back(record);
      continue;
    }
    if (known->second.record == record && !new_settings) continue;
    known->second.record = record;
    self_->send(known->second.actor, update_atom_v, record, applied_);
  }
  drop_removed(kept);
  if (fresh.empty() || !applied_.config->routing.cooldown.save_cooldown_status) {
    put_in_force(fresh, nullptr);
    return done();
  }
  self_->request(persistence_, caf::infinite, load_atom_v, wanted_back(fresh))
      .await(
          [this, fresh, done](const restored_ptr& restored) {
            put_in_force(fresh, restored);
            done();
          },
          [this, fresh, done](const caf::error&) {
            log::error("cooldowns could not be restored: the persistence actor is gone");
            put_in_force(fresh, nullptr);
            done();
          });
}

void gateway_state::put_in_force(const std::vector<provider::credential_ptr>& fresh,
                                 const restored_ptr& restored) {
  spawn_credentials(fresh, restored);
  catalog_ = std::make_shared<const provider::catalog>(*applied_.credentials,
                                                       applied_.config->routing);
  update_pools();
  publish();
}

load_request_ptr gateway_state::wanted_back(
    const std::vector<provider::credential_ptr>& fresh) const {
  auto wanted = std::make_shared<load_request>();
  wanted->root = applied_.config->credentials.auth_dir;
  for (const auto& record : fresh) wanted->wanted.emplace_back(record->id, record->file);
  return wanted;
}

void gateway_state::spawn_credentials(const std::vector<provider::credential_ptr>& fresh,
                                      const restored_ptr& restored) {
  std::map<credential_id, const std::vector<quota::block>*> blocks;
  if (restored) {
    for (const auto& record : *restored) blocks[record.id] = &record.blocks;
  }
  for (const auto& record : fresh) {
    credential_start from;
    from.record = record;
    if (const auto found = blocks.find(record->id); found != blocks.end()) {
      from.restored = *found->second;
    }
    auto actor = self_->spawn<caf::monitored>(credential, env_, std::move(from), applied_,
                                              credential_services{persistence_, gateway_actor{self_}});
    credentials_[record->id] = supervised{std::move(actor), record};
  }
}

void gateway_state::drop_removed(const std::set<credential_id>& kept) {
  std::erase_if(credentials_, [&](const auto& item) {
    const auto& [id, gone] = item;
    if (kept.contains(id)) return false;
    auto forget = std::make_shared<save_request>();
    forget->root = applied_.config->credentials.auth_dir;
    forget->file = gone.record->file;
    forget->record.id = id;
    self_->send(persistence_, save_atom_v, save_request_ptr{std::move(forget)});
    self_->send(gone.actor, retire_atom_v);
    leaving_.push_back(gone.actor);
    return true;
  });
}

pool_start_ptr gateway_state::members_of(const provider::route& route) const {
  auto start = std::make_shared<pool_start>();
  start->model = route.model;
  start->config = applied_.config;
  for (const auto& serving : route.members) {
    const auto known = credentials_.find(serving.credential->id);
    if (known == credentials_.end()) continue;
    pool_member member;
    member.credential = caf::actor_cast<caf::actor>(known->second.actor);
    member.record = serving.credential;
    member.backends = std::make_shared<const std::vector<std::string>>(serving.upstream_models);
    member.force_mapping = serving.force_mapping;
    start->members.push_back(std::move(member));
  }
  return start;
}

void gateway_state::update_pools() {
  const auto removed = std::make_shared<const leaving>(std::exchange(leaving_, {}));
  std::erase_if(pools_, [&](const auto& item) {
    const auto& [key, actor] = item;
    if (const auto route = catalog_->find(key)) {
      self_->request(actor, caf::infinite, update_atom_v, members_of(*route))
          .then([removed](bool) {}, [removed](const caf::error&) {});
      return false;
    }
    self_->send_exit(actor, caf::exit_reason::user_shutdown);
    return true;
  });
}

caf::result<pool_actor> gateway_state::route(const std::string& model) {
  if (!catalog_) return caf::make_error(caf::sec::runtime_error, "no configuration yet");
  auto key = catalog_->key_of(model);
  if (const auto known = pools_.find(key); known != pools_.end()) return known->second;
  const auto route = catalog_->find(model);
  if (!route) return caf::make_error(caf::sec::invalid_argument, "no credential serves the model");
  if (pools_.size() >= family_pools_max + catalog_->models().size()) {
    return caf::make_error(caf::sec::runtime_error, "too many different models in use");
  }
  auto made = self_->spawn<caf::monitored>(pool, env_, members_of(*route));
  pools_.emplace(std::move(key), made);
  publish();
  return made;
}

void gateway_state::publish() {
  auto next = std::make_shared<directory>();
  next->config = applied_.config;
  next->catalog = catalog_;
  next->pools = pools_;
  published_->publish(std::move(next));
}

caf::result<credential_view_ptr> gateway_state::clear(const credential_id& id,
                                                      const std::string& model) {
  const auto known = credentials_.find(id);
  if (known == credentials_.end()) {
    return caf::make_error(caf::sec::invalid_argument, "no such credential");
  }
  return self_->delegate(known->second.actor, clear_atom_v, model);
}

caf::result<credential_view_ptr> gateway_state::renew(const credential_id& id) {
  const auto known = credentials_.find(id);
  if (known == credentials_.end()) {
    return caf::make_error(caf::sec::invalid_argument, "no such credential");
  }
  return self_->delegate(known->second.actor, renew_atom_v);
}

caf::result<switch_answer> gateway_state::set_switch(const credential_id& id, bool disabled) {
  if (!credentials_.contains(id) || !switches_) {
    return caf::make_error(caf::sec::invalid_argument, "no such credential");
  }
  auto next = std::make_shared<switches>(*switches_);
  (*next)[id] = disabled;
  auto promise = self_->make_response_promise<switch_answer>();
  // Await: of two switches the second one is based on the first.
  self_
      ->request(persistence_, caf::infinite, switch_atom_v,
                configured_.config->credentials.auth_dir, switches_ptr{next})
      .await(
          [this, promise, next, id, disabled](const write_answer& trouble) mutable {
            if (trouble) {
              promise.deliver(switch_answer{nullptr, trouble});
              return;
            }
            switches_ = *next;
            log::info("credential {} {} by the operator", id.value,
                      disabled ? "disabled" : "enabled");
            apply_switched([] {});
            answer_switch(id, promise);
          },
          [promise](const caf::error& reason) mutable { promise.deliver(reason); });
  return promise;
}

void gateway_state::answer_switch(const credential_id& id,
                                  caf::typed_response_promise<switch_answer> promise) {
  const auto known = credentials_.find(id);
  if (known == credentials_.end()) {
    promise.deliver(caf::make_error(caf::sec::invalid_argument, "no such credential"));
    return;
  }
  self_->request(known->second.actor, caf::infinite, view_atom_v)
      .then(
          [promise](const credential_view_ptr& view) mutable {
            promise.deliver(switch_answer{view, std::nullopt});
          },
          [promise](const caf::error& reason) mutable { promise.deliver(reason); });
}

std::vector<credential_actor> gateway_state::credentials() const {
  std::vector<credential_actor> all;
  all.reserve(credentials_.size());
  for (const auto& [id, entry] : credentials_) all.push_back(entry.actor);
  return all;
}

void gateway_state::on_down(const caf::down_msg& gone) {
  if (gone.reason == caf::exit_reason::user_shutdown) return;
  for (const auto& [id, entry] : credentials_) {
    if (entry.actor.address() != gone.source) continue;
    log::error("credential {} crashed and is started again", id.value);
    lost_credentials_.insert(id);
  }
  if (renewer_.address() == gone.source) {
    log::error("the renewer crashed and is started again");
    renewer_ = self_->spawn<caf::monitored>(actors::renewer, env_, persistence_);
    return;
  }
  for (const auto& [key, actor] : pools_) {
    if (actor.address() != gone.source) continue;
    log::error("pool {} crashed and is started again", key);
    lost_pools_.insert(key);
  }
  self_->delayed_send(self_, restart_delay, restart_atom_v);
}

void gateway_state::restart_lost() {
  std::vector<provider::credential_ptr> lost;
  for (const auto& id : std::exchange(lost_credentials_, {})) {
    const auto known = credentials_.find(id);
    if (known != credentials_.end()) lost.push_back(known->second.record);
  }
  for (const auto& key : std::exchange(lost_pools_, {})) {
    const auto route = catalog_->find(key);
    if (route) pools_[key] = self_->spawn<caf::monitored>(pool, env_, members_of(*route));
  }
  ++restarts_;
  const auto finish = [this, lost](const restored_ptr& restored) {
    spawn_credentials(lost, restored);
    update_pools();
    publish();
  };
  if (lost.empty()) return finish(nullptr);
  self_->request(persistence_, caf::infinite, load_atom_v, wanted_back(lost))
      .await([finish](const restored_ptr& restored) { finish(restored); },
             [finish](const caf::error&) { finish(nullptr); });
}

void gateway_state::stop_all() {
  for (const auto& [key, actor] : pools_) {
    self_->send_exit(actor, caf::exit_reason::user_shutdown);
  }
  for (const auto& [id, entry] : credentials_) {
    self_->send_exit(entry.actor, caf::exit_reason::user_shutdown);
  }
  self_->send_exit(renewer_, caf::exit_reason::user_shutdown);
  pools_.clear();
  credentials_.clear();
  published_->publish(nullptr);
}

inspection gateway_state::inspect() const {
  inspection answer;
  answer.children.push_back(caf::actor_cast<caf::actor>(persistence_));
  answer.children.push_back(caf::actor_cast<caf::actor>(renewer_));
  for (const auto& [key, actor] : pools_) {
    answer.children.push_back(caf::actor_cast<caf::actor>(actor));
  }
  for (const auto& [id, entry] : credentials_) {
    answer.children.push_back(caf::actor_cast<caf::actor>(entry.actor));
  }
  answer.json = nlohmann::json{{"actor", "gateway"},
                               {"mailbox", self_->mailbox().size()},
                               {"generation", applied_.config ? applied_.config->generation : 0},
                               {"credentials", credentials_.size()},
                               {"pools", pools_.size()},
                               {"restarts", restarts_}}
                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return answer;
}

gateway_actor::behavior_type gateway(gateway_state::pointer self, environment_ptr env,
                                     persistence_actor persistence,
                                     std::shared_ptr<published_directory> published) {
  self->state.start(self, std::move(env), std::move(persistence), std::move(published));
  self->set_down_handler([=](const caf::down_msg& gone) { self->state.on_down(gone); });
  self->set_exit_handler([=](const caf::exit_msg& asked) {
    self->state.stop_all();
    self->quit(asked.reason);
  });
  return {
      [=](apply_atom, const applied_config& next) { return self->state.apply(next); },
      [=](route_atom, const std::string& model) { return self->state.route(model); },
      [=](clear_atom, const credential_id& id, const std::string& model) {
        return self->state.clear(id, model);
      },
      [=](switch_atom, const credential_id& id, bool disabled) {
        return self->state.set_switch(id, disabled);
      },
      [=](flush_atom) { return self->delegate(self->state.renewer(), flush_atom_v); },
      [=](renew_atom, const credential_id& id) { return self->state.renew(id); },
      [=](renew_atom, const renewal_request& wanted) {
        return self->delegate(self->state.renewer(), renew_atom_v, wanted);
      },
      [=](write_atom, const renewal_request& found) {
        self->send(self->state.renewer(), write_atom_v, found);
      },
      [=](view_atom) { return self->state.credentials(); },
      [=](restart_atom) { self->state.restart_lost(); },
      [=](inspect_atom) { return self->state.inspect(); },
  };
}

}  // namespace tidegate::actors
