#include "actors/pool.hpp"

#include <caf/all.hpp>
#include <nlohmann/json.hpp>

#include "base/log.hpp"

namespace tidegate::actors {

void pool_state::start(pointer self, environment_ptr env, const pool_start& from) {
  self_ = self;
  env_ = std::move(env);
  model_ = from.model;
  update(from);
}

void pool_state::update(const pool_start& from) {
  const auto& routing = from.config->routing;
  if (!config_ || config_->routing.selection != routing.selection) rotations_.clear();
  if (!routing.session_affinity) {
    affinity_.reset();
  } else if (!affinity_ ||
             config_->routing.session_affinity_ttl != routing.session_affinity_ttl) {
    affinity_.emplace(routing.session_affinity_ttl);
  }
  config_ = from.config;

  std::map<credential_id, member> kept;
  for (const auto& incoming : from.members) {
    const auto& id = incoming.record->id;
    member who;
    if (const auto old = members_.find(id); old != members_.end()) {
      who.blocked = old->second.blocked;
      who.full = old->second.full;
      who.until = old->second.until;
    }
    who.actor = caf::actor_cast<credential_actor>(incoming.credential);
    who.record = incoming.record;
    who.ask.model = model_;
    who.ask.backends = incoming.backends;
    who.ask.force_mapping = incoming.force_mapping;
    who.provider_bit = 1U << static_cast<unsigned>(incoming.record->provider);
    caf::anon_send(who.actor, subscribe_atom_v, who.ask, caf::actor_cast<member_feed>(self_));
    kept.emplace(id, std::move(who));
  }
  for (const auto& [id, gone] : members_) {
    if (kept.contains(id)) continue;
    for (auto& [mask, rotation] : rotations_) rotation.remove(id);
    if (affinity_) affinity_->forget(id);
  }
  members_ = std::move(kept);
  for (auto& [mask, rotation] : rotations_) {
    for (const auto& [id, who] : members_) {
      if (who.provider_bit & mask) rotation.put({id, who.record->priority, who.record->weight});
    }
  }
  if (!queue_.empty()) serve_queue();
}

void pool_state::set_hint(quota::rotation& in, const member& who) {
  const auto& id = who.record->id;
  if (who.blocked) return in.set_blocked(id, who.until);
  who.full ? in.set_blocked(id, std::nullopt) : in.set_ready(id);
}

quota::rotation& pool_state::rotation_for(std::uint32_t providers) {
  const auto found = rotations_.find(providers);
  if (found != rotations_.end()) return found->second;
  auto& made = rotations_.try_emplace(providers, config_->routing.selection).first->second;
  for (const auto& [id, who] : members_) {
    if (!(who.provider_bit & providers)) continue;
    made.put({id, who.record->priority, who.record->weight});
    set_hint(made, who);
  }
  return made;
}

std::vector<credential_id> pool_state::kept_out(const acquire_request& wanted) const {
  auto out = *wanted.tried;
  if (wanted.round == 0) return out;
  const int shared_limit = wanted.profile->config->routing.retry.request_retry;
  for (const auto& [id, who] : members_) {
    if (who.record->request_retry.value_or(shared_limit) < wanted.round) out.push_back(id);
  }
  return out;
}

std::optional<credential_id> pool_state::choose(const acquire_request& wanted, instant now) {
  auto& rotation = rotation_for(wanted.profile->providers);
  const auto out = kept_out(wanted);
  const auto is_out = [&](const credential_id& id) {
    return std::find(out.begin(), out.end(), id) != out.end();
  };
  if (wanted.profile->pinned) {
    const auto& pin = *wanted.profile->pinned;
    if (is_out(pin) || !rotation.pick_exactly(pin, now)) return std::nullopt;
    return pin;
  }
  const auto& session = wanted.profile->session;
  if (!affinity_ || session.empty()) return rotation.pick(now, out);
  if (auto bound = affinity_->find(session, now);
      bound && !is_out(*bound) && rotation.pick_exactly(*bound, now)) {
    return bound;
  }
  auto picked = rotation.pick(now, out);
  if (picked) affinity_->bind(session, *picked, now);
  return picked;
}

caf::result<grant> pool_state::acquire(const acquire_request& wanted) {
  ++acquired_;
  if (wanted.only) return ask_only(wanted);
  // Nobody overtakes those who wait for room already.
  if (!queue_.empty() && wanted.waits) return wait_for_room(wanted);
  const auto picked = choose(wanted, env_->clock->now());
  if (!picked && wanted.waits && somebody_is_full(wanted)) return wait_for_room(wanted);
  if (!picked) return grant{};
  const auto& who = members_.at(*picked);
  return self_->delegate(who.actor, grant_atom_v, ask_of(who, wanted));
}

grant_request pool_state::ask_of(const member& who, const acquire_request& wanted) const {
  auto ask = who.ask;
  if (!wanted.tried_backends) return ask;
  for (const auto& [id, backend] : *wanted.tried_backends) {
    if (id == who.record->id) ask.tried.push_back(backend);
  }
  return ask;
}

caf::result<grant> pool_state::ask_only(const acquire_request& wanted) {
  const auto found = members_.find(*wanted.only);
  if (found == members_.end()) return grant{};
  auto ask = found->second.ask;
  ask.probe = wanted.probe;
  return self_->delegate(found->second.actor, grant_atom_v, std::move(ask));
}

void pool_state::on_status(const member_status& news) {
  const auto found = members_.find(news.id);
  if (found == members_.end()) return;
  auto& who = found->second;
  who.blocked = news.blocked;
  who.full = news.full;
  who.until = news.until;
  for (auto& [mask, rotation] : rotations_) {
    if (who.provider_bit & mask) set_hint(rotation, who);
  }
  if (!queue_.empty()) serve_queue();
}

void pool_state::unbind(const std::string& session, const credential_id& from) {
  if (affinity_) affinity_->unbind(session, from);
}

bool pool_state::eligible(const member& who, const request_profile& profile) const {
  if (!(who.provider_bit & profile.providers)) return false;
  return !profile.pinned || *profile.pinned == who.record->id;
}

caf::result<pool_account_ptr> pool_state::decide(const profile_ptr& profile) {
  auto promise = self_->make_response_promise<pool_account_ptr>();
  waiting_.push_back({profile, promise});
  if (asking_.empty()) begin_round();
  return promise;
}

void pool_state::begin_round() {
  asking_ = std::exchange(waiting_, {});
  ++rounds_;
  ++epoch_;
  answers_.clear();
  unanswered_ = members_.size();
  if (unanswered_ == 0) return end_round();
  describe_request question;
  question.epoch = epoch_;
  question.now = env_->clock->now();
  const auto me = caf::actor_cast<member_feed>(self_);
  for (const auto& [id, who] : members_) {
    question.backends = who.ask.backends;
    self_->send(who.actor, describe_atom_v, question, me);
  }
  self_->delayed_send(self_, describe_timeout, tick_atom_v, epoch_);
}

void pool_state::on_description(description&& answer) {
  if (answer.epoch != epoch_ || asking_.empty()) return;
  auto id = answer.account.id;
  if (!answers_.try_emplace(std::move(id), std::move(answer.account)).second) return;
  if (--unanswered_ == 0) end_round();
}

void pool_state::on_timeout(std::uint64_t epoch) {
  if (epoch != epoch_ || asking_.empty()) return;
  log::warn("{} of {} credentials of model {} did not answer for themselves", unanswered_,
            members_.size(), model_);
  end_round();
}

void pool_state::end_round() {
  for (auto& asker : std::exchange(asking_, {})) {
    auto account = std::make_shared<std::vector<quota::candidate>>();
    for (const auto& [id, who] : members_) {
      if (!eligible(who, *asker.profile)) continue;
      const auto answered = answers_.find(id);
      if (answered != answers_.end()) {
        account->push_back(answered->second);
        continue;
      }
      // Silence proves nothing: neither free nor used up, so it can only prevent a final answer.
      quota::candidate unknown;
      unknown.id = id;
      unknown.provider = who.record->provider_name;
      unknown.status_disabled = true;
      account->push_back(std::move(unknown));
    }
    asker.promise.deliver(pool_account_ptr{std::move(account)});
  }
  if (!waiting_.empty()) begin_round();
}

inspection pool_state::inspect() const {
  std::size_t blocked = 0;
  const auto now = env_->clock->now();
  for (const auto& [id, who] : members_) {
    if (who.blocked && (!who.until || *who.until > now)) ++blocked;
  }
  return {nlohmann::json{{"actor", "pool"},
                         {"model", model_},
                         {"mailbox", self_->mailbox().size()},
                         {"members", members_.size()},
                         {"blocked", blocked},
                         {"waiting_for_room", queue_.size()},
                         {"sessions", affinity_ ? affinity_->size() : 0},
                         {"acquired", acquired_},
                         {"rounds_of_questions", rounds_}}
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          {}};
}

pool_actor::behavior_type pool(pool_state::pointer self, environment_ptr env,
                               pool_start_ptr from) {
  self->state.start(self, std::move(env), *from);
  self->set_exit_handler([=](const caf::exit_msg& asked) {
    self->state.end();
    self->quit(asked.reason);
  });
  return {
      [=](status_atom, const member_status& news) { self->state.on_status(news); },
      [=](described_atom, description& answer) { self->state.on_description(std::move(answer)); },
      [=](acquire_atom, const acquire_request& wanted) { return self->state.acquire(wanted); },
      [=](decide_atom, const profile_ptr& profile) { return self->state.decide(profile); },
      [=](unbind_atom, const std::string& session, const credential_id& credential) {
        self->state.unbind(session, credential);
      },
      [=](cancel_atom) { self->state.leave_queue(self->current_sender()); },
      [=](update_atom, const pool_start_ptr& next) {
        self->state.update(*next);
        return true;
      },
      [=](tick_atom, std::uint64_t epoch) { self->state.on_timeout(epoch); },
      [=](tick_atom) { self->state.on_room_timeout(); },
      [=](inspect_atom) { return self->state.inspect(); },
  };
}

}  // namespace tidegate::actors
