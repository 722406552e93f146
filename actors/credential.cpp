#include "actors/credential.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/time_text.hpp"

namespace tidegate::actors {
namespace {

std::atomic<std::uint64_t> last_lease{0};

bool is_client_side(quota::outcome_class kind) {
  return kind == quota::outcome_class::request_fault || kind == quota::outcome_class::cancelled;
}

}  // namespace

void credential_state::start(pointer self, environment_ptr env, credential_start from,
                             applied_config config, credential_services with) {
  self_ = self;
  env_ = std::move(env);
  record_ = std::move(from.record);
  config_ = std::move(config.config);
  with_ = std::move(with);
  born_ = env_->clock->now();
  if (!rules().disabled && !record_->disabled) blocks_.restore(std::move(from.restored), born_);
  count_under_way();
  unconfirmed_ = has_token_file();
  tokens_.adopt(*record_, born_, env_->random());
  tell_of_file(record_);
  arm();
}

quota::cooldown_rules credential_state::rules() const {
  const auto& cooldown = config_->routing.cooldown;
  quota::cooldown_rules rules;
  rules.disabled = record_->disable_cooling.value_or(cooldown.disable_cooling);
  rules.transient_seconds = cooldown.transient_error_cooldown_seconds;
  rules.mode = cooldown.mode;
  rules.model_level =
      (record_->provider == provider::kind::codex && cooldown.codex_model_level) ||
      (record_->provider == provider::kind::claude && cooldown.claude_model_level);
  return rules;
}

quota::block_state credential_state::state_of(const std::string& backend, instant now) const {
  auto state = blocks_.state(quota::canonical_model(backend), now);
  if (!state.blocked && lacks_token(now)) return state_without_token();
  return state;
}

quota::block_state credential_state::state_over(const std::vector<std::string>& backends,
                                                instant now) const {
  if (backends.size() == 1) return state_of(backends.front(), now);
  std::vector<quota::block_state> states;
  states.reserve(backends.size());
  for (const auto& backend : backends) states.push_back(state_of(backend, now));
  return quota::combine_backends(states);
}

bool credential_state::probe_due(const std::string& backend, instant now) const {
  const auto interval = config_->routing.cooldown.quota_retry_interval;
  if (interval.count() <= 0 || probe_ || probed_at_ + interval > now) return false;
  return blocks_.probe_due(quota::canonical_model(backend), interval, now);
}

const std::string* credential_state::next_backend(const grant_request& wanted, instant now) {
  const auto& backends = *wanted.backends;
  const auto may_take = [&](const std::string& backend) {
    if (std::ranges::find(wanted.tried, backend) != wanted.tried.end()) return false;
    if (!has_room(backend)) return false;
    return !state_of(backend, now).blocked || (wanted.probe && probe_due(backend, now));
  };
  if (backends.size() == 1) return may_take(backends.front()) ? &backends.front() : nullptr;
  auto& turn = alias_turn_[wanted.model];
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const auto& backend = backends[(turn + i) % backends.size()];
    if (!may_take(backend)) continue;
    ++turn;
    return &backend;
  }
  return nullptr;
}

bool credential_state::off() const {
  return record_->disabled || record_->status_disabled || open_leases_.size() >= open_leases_max;
}

grant credential_state::decide_grant(const grant_request& wanted, caf::weak_actor_ptr holder) {
  const auto now = env_->clock->now();
  const bool usable = !off() && token_usable(*record_, now);
  const auto* backend = usable ? next_backend(wanted, now) : nullptr;
  grant answer;
  if (!backend) {
    answer.refused_by = record_->id;
    answer.full = usable && full_over(*wanted.backends);
    return answer;
  }
  auto given = std::make_shared<lease>();
  given->id = lease_id{++last_lease};
  given->owner = caf::actor_cast<caf::actor>(self_);
  given->who = record_;
  given->upstream_model = *backend;
  given->backends = wanted.backends->size();
  given->force_mapping = wanted.force_mapping;
  const bool probe = wanted.probe && state_of(*backend, now).blocked;
  if (probe) {
    probe_ = given->id;
    probed_at_ = now;
    log::info("{} is used up for {}: testing it with one request", record_->id.value, *backend);
  }
  open_leases_.emplace(given->id.value, open_lease{*backend, std::move(holder), record_, probe});
  if (limited_) ++under_way_[*backend];
  answer.given = std::move(given);
  room_changed();
  return answer;
}

void credential_state::count_under_way() {
  limited_ = record_->max_concurrency > 0 ||
             std::ranges::any_of(record_->models, [](const auto& one) { return one.max_concurrency > 0; });
  under_way_.clear();
  if (!limited_) return;
  for (const auto& [id, open] : open_leases_) ++under_way_[open.upstream_model];
}

