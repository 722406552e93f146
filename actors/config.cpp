#include "actors/config.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/log.hpp"
#include "base/time_text.hpp"
#include "config/diff.hpp"

namespace tidegate::actors {
namespace {

std::string join(const std::vector<std::string>& lines) {
  std::string all;
  for (const auto& line : lines) all += "\n  " + line;
  return all;
}

/// Whether two records of one credential differ in nothing but their tokens.
bool only_tokens_differ(const provider::credential& before, const provider::credential& after) {
  auto same = before;
  provider::copy_tokens(after, same);
  return same == after;
}

struct credential_changes {
  std::size_t added = 0;
  std::size_t updated = 0;
  std::size_t removed = 0;
  std::size_t renewed = 0;  ///< nothing but their tokens

  bool any() const { return added + updated + removed > 0; }
  std::string line() const {
    return fmt::format("credentials: {} added, {} updated, {} removed", added, updated, removed);
  }
};

credential_changes compare(const std::vector<provider::credential_ptr>& before,
                           const std::vector<provider::credential_ptr>& after) {
  std::unordered_map<std::string_view, const provider::credential*> old;
  for (const auto& record : before) old[record->id.value] = record.get();
  credential_changes seen;
  for (const auto& record : after) {
    const auto known = old.extract(record->id.value);
    if (known.empty()) {
      ++seen.added;
    } else if (known.mapped() != record.get() && !(*known.mapped() == *record)) {
      ++(only_tokens_differ(*known.mapped(), *record) ? seen.renewed : seen.updated);
    }
  }
  seen.removed = old.size();
  return seen;
}

/// Says once what a file suffers from.
void warn_of_new(const std::vector<http::unusable_file>& before,
                 const std::vector<http::unusable_file>& now) {
  for (const auto& file : now) {
    if (std::ranges::find(before, file) != before.end()) continue;
    log::warn("{}: {}{}", file.path, file.reason,
              file.earlier_holds ? "; what it said before stays in force" : "");
  }
}

/// The same for what is dangerous about one.
void warn_of_new(const std::shared_ptr<const http::file_looks>& before,
                 const std::shared_ptr<const http::file_looks>& now) {
  if (!now) return;
  for (const auto& [name, file] : *now) {
    if (file.warning.empty()) continue;
    const auto known = before ? before->find(name) : http::file_looks::const_iterator{};
    if (before && known != before->end() && known->second.warning == file.warning) continue;
    log::warn("{}{}{}", name, name.empty() ? "" : ": ", file.warning);
  }
}

}  // namespace

void config_state::start(pointer self, environment_ptr env, config_source source,
                         applied_config first, gateway_actor gateway) {
  self_ = self;
  env_ = std::move(env);
  source_ = std::move(source);
  gateway_ = std::move(gateway);
  at_start_ = first.config;
  current_ = std::move(first);
  auto report = std::make_shared<reload_view>();
  report->at = env_->clock->now();
  report->unusable_files = current_.unusable_files;
  report->files = current_.files;
  report_ = std::move(report);
}

void config_state::touched() {
  const auto now = self_->clock().now();
  last_touch_ = now;
  if (std::exchange(armed_, true)) return;
  first_touch_ = now;
  self_->delayed_send(self_, reload_debounce, tick_atom_v);
}

void config_state::on_tick() {
  if (!armed_) return;
  const auto now = self_->clock().now();
  const auto quiet_at = std::min(last_touch_ + reload_debounce, first_touch_ + reload_wait_max);
  if (now < quiet_at) {
    self_->delayed_send(self_, quiet_at - now, tick_atom_v);
    return;
  }
  armed_ = false;
  if (source_.changed(true)) apply(source_.read(), {});
}

void config_state::on_poll() {
  const bool thorough = ++polls_ % thorough_poll_every == 0;
  if (!armed_ && source_.changed(thorough)) touched();
}

config_state::report_result config_state::reload() {
  auto promise = self_->make_response_promise<reload_view_ptr>();
  armed_ = false;
  apply(source_.read(), promise);
  return promise;
}

void config_state::apply(config_candidate candidate,
                         caf::typed_response_promise<reload_view_ptr> reply) {
  auto report = std::make_shared<reload_view>();
  report->at = env_->clock->now();
  report->problems = std::move(candidate.problems);
  if (!candidate.snapshot) {
    report->ok = false;
    report->unusable_files = report_->unusable_files;
    report->files = report_->files;
    log::error("configuration not reloaded, the old one stays in force:{}", join(report->problems));
    remember(report);
    if (reply.pending()) reply.deliver(report_);
    return;
  }
  const auto summary = config::summarize_changes(*current_.config, *candidate.snapshot);
  report->changes = summary.lines;
  const auto credentials = compare(*current_.credentials, *candidate.credentials);
  if (credentials.any()) report->changes.push_back(credentials.line());
  report->unusable_files = std::move(candidate.unusable_files);
  warn_of_new(report_->unusable_files, report->unusable_files);
  report->files = std::move(candidate.files);
  warn_of_new(report_->files, report->files);
  report->restart_required =
      config::summarize_changes(*at_start_, *candidate.snapshot).restart_keys;
  report->changed = !report->changes.empty();
  if (!report->changed && credentials.renewed == 0) {
    remember(report);
    if (reply.pending()) reply.deliver(report_);
    return;
  }
  if (!summary.lines.empty()) {
    auto next = std::make_shared<config::snapshot>(*candidate.snapshot);
    next->generation = current_.config->generation + 1;
    current_.config = std::move(next);
  }
  current_.credentials = candidate.credentials;
  current_.unusable_files = report->unusable_files;
  current_.files = report->files;
  // Await: the next change must not overtake this one.
  self_->request(gateway_, caf::infinite, apply_atom_v, current_)
      .await(
          [this, report, reply](bool) mutable {
            if (report->changed) log::info("configuration reloaded:{}", join(report->changes));
            remember(report);
            if (reply.pending()) reply.deliver(report_);
          },
          [this, report, reply](const caf::error&) mutable {
            report->ok = false;
            report->problems.push_back("the gateway did not take the configuration");
            remember(report);
            if (reply.pending()) reply.deliver(report_);
          });
}

void config_state::remember(std::shared_ptr<reload_view> report) {
  ++reloads_;
  if (!report->restart_required.empty()) {
    log::warn("restart required for:{}", join(report->restart_required));
  }
  log::set_level(current_.config->log.debug ? log::level::debug : log::level::info);
  report_ = std::move(report);
}

inspection config_state::inspect() const {
  return {nlohmann::json{{"actor", "config"},
                         {"mailbox", self_->mailbox().size()},
                         {"generation", current_.config->generation},
                         {"reloads", reloads_},
                         {"last_ok", report_->ok},
                         {"last_at", format_rfc3339(report_->at)}}
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          {}};
}

config_actor::behavior_type config(config_state::pointer self, environment_ptr env,
                                   config_source source, applied_config first,
                                   gateway_actor gateway) {
  self->state.start(self, std::move(env), std::move(source), std::move(first),
                    std::move(gateway));
  return {
      [=](reload_atom) { return self->state.reload(); },
      [=](current_atom) { return self->state.current(); },
      [=](touched_atom) { self->state.touched(); },
      [=](tick_atom) { self->state.on_tick(); },
      [=](poll_atom) { self->state.on_poll(); },
      [=](inspect_atom) { return self->state.inspect(); },
  };
}

}  // namespace tidegate::actors
