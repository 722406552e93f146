/// The credential actor's part that keeps its token fresh.

#include <algorithm>
#include <caf/all.hpp>

#include "actors/credential.hpp"
#include "base/log.hpp"

namespace tidegate::actors {
namespace {

using provider::copy_tokens;
using provider::same_tokens;

bool same_account(const provider::credential& a, const provider::credential& b) {
  return a.account_id == b.account_id && a.label == b.label;
}

}  // namespace

bool credential_state::lacks_token(instant now) const {
  return !token_usable(*record_, now) && !tokens_.may_try(now);
}

quota::block_state credential_state::state_without_token() const {
  quota::block_state state;
  state.blocked = true;
  state.needs_login = tokens_.state() == renewal_state::rejected;
  state.round_eligible = !state.needs_login;
  state.reopens = tokens_.next();
  state.cause = "token not renewed: " + tokens_.reason();
  return state;
}

bool credential_state::superseded(const open_lease& of) const {
  return of.who != record_ && !(of.who->secret == record_->secret);
}

caf::result<grant> credential_state::grant_or_renew(const grant_request& wanted) {
  auto holder = caf::actor_cast<caf::weak_actor_ptr>(self_->current_sender());
  const auto now = env_->clock->now();
  const bool wants = !token_usable(*record_, now) && tokens_.may_try(now) && !off() &&
                     !state_over(*wanted.backends, now).blocked;
  if (!wants || waiting_.size() >= waiting_for_token_max) {
    return decide_grant(wanted, std::move(holder));
  }
  auto promise = self_->make_response_promise<grant>();
  waiting_.push_back({wanted, std::move(holder), promise});
  renew();
  return promise;
}

caf::result<bool> credential_state::token_refused(const settlement_ptr& end) {
  const auto open = open_leases_.find(end->id.value);
  if (open == open_leases_.end()) return false;
  if (superseded(open->second)) {
    settle(*end);
    return true;
  }
  if (!tokens_.may_try(env_->clock->now())) {
    settle(*end);
    return false;
  }
  auto promise = self_->make_response_promise<bool>();
  refused_.push_back({end, promise});
  renew();
  return promise;
}

caf::result<credential_view_ptr> credential_state::renew_on_request() {
  if (tokens_.state() == renewal_state::none) return view();
  auto promise = self_->make_response_promise<credential_view_ptr>();
  asked_.push_back(promise);
  renew();
  return promise;
}

void credential_state::renew() {
  if (tokens_.running()) return;
  tokens_.began();
  self_->request(with_.gateway, caf::infinite, renew_atom_v, renewal_request{record_, config_})
      .then([this](const renewal& end) { on_renewal(end); },
            [this](const caf::error&) {
              on_renewal(
                  {nullptr, {provider::refresh_fault::unavailable, "the gateway is stopping", {}}});
            });
}

void credential_state::on_renewal(const renewal& end) {
  if (end.renewed) {
    take_over(*end.renewed);
  } else {
    tokens_.failed(end.why, env_->clock->now());
    log::warn("{}: its token was not renewed: {}", record_->id.value, end.why.reason);
    if (!token_usable(*record_, env_->clock->now())) rest_without_token(end.why);
  }
  answer_waiting(end.renewed != nullptr);
  arm();
}

void credential_state::take_over(const provider::credential& renewed) {
  auto next = std::make_shared<provider::credential>(*record_);
  copy_tokens(renewed, *next);
  // A service account's file never changes by a renewal.
  const bool keep = before_renewal_ && record_->signer;
  auto before = std::exchange(record_, std::move(next));
  if (!keep) before_renewal_ = std::move(before);
  unconfirmed_ = has_token_file();
  tokens_.succeeded(*record_, env_->clock->now(), env_->random());
  log::info("{}: token renewed", record_->id.value);
  blocks_.clear_login();
  changed();
}

void credential_state::rest_without_token(const provider::refresh_failure& why) {
  last_error_ = "token not renewed: " + why.reason;
  last_error_at_ = env_->clock->now();
  changed();
}

void credential_state::answer_waiting(bool renewed) {
  for (auto& one : std::exchange(refused_, {})) {
    settle(*one.end);
    one.promise.deliver(renewed);
  }
  const auto now = env_->clock->now();
  const bool ended_again = renewed && !token_usable(*record_, now);
  bool in_vain = false;
  for (auto& one : std::exchange(waiting_, {})) {
    if (!caf::actor_cast<caf::strong_actor_ptr>(one.holder)) continue;
    if (ended_again && ++one.renewals < renewals_per_grant_max) {
      waiting_.push_back(std::move(one));
    } else {
      in_vain |= ended_again;
      one.promise.deliver(decide_grant(one.wanted, one.holder));
    }
  }
  if (in_vain) {
    tokens_.failed({provider::refresh_fault::unavailable, "its new token ended at once", {}}, now);
  }
  if (!waiting_.empty()) renew();
  for (auto& promise : std::exchange(asked_, {})) promise.deliver(view());
}

void credential_state::end() {
  grant refusal;
  refusal.refused_by = record_->id;
  for (auto& one : std::exchange(waiting_, {})) one.promise.deliver(refusal);
  for (auto& one : std::exchange(refused_, {})) one.promise.deliver(false);
  for (auto& promise : std::exchange(asked_, {})) promise.deliver(view());
}

provider::credential_ptr credential_state::with_own_tokens(
    provider::credential_ptr incoming) const {
  const bool echo = before_renewal_ && same_tokens(*incoming, *before_renewal_);
  if (!echo || same_tokens(*incoming, *record_)) return incoming;
  auto copy = std::make_shared<provider::credential>(*incoming);
  copy_tokens(*record_, *copy);
  return copy;
}

void credential_state::adopt_tokens(const provider::credential& before) {
  const bool enabled = before.disabled && !record_->disabled;
  if (!same_tokens(*record_, before)) {
    same_account(*record_, before) && record_->auth == provider::auth_kind::account
        ? blocks_.clear_login()
        : blocks_.clear();
    before_renewal_.reset();
    unconfirmed_ = has_token_file();
  } else if (!enabled && record_->refresh_interval == before.refresh_interval) {
    return;
  }
  tokens_.adopt(*record_, env_->clock->now(), env_->random());
  arm();
}

void credential_state::tell_of_file(const provider::credential_ptr& found) {
  if (!has_token_file()) return;
  self_->send(with_.gateway, write_atom_v, renewal_request{found, config_});
}

bool credential_state::has_token_file() const {
  return record_->auth == provider::auth_kind::account && !record_->file.empty() && !record_->signer;
}

/// What lies beside a file that is gone goes as well.
void credential_state::retire() {
  retired_ = true;
  unconfirmed_ = has_token_file();
  confirm();
}

void credential_state::confirm() {
  if (!std::exchange(unconfirmed_, false) || !with_.persistence) return;
  caf::anon_send(with_.persistence, confirm_atom_v, config_->credentials.auth_dir, record_->file);
}

void credential_state::arm() {
  if (retired_ || record_->disabled || !tokens_.next()) return;
  const auto now = env_->clock->now();
  const auto at =
      std::clamp<instant>(*tokens_.next(), now + std::chrono::seconds{1}, now + renewal_look);
  if (armed_for_ && *armed_for_ <= at) return;
  armed_for_ = at;
  self_->delayed_send(self_, at - now, tick_atom_v);
}

void credential_state::on_tick() {
  const auto now = env_->clock->now();
  if (armed_for_ && *armed_for_ <= now) armed_for_.reset();
  if (retired_ || record_->disabled) return;
  if (tokens_.due(now)) renew();
  arm();
}

}  // namespace tidegate::actors
