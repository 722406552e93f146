#include "actors/renewer.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <nlohmann/json.hpp>

#include "actors/renewal_schedule.hpp"
#include "base/log.hpp"
#include "provider/credential_rewrite.hpp"

namespace tidegate::actors {
namespace {

using provider::refresh_fault;

provider::credential_ptr with(const provider::credential& who, const provider::fresh_tokens& fresh,
                              instant now) {
  auto copy = std::make_shared<provider::credential>(who);
  copy->secret = fresh.access_token;
  copy->expires_at = fresh.expires_at;
  copy->refreshed_at = now;
  return copy;
}

}  // namespace

void renewer_state::start(pointer self, environment_ptr env, persistence_actor persistence) {
  self_ = self;
  env_ = std::move(env);
  persistence_ = std::move(persistence);
}

caf::result<bool> renewer_state::flush() {
  stopping_ = true;
  for (auto& one : std::exchange(queued_, {})) {
    for (auto& promise : one.waiting) {
      promise.deliver(renewal{nullptr, {refresh_fault::unavailable, "the gateway is stopping", {}}});
    }
  }
  // Who has not asked yet has nothing to lose.
  std::vector<credential_id> idle;
  for (const auto& [id, flight] : flights_) {
    if (!flight.held) idle.push_back(id);
  }
  for (const auto& id : idle) fail(id, refresh_fault::unavailable, "the gateway is stopping");
  for (const auto& one : given_) {
    if (!one.written) save(one.wanted);
  }
  if (flights_.empty()) return true;
  flushed_ = self_->make_response_promise<bool>();
  return flushed_;
}

caf::result<renewal> renewer_state::renew(const renewal_request& wanted) {
  if (stopping_) return renewal{nullptr, {refresh_fault::unavailable, "the gateway is stopping", {}}};
  auto promise = self_->make_response_promise<renewal>();
  const auto& id = wanted.who->id;
  if (const auto running = flights_.find(id); running != flights_.end()) {
    running->second.waiting.push_back(promise);
    running->second.saves_only = false;
    return promise;
  }
  const auto queued = std::ranges::find(
      queued_, id, [](const under_way& of) -> const credential_id& { return of.wanted.who->id; });
  if (queued != queued_.end()) {
    queued->waiting.push_back(promise);
    return promise;
  }
  under_way next;
  next.wanted = wanted;
  next.waiting.push_back(promise);
  queued_.push_back(std::move(next));
  begin_queued();
  return promise;
}

bool renewer_state::token_in_use(const secret_string& refresh_token) const {
  return !refresh_token.empty() && std::ranges::any_of(flights_, [&](const auto& item) {
    return item.second.current->refresh_token == refresh_token;
  });
}

void renewer_state::begin_queued() {
  for (auto at = queued_.begin(); flights_.size() < renewals_max && at != queued_.end();) {
    // A file that was renamed while it is renewed: what comes of that is in it afterwards.
    if (token_in_use(at->wanted.who->refresh_token)) {
      ++at;
      continue;
    }
    auto next = std::move(*at);
    at = queued_.erase(at);
    next.current = next.wanted.who;
    const auto id = next.current->id;
    auto& flight = flights_.emplace(id, std::move(next)).first->second;
    // A service account's tokens are made from its key and kept in memory only.
    flight.current->signer ? ask(flight) : hold(flight);
  }
}

void renewer_state::save(const renewal_request& wanted) {
  under_way next;
  next.wanted = wanted;
  next.current = wanted.who;
  next.saves_only = true;
  const auto [at, fresh] = flights_.emplace(wanted.who->id, std::move(next));
  if (fresh) hold(at->second);
}

void renewer_state::hold(under_way& of) {
  const auto id = of.id();
  self_
      ->request(persistence_, caf::infinite, hold_atom_v, of.wanted.config->credentials.auth_dir,
                of.current->file)
      .then([this, id](const held_answer& answer) { on_held(id, answer); },
            [this, id](const caf::error&) {
              fail(id, refresh_fault::unavailable, "the gateway is stopping");
            });
}

void renewer_state::look_again(const credential_id& id) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return;
  found->second.held ? put_in(found->second) : hold(found->second);
}

void renewer_state::on_held(const credential_id& id, const held_answer& answer) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return;
  auto& flight = found->second;
  if (answer.held) {
    flight.held = answer.held;
    return read(flight);
  }
  if (answer.why->code == errc::not_found) {
    return fail(id, refresh_fault::rejected, "the file is gone");
  }
  if (answer.why->code != errc::unavailable) {
    return fail(id, refresh_fault::unavailable, answer.why->detail);
  }
  if (++flight.looks > lock_looks_max) {
    return fail(id, refresh_fault::unavailable, "another process holds the file's lock");
  }
  self_->delayed_send(self_, lock_look, tick_atom_v, id);
}

