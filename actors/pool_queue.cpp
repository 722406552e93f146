/// The pool's part that lets requests wait for room, first come first served.

#include <algorithm>
#include <caf/all.hpp>

#include "actors/pool.hpp"

namespace tidegate::actors {

bool pool_state::somebody_is_full(const acquire_request& wanted) const {
  const auto out = kept_out(wanted);
  return std::ranges::any_of(members_, [&](const auto& item) {
    const auto& [id, who] = item;
    return who.full && !who.blocked && eligible(who, *wanted.profile) &&
           std::ranges::find(out, id) == out.end();
  });
}

caf::result<grant> pool_state::wait_for_room(const acquire_request& wanted) {
  const auto patience = wanted.profile->config->routing.concurrency_wait;
  grant full;
  full.full = true;
  if (patience.count() <= 0 || queue_.size() >= waiting_for_room_max) return full;
  // Before the promise, which takes the sender over.
  auto asker = caf::actor_cast<caf::weak_actor_ptr>(self_->current_sender());
  auto promise = self_->make_response_promise<grant>();
  queue_.push_back({wanted, std::move(asker), env_->clock->now() + patience, promise});
  arm_room_timeout();
  serve_queue();
  return promise;
}

void pool_state::arm_room_timeout() {
  if (queue_.empty() || std::exchange(room_timeout_armed_, true)) return;
  const auto wait = queue_.front().until - env_->clock->now();
  self_->delayed_send(self_, std::max<duration>(wait, std::chrono::milliseconds{1}), tick_atom_v);
}

void pool_state::on_room_timeout() {
  room_timeout_armed_ = false;
  const auto now = env_->clock->now();
  while (!queue_.empty() && queue_.front().until <= now) {
    grant full;
    full.full = true;
    queue_.front().promise.deliver(full);
    queue_.pop_front();
  }
  arm_room_timeout();
}

void pool_state::leave_queue(const caf::strong_actor_ptr& who) {
  const auto left = std::ranges::find_if(queue_, [&](const queued& one) {
    return caf::actor_cast<caf::strong_actor_ptr>(one.asker) == who;
  });
  if (left == queue_.end()) return;
  left->promise.deliver(grant{});
  queue_.erase(left);
}

void pool_state::end() {
  for (auto& one : std::exchange(queue_, {})) one.promise.deliver(grant{});
  const auto nobody = std::make_shared<const std::vector<quota::candidate>>();
  for (auto& asker : std::exchange(asking_, {})) asker.promise.deliver(pool_account_ptr{nobody});
  for (auto& asker : std::exchange(waiting_, {})) asker.promise.deliver(pool_account_ptr{nobody});
}

void pool_state::serve_queue() {
  if (serving_) return;
  const auto now = env_->clock->now();
  for (auto at = queue_.begin(); at != queue_.end();) {
    const auto picked = choose(at->wanted, now);
    if (!picked && somebody_is_full(at->wanted)) {
      ++at;
      continue;
    }
    if (!picked) {
      // There is nobody left to wait for: it asks for a verdict.
      at->promise.deliver(grant{});
      at = queue_.erase(at);
      continue;
    }
    auto who = std::move(*at);
    queue_.erase(at);
    serving_ = true;
    const auto& chosen = members_.at(*picked);
    self_->request(chosen.actor, caf::infinite, grant_atom_v, ask_of(chosen, who.wanted))
        .then([this, who](const grant& answer) { on_queue_grant(who, answer); },
              [this, who](const caf::error&) { on_queue_grant(who, grant{}); });
    return;
  }
}

void pool_state::on_queue_grant(queued who, const grant& answer) {
  serving_ = false;
  if (!answer.given && answer.refused_by && answer.full) {
    mark_full(*answer.refused_by);
    queue_.push_front(std::move(who));
    arm_room_timeout();
  } else {
    who.promise.deliver(answer);
  }
  if (!queue_.empty()) serve_queue();
}

/// The credential's own word will follow.
void pool_state::mark_full(const credential_id& id) {
  const auto found = members_.find(id);
  if (found == members_.end()) return;
  found->second.full = true;
  for (auto& [mask, rotation] : rotations_) {
    if (found->second.provider_bit & mask) set_hint(rotation, found->second);
  }
}

}  // namespace tidegate::actors