bool credential_state::has_room(const std::string& backend) const {
  if (!limited_) return true;
  const auto most = record_->max_concurrency;
  if (most > 0 && open_leases_.size() >= static_cast<std::size_t>(most)) return false;
  for (const auto& entry : record_->models) {
    if (entry.name != backend || entry.max_concurrency == 0) continue;
    const auto now = under_way_.find(backend);
    return now == under_way_.end() || now->second < entry.max_concurrency;
  }
  return true;
}

bool credential_state::full_over(const std::vector<std::string>& backends) const {
  return std::ranges::none_of(backends, [this](const auto& one) { return has_room(one); });
}

void credential_state::room_changed() {
  if (!limited_) return;
  const auto now = env_->clock->now();
  std::erase_if(subscriptions_, [&](subscription& to) {
    const bool full = full_over(*to.backends);
    return (!to.pushed || to.pushed->full != full) && !push(to, now);
  });
}

void credential_state::settle(const settlement& end) {
  const auto open = open_leases_.find(end.id.value);
  if (open == open_leases_.end()) return;
  const auto model = std::string{quota::canonical_model(open->second.upstream_model)};
  const bool served_probe =
      open->second.probe && end.outcome.kind == quota::outcome_class::success;
  const bool stale = superseded(open->second);
  if (open->second.probe) probe_.reset();
  if (const auto count = under_way_.find(open->second.upstream_model);
      count != under_way_.end() && --count->second <= 0) {
    under_way_.erase(count);
  }
  open_leases_.erase(open);
  room_changed();
  note(end);
  if (stale && (end.outcome.kind == quota::outcome_class::success ||
                end.outcome.kind == quota::outcome_class::unauthorized)) {
    return;
  }
  if (end.outcome.kind == quota::outcome_class::success) confirm();
  bool touched = blocks_.apply(end.outcome, model, rules());
  if (served_probe) touched |= blocks_.probe_served(model, end.outcome.started_at);
  if (end.windows) touched |= observe(*end.windows, end.outcome.kind);
  if (touched) changed();
}

void credential_state::note(const settlement& end) {
  const auto kind = end.outcome.kind;
  if (kind == quota::outcome_class::success) {
    ++served_;
    recent_.count(true, end.outcome.observed_at);
    return;
  }
  ++failed_[std::string{quota::to_string(kind)}];
  if (is_client_side(kind)) return;
  recent_.count(false, end.outcome.observed_at);
  last_error_ = end.outcome.cause;
  last_error_at_ = end.outcome.observed_at;
}

bool credential_state::observe(const quota::window_report& report, quota::outcome_class with) {
  auto& newest = windows_[report.source];
  if (newest.observed_at > report.observed_at) return false;
  newest = report;
  if (with != quota::outcome_class::success) return false;
  if (quota::states_room(report)) return blocks_.lift_quota(std::nullopt, report.observed_at);
  bool lifted = false;
  for (const auto& window : report.windows) {
    const bool has_room = window.used_percent && *window.used_percent < 100.0;
    if (has_room && window.length) {
      lifted |= blocks_.lift_quota(window.length, report.observed_at);
    }
  }
  return lifted;
}

void credential_state::changed() {
  const auto now = env_->clock->now();
  blocks_.prune(now);
  if (config_->routing.cooldown.save_cooldown_status && with_.persistence && !retired_) {
    auto save = std::make_shared<save_request>();
    save->root = config_->credentials.auth_dir;
    save->file = record_->file;
    save->record.id = record_->id;
    save->record.provider = std::string{provider::to_string(record_->provider)};
    save->record.blocks = blocks_.active(now);
    caf::anon_send(with_.persistence, save_atom_v, save_request_ptr{std::move(save)});
  }
  std::erase_if(subscriptions_, [&](subscription& to) { return !push(to, now); });
}

bool credential_state::push(subscription& to, instant now) {
  const auto pool = caf::actor_cast<member_feed>(to.pool);
  if (!pool) return false;
  const auto state = state_over(*to.backends, now);
  member_status news;
  news.id = record_->id;
  news.blocked = state.blocked || record_->status_disabled;
  if (!record_->status_disabled) news.until = state.reopens;
  news.full = !news.blocked && full_over(*to.backends);
  if (to.pushed == news) return true;
  to.pushed = news;
  caf::anon_send(pool, status_atom_v, std::move(news));
  return true;
}

void credential_state::subscribe(const grant_request& backends, const member_feed& pool) {
  const auto address = caf::actor_cast<caf::weak_actor_ptr>(pool);
  std::erase_if(subscriptions_, [&](const subscription& old) { return old.pool == address; });
  subscription fresh;
  fresh.backends = backends.backends;
  fresh.pool = address;
  subscriptions_.push_back(std::move(fresh));
  push(subscriptions_.back(), env_->clock->now());
}