void renewer_state::read(under_way& of) {
  const auto id = of.id();
  auto record = record_of(of, of.held->text);
  if (!record) return fail(id, refresh_fault::unavailable, record.error().detail);
  const auto now = env_->clock->now();
  const bool changed = !provider::same_tokens(*record, *of.current);
  of.current = std::make_shared<const provider::credential>(std::move(*record));
  if (const auto kept = newest_for(of.current->refresh_token); kept != given_.end()) {
    return write(of, kept->fresh);
  }
  if (of.saves_only) return fail(id, refresh_fault::unavailable, "the file has another login");
  if (changed && token_usable(*of.current, now)) {
    log::info("{}: another process has renewed its token", id.value);
    return finish(id, {of.current, {}});
  }
  ask(of);
}

void renewer_state::ask(under_way& of) {
  const auto id = of.id();
  if (stopping_) return fail(id, refresh_fault::unavailable, "the gateway is stopping");
  if (!of.held) return send(of);
  // Now, so that later one write is all that lies between new tokens and the disk.
  self_->request(persistence_, caf::infinite, keep_atom_v, of.held)
      .then(
          [this, id](const write_answer& trouble) {
            const auto found = flights_.find(id);
            if (found == flights_.end()) return;
            if (trouble) return fail(id, refresh_fault::unavailable, trouble->detail);
            send(found->second);
          },
          [this, id](const caf::error&) {
            fail(id, refresh_fault::unavailable, "the gateway is stopping");
          });
}

void renewer_state::send(under_way& of) {
  const auto id = of.id();
  const auto* rules = provider::token_rules_of(of.current->provider);
  if (!rules) return fail(id, refresh_fault::rejected, "its provider renews no tokens");
  const auto client =
      provider::oauth_client_of(of.wanted.config->credentials, of.current->provider);
  auto request = rules->build(*of.current, client, env_->clock->now());
  if (!request) return fail(id, refresh_fault::rejected, request.error().detail);
  if (!env_->fetch) return fail(id, refresh_fault::unavailable, "no way out of the process");
  fetch_request out{std::move(*request), of.current->proxy_url, of.wanted.config};
  // Weak: the answer may outlive the actor system.
  const auto me = caf::actor_cast<caf::weak_actor_ptr>(self_);
  env_->fetch(std::move(out), [me, id](result<provider::plain_reply> answer) {
    const auto alive = caf::actor_cast<renewer_actor>(me);
    if (!alive) return;
    caf::anon_send(alive, fetched_atom_v, id,
                   std::make_shared<const result<provider::plain_reply>>(std::move(answer)));
  });
}

void renewer_state::on_fetched(const credential_id& id,
                               const result<provider::plain_reply>& answer) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return;
  auto& flight = found->second;
  if (!answer) return fail(id, refresh_fault::unavailable, answer.error().detail);
  const auto* rules = provider::token_rules_of(flight.current->provider);
  auto tokens = rules->read(answer->status, provider::headers_of(*answer), answer->body.reveal(),
                            env_->clock->now());
  if (tokens) return on_tokens(flight, std::move(*tokens));
  if (tokens.error().kind == refresh_fault::rejected && flight.held && !flight.looked_twice) {
    return reread(flight, std::move(tokens.error()));
  }
  finish(id, {nullptr, std::move(tokens.error())});
}

/// A program that knows nothing of the lock may have renewed it: the file is believed first.
void renewer_state::reread(under_way& of, provider::refresh_failure why) {
  of.looked_twice = true;
  const auto id = of.id();
  self_->request(persistence_, caf::infinite, hold_atom_v, of.held)
      .then(
          [this, id, why](const held_answer& answer) {
            const auto found = flights_.find(id);
            if (found == flights_.end()) return;
            auto& flight = found->second;
            if (!answer.held || answer.held->text == flight.held->text) {
              return finish(id, {nullptr, why});
            }
            flight.held = answer.held;
            read(flight);
          },
          [this, id, why](const caf::error&) {
            finish(id, {nullptr, why});
          });
}

void renewer_state::on_tokens(under_way& of, provider::fresh_tokens fresh) {
  const auto id = of.id();
  if (!of.held) return finish(id, {with(*of.current, fresh, env_->clock->now()), {}});
  remember({std::move(fresh), of.current->refresh_token, of.wanted});
  put_in(of);
}

