#include "actors/executor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <nlohmann/json.hpp>

#include "base/time_text.hpp"
#include "quota/retry_plan.hpp"

namespace tidegate::actors {
namespace {

using quota::outcome_class;

/// Whether a failure speaks against the credential, so that a session bound to it moves on.
bool blames_credential(outcome_class kind) {
  switch (kind) {
    case outcome_class::success:
    case outcome_class::request_fault:
    case outcome_class::cancelled:
    case outcome_class::transport:
    case outcome_class::lifecycle: return false;
    case outcome_class::quota:
    case outcome_class::unauthorized:
    case outcome_class::payment_required:
    case outcome_class::invalid_grant:
    case outcome_class::model_not_supported:
    case outcome_class::not_found:
    case outcome_class::cloudflare_challenge:
    case outcome_class::transient: return true;
  }
  return true;
}

void send_settlement(const lease& of, settlement_ptr end) {
  caf::anon_send(caf::actor_cast<credential_actor>(of.owner), settle_atom_v, std::move(end));
}

/// Stands for "everything was already cooling" where a round's last error is asked for.
quota::outcome cooling_outcome(instant now) {
  quota::outcome what;
  what.kind = outcome_class::quota;
  what.status = 429;
  what.started_at = now;
  what.observed_at = now;
  return what;
}

}  // namespace

executor_state::~executor_state() {
  if (!open_) return;
  auto end = std::make_shared<settlement>();
  end->id = open_->id;
  end->upstream_model = open_->upstream_model;
  end->outcome.kind = outcome_class::cancelled;
  end->outcome.started_at = born_;
  end->outcome.observed_at = env_->clock->now();
  send_settlement(*open_, std::move(end));
}

void executor_state::start(pointer self, environment_ptr env, pool_actor pool,
                           profile_ptr profile) {
  self_ = self;
  env_ = std::move(env);
  pool_ = std::move(pool);
  profile_ = std::move(profile);
  born_ = env_->clock->now();
}

caf::result<step_ptr> executor_state::first() {
  reply_ = self_->make_response_promise<step_ptr>();
  acquire();
  return reply_;
}

caf::result<step_ptr> executor_state::after_failure(const settlement_ptr& end) {
  reply_ = self_->make_response_promise<step_ptr>();
  auto promise = reply_;
  last_ = end->outcome;
  if (!renew_and_repeat(end)) go_on_after(end);
  return promise;
}

void executor_state::go_on_after(const settlement_ptr& end) {
  if (open_) note_tried(*open_);
  settle(end);
  if (quota::plan_after(*last_) == quota::after_failure::next_credential) {
    acquire();
  } else if (last_->status == 429) {
    survey();
  } else {
    quota::verdict as_it_came;
    as_it_came.kind = quota::verdict_kind::last_error;
    refuse(std::move(as_it_came));
  }
}

bool executor_state::renew_and_repeat(const settlement_ptr& end) {
  const bool refused = last_->kind == outcome_class::unauthorized &&
                       last_->rule == quota::rule_action::none;
  if (!refused || !open_ || !provider::renewable(*open_->who)) return false;
  const auto id = open_->who->id;
  if (std::ranges::find(renewed_, id) != renewed_.end()) return false;
  renewed_.push_back(id);
  const auto owner = caf::actor_cast<credential_actor>(open_->owner);
  self_->request(owner, caf::infinite, renew_atom_v, end)
      .then(
          [this, end, id](bool newer) {
            if (!newer) return go_on_after(end);
            open_.reset();
            acquire_request again;
            again.only = id;
            ask_pool(std::move(again));
          },
          [this, end](const caf::error&) { go_on_after(end); });
  return true;
}

void executor_state::note_tried(const lease& of) {
  const auto& id = of.who->id;
  if (last_->status == 429) failed_429_.push_back({id, last_->deadline});
  if (of.backends > 1) {
    tried_backends_.emplace_back(id, of.upstream_model);
    const auto same = [&](const tried_backend& one) { return one.first == id; };
    const auto count = std::ranges::count_if(tried_backends_, same);
    if (static_cast<std::size_t>(count) < of.backends) return;
  }
  tried_.push_back(id);
}

void executor_state::finish(const settlement_ptr& end) {
  settle(end);
  self_->quit();
}

void executor_state::settle(const settlement_ptr& end) {
  if (!open_ || open_->id != end->id) return;
  if (!profile_->session.empty() && profile_->config->routing.session_affinity &&
      blames_credential(end->outcome.kind)) {
    self_->send(pool_, unbind_atom_v, profile_->session, open_->who->id);
  }
  send_settlement(*open_, end);
  open_.reset();
}

void executor_state::acquire() {
  const int per_round = profile_->config->routing.retry.max_retry_credentials;
  const bool spent = per_round > 0 && credentials_in_round_ >= per_round;
  if (spent || attempts_ >= attempts_max || refusals_ >= refusals_max) return survey();
  acquire_request wanted;
  wanted.tried = std::make_shared<const std::vector<credential_id>>(tried_);
  wanted.round = round_;
  wanted.waits = !waited_for_room_;
  ask_pool(std::move(wanted));
}

void executor_state::ask_pool(acquire_request wanted) {
  wanted.profile = profile_;
  if (!tried_backends_.empty()) {
    wanted.tried_backends = std::make_shared<const std::vector<tried_backend>>(tried_backends_);
  }
  asking_ = true;
  self_->request(pool_, caf::infinite, acquire_atom_v, std::move(wanted))
      .then([this](const grant& answer) { on_grant(answer); },
            [this](const caf::error& reason) { on_lost(reason); });
}

void executor_state::cancel() {
  if (!asking_) return self_->quit();
  // A grant may be on its way: it has to be given back.
  cancelled_ = true;
  self_->send(pool_, cancel_atom_v);
  fail(caf::make_error(caf::sec::request_receiver_down));
}

bool executor_state::ends_instead(const lease_ptr& given) {
  asking_ = false;
  if (!cancelled_) return false;
  open_ = given;
  self_->quit();
  return true;
}

/// The pool or the picked credential ended meanwhile.
void executor_state::on_lost(const caf::error& reason) {
  if (ends_instead(nullptr)) return;
  if (reason != caf::sec::request_receiver_down) return fail(reason);
  quota::verdict none;
  none.kind = last_ ? quota::verdict_kind::last_error : quota::verdict_kind::auth_not_found;
  refuse(std::move(none));
}

void executor_state::on_grant(const grant& answer) {
  if (ends_instead(answer.given)) return;
  if (answer.given) return give(answer.given);
  if (!answer.refused_by) {
    waited_for_room_ |= answer.full;
    return survey();
  }
  ++refusals_;
  tried_.push_back(*answer.refused_by);
  acquire();
}

void executor_state::survey() {
  self_->request(pool_, caf::infinite, decide_atom_v, profile_)
      .then([this](const pool_account_ptr& account) { on_account(account); },
            [this](const caf::error& reason) { on_lost(reason); });
}

std::vector<quota::candidate> executor_state::with_failures(
    const std::vector<quota::candidate>& pool) const {
  auto candidates = pool;
  for (auto& one : candidates) {
    const auto failed = std::ranges::find(failed_429_, one.id, &failed_429::who);
    if (failed == failed_429_.end()) continue;
    one.just_failed_429 = true;
    one.named_end = failed->named_end;
  }
  return candidates;
}

void executor_state::on_account(const pool_account_ptr& account) {
  const auto candidates = with_failures(*account);
  quota::final_error how;
  how.attempted = last_.has_value();
  how.status = last_ ? last_->status : 0;
  how.counting = !protocol::may_be_usage_limit(profile_->surface);
  const auto& routing = profile_->config->routing;
  auto verdict = quota::decide(candidates, how, routing.cooldown.mode, env_->clock->now());
  const bool final = verdict.kind == quota::verdict_kind::usage_limit ||
                     verdict.kind == quota::verdict_kind::busy;
  if (attempts_ < attempts_max) {
    if (!final && wait_for_round(candidates)) return;
    if (!how.counting && probe(candidates)) return;
  }
  if (verdict.kind == quota::verdict_kind::selectable && reopenings_ < reopenings_max) {
    ++reopenings_;
    tried_.clear();
    tried_backends_.clear();
    return acquire();
  }
  refuse(std::move(verdict));
}

bool executor_state::probe(const std::vector<quota::candidate>& pool) {
  const bool ended = last_ && quota::plan_after(*last_) == quota::after_failure::answer_now;
  if (probed_ || ended) return false;
  acquire_request wanted;
  wanted.only = quota::probe_target(pool);
  wanted.probe = true;
  if (!wanted.only) return false;
  probed_ = true;
  ask_pool(std::move(wanted));
  return true;
}

bool executor_state::wait_for_round(const std::vector<quota::candidate>& candidates) {
  const auto now = env_->clock->now();
  if (last_ && quota::plan_after(*last_) == quota::after_failure::answer_now) return false;
  const auto last = last_.value_or(cooling_outcome(now));
  if (!quota::allows_another_round(last)) return false;
  const auto wait = quota::wait_before_round(candidates, last, round_ + 1,
                                             profile_->config->routing.retry, env_->random(), now);
  if (!wait) return false;
  waiting_ = true;
  self_->delayed_send(self_, *wait, tick_atom_v);
  return true;
}

void executor_state::resume_round() {
  if (!waiting_) return;
  waiting_ = false;
  ++round_;
  credentials_in_round_ = 0;
  refusals_ = 0;
  tried_.clear();
  tried_backends_.clear();
  failed_429_.clear();
  acquire();
}

void executor_state::give(lease_ptr given) {
  ++attempts_;
  const auto& id = given->who->id;
  const auto same = [&](const tried_backend& one) { return one.first == id; };
  if (std::ranges::none_of(tried_backends_, same)) ++credentials_in_round_;
  open_ = std::move(given);
  auto next = std::make_shared<step>();
  next->what = step::kind::attempt;
  next->given = open_;
  reply_.deliver(step_ptr{std::move(next)});
}

void executor_state::refuse(quota::verdict why) {
  auto next = std::make_shared<step>();
  next->what = step::kind::refuse;
  next->verdict = std::move(why);
  reply_.deliver(step_ptr{std::move(next)});
}

void executor_state::fail(const caf::error& reason) { reply_.deliver(reason); }

inspection executor_state::inspect() const {
  return {nlohmann::json{{"actor", "executor"},
                         {"model", profile_->model},
                         {"surface", protocol::to_string(profile_->surface)},
                         {"since", format_rfc3339(born_)},
                         {"round", round_},
                         {"attempts", attempts_},
                         {"waiting", waiting_},
                         {"credential", open_ ? open_->who->id.value : ""}}
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          {}};
}

executor_actor::behavior_type executor(executor_state::pointer self, environment_ptr env,
                                       pool_actor pool, profile_ptr profile) {
  self->state.start(self, std::move(env), std::move(pool), std::move(profile));
  return {
      [=](next_atom) { return self->state.first(); },
      [=](failed_atom, const settlement_ptr& end) { return self->state.after_failure(end); },
      [=](finish_atom, const settlement_ptr& end) { self->state.finish(end); },
      [=](cancel_atom) { self->state.cancel(); },
      [=](tick_atom) { self->state.resume_round(); },
      [=](inspect_atom) { return self->state.inspect(); },
  };
}

}  // namespace tidegate::actors