quota::candidate credential_state::describe(const describe_request& asked) const {
  quota::candidate account;
  account.id = record_->id;
  account.provider = record_->provider_name;
  account.status_disabled = record_->status_disabled;
  account.selectable =
      record_->weight > 0 ||
      config_->routing.selection != quota::strategy::weighted_round_robin;
  account.full = full_over(*asked.backends);
  account.request_retry = record_->request_retry.value_or(config_->routing.retry.request_retry);
  for (const auto& backend : *asked.backends) {
    account.backends.push_back(state_of(backend, asked.now));
    account.probe_due = account.probe_due || probe_due(backend, asked.now);
  }
  account.last_error = last_error_;
  account.last_error_at = last_error_at_;
  if (account.last_error.empty()) recall_error(account, asked.now);
  return account;
}

void credential_state::recall_error(quota::candidate& account, instant now) const {
  for (const auto& block : blocks_.active(now)) {
    if (block.cause.empty() || block.updated_at < account.last_error_at) continue;
    account.last_error = block.cause;
    account.last_error_at = block.updated_at;
  }
}

void credential_state::clear(const std::string& model) {
  model.empty() ? blocks_.clear() : blocks_.clear(quota::canonical_model(model));
  log::info("cooldowns of {} cleared by the operator", record_->id.value);
  changed();
}

void credential_state::update(provider::credential_ptr record, const applied_config& config) {
  config_ = config.config;
  tell_of_file(record);
  const auto before = std::exchange(record_, with_own_tokens(std::move(record)));
  const bool wiped = rules().disabled || record_->disabled;
  if (wiped) blocks_.clear();
  count_under_way();
  adopt_tokens(*before);
  changed();
}

credential_view_ptr credential_state::view() const {
  auto view = std::make_shared<credential_view>();
  view->record = record_;
  view->blocks = blocks_.active(env_->clock->now());
  for (const auto& [source, report] : windows_) view->windows.push_back(report);
  view->in_flight = open_leases_.size();
  view->served = served_;
  view->failed.assign(failed_.begin(), failed_.end());
  view->last_error = last_error_;
  if (!last_error_.empty()) view->last_error_at = last_error_at_;
  view->recent = recent_.view(env_->clock->now());
  view->token.state = std::string{to_string(tokens_.state())};
  view->token.next = tokens_.next();
  view->token.last_success = tokens_.last_success();
  view->token.reason = tokens_.reason();
  view->token.successes = tokens_.successes();
  view->token.failures = tokens_.failures();
  return view;
}

inspection credential_state::inspect(std::size_t mailbox) const {
  std::uint64_t failures = 0;
  for (const auto& [kind, count] : failed_) failures += count;
  inspection answer;
  for (const auto& [id, open] : open_leases_) {
    if (answer.children.size() >= holders_shown_max) break;
    if (auto holder = caf::actor_cast<caf::actor>(open.holder)) {
      answer.children.push_back(std::move(holder));
    }
  }
  answer.json = nlohmann::json{{"actor", "credential"},
                         {"id", record_->id.value},
                         {"provider", record_->provider_name},
                         {"since", format_rfc3339(born_)},
                         {"mailbox", mailbox},
                         {"in_flight", open_leases_.size()},
                         {"served", served_},
                         {"failed", failures},
                         {"blocks", blocks_.active(env_->clock->now()).size()},
                         {"pools", subscriptions_.size()}}
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return answer;
}

credential_actor::behavior_type credential(credential_state::pointer self, environment_ptr env,
                                           credential_start from, applied_config config,
                                           credential_services with) {
  self->state.start(self, std::move(env), std::move(from), std::move(config), std::move(with));
  self->set_exit_handler([=](const caf::exit_msg& asked) {
    self->state.end();
    self->quit(asked.reason);
  });
  return {
      [=](grant_atom, const grant_request& wanted) { return self->state.grant_or_renew(wanted); },
      [=](settle_atom, const settlement_ptr& end) { self->state.settle(*end); },
      [=](describe_atom, const describe_request& asked, const member_feed& pool) {
        description answer;
        answer.epoch = asked.epoch;
        answer.account = self->state.describe(asked);
        self->send(pool, described_atom_v, std::move(answer));
      },
      [=](subscribe_atom, const grant_request& backends, const member_feed& pool) {
        self->state.subscribe(backends, pool);
      },
      [=](clear_atom, const std::string& model) {
        self->state.clear(model);
        return self->state.view();
      },
      [=](update_atom, const provider::credential_ptr& record, const applied_config& config_now) {
        self->state.update(record, config_now);
      },
      [=](renew_atom, const settlement_ptr& end) { return self->state.token_refused(end); },
      [=](renew_atom) { return self->state.renew_on_request(); },
      [=](tick_atom) { self->state.on_tick(); },
      [=](retire_atom) { self->state.retire(); },
      [=](view_atom) { return self->state.view(); },
      [=](inspect_atom) { return self->state.inspect(self->mailbox().size()); },
  };
}

}  // namespace tidegate::actors