/// A person may have changed the file meanwhile: only the tokens are put in, and only in place of
/// those that they were given for.
void renewer_state::put_in(under_way& of) {
  const auto id = of.id();
  self_->request(persistence_, caf::infinite, hold_atom_v, of.held)
      .then(
          [this, id](const held_answer& answer) {
            const auto found = flights_.find(id);
            if (found == flights_.end()) return;
            if (!answer.held) return on_not_read(found->second, *answer.why);
            found->second.held = answer.held;
            read(found->second);
          },
          [this, id](const caf::error&) {
            fail(id, refresh_fault::unavailable, "the gateway is stopping");
          });
}

/// The lock of a new name may be somebody else's for a moment, and nobody else has these tokens.
void renewer_state::on_not_read(under_way& of, const error& why) {
  if (why.code != errc::unavailable || ++of.looks > lock_looks_max) return on_written(of.id(), why);
  self_->delayed_send(self_, lock_look, tick_atom_v, of.id());
}

void renewer_state::write(under_way& of, const provider::fresh_tokens& fresh) {
  const auto id = of.id();
  auto text = provider::with_tokens(of.held->text.reveal(), fresh, env_->clock->now());
  if (!text) return fail(id, refresh_fault::unavailable, text.error().detail);
  of.text = std::make_shared<const secret_string>(std::move(*text));
  self_->request(persistence_, caf::infinite, write_atom_v, of.held, of.text)
      .then([this, id](const write_answer& trouble) { on_written(id, trouble); },
            [this, id](const caf::error&) {
              fail(id, refresh_fault::unavailable, "the gateway is stopping");
            });
}

void renewer_state::on_written(const credential_id& id, const write_answer& trouble) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return;
  auto& flight = found->second;
  if (trouble && trouble->code == errc::not_found) {
    if (flight.text && ++flight.moves <= moves_max) return put_in(flight);
    return fail(id, refresh_fault::rejected, "the file is gone");
  }
  if (trouble) {
    return fail(id, refresh_fault::unavailable,
                "the new token cannot be written: " + trouble->detail);
  }
  if (const auto kept = newest_for(flight.current->refresh_token); kept != given_.end()) {
    kept->written = true;
    kept->wanted = {};  // its configuration may be an old one by now
    const auto& next = kept->fresh.refresh_token;
    if (next.empty() || next == kept->replaces) given_.erase(kept);
  }
  auto record = record_of(flight, *flight.text);
  if (!record) return fail(id, refresh_fault::unavailable, record.error().detail);
  finish(id, {std::make_shared<const provider::credential>(std::move(*record)), {}});
}

result<provider::credential> renewer_state::record_of(const under_way& of,
                                                      const secret_string& text) {
  return provider::from_file(of.held->file, of.wanted.who->source, text.reveal(),
                             of.wanted.config->credentials);
}

void renewer_state::fail(const credential_id& id, refresh_fault kind, std::string reason) {
  finish(id, {nullptr, {kind, std::move(reason), std::nullopt}});
}

void renewer_state::finish(const credential_id& id, renewal end) {
  auto flight = flights_.extract(id);
  if (flight.empty()) return;
  if (end.renewed) {
    ++renewed_;
  } else if (!flight.mapped().saves_only) {
    ++failed_;
  }
  for (auto& promise : flight.mapped().waiting) promise.deliver(end);
  arm_write(id);
  const auto& elsewhere = flight.mapped().elsewhere;
  if (elsewhere && newest_for(elsewhere->who->refresh_token) != given_.end()) save(*elsewhere);
  if (stopping_ && flights_.empty() && flushed_.pending()) flushed_.deliver(true);
  begin_queued();
}

inspection renewer_state::inspect() const {
  return {nlohmann::json{{"actor", "renewer"},
                         {"mailbox", self_->mailbox().size()},
                         {"running", flights_.size()},
                         {"queued", queued_.size()},
                         {"unwritten", std::ranges::count(given_, false, &given::written)},
                         {"renewed", renewed_},
                         {"failed", failed_}}
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          {}};
}

renewer_actor::behavior_type renewer(renewer_state::pointer self, environment_ptr env,
                                     persistence_actor persistence) {
  self->state.start(self, std::move(env), std::move(persistence));
  return {
      [=](renew_atom, const renewal_request& wanted) { return self->state.renew(wanted); },
      [=](fetched_atom, const credential_id& id, const fetched_ptr& answer) {
        self->state.on_fetched(id, *answer);
      },
      [=](tick_atom, const credential_id& id) { self->state.look_again(id); },
      [=](write_atom, const credential_id& id) { self->state.write_again(id); },
      [=](write_atom, const renewal_request& found) { self->state.look(found); },
      [=](flush_atom) { return self->state.flush(); },
      [=](inspect_atom) { return self->state.inspect(); },
  };
}

}  // namespace tidegate::actors
