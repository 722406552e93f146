#include "quota/rotation.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidegate::quota {
namespace {

bool contains(std::span<const credential_id> ids, const credential_id& id) {
  return std::ranges::find(ids, id) != ids.end();
}

}  // namespace

bool rotation::by_credit::operator()(const member* a, const member* b) const {
  return a->credit != b->credit ? a->credit > b->credit : a->info.id < b->info.id;
}

bool rotation::by_expiry::operator()(const member* a, const member* b) const {
  return std::tie(*a->until, a->info.id) < std::tie(*b->until, b->info.id);
}

rotation::rotation(strategy how) : how_{how} {}

void rotation::put(const member_info& info) {
  member_info wanted = info;
  wanted.weight = std::max<std::int64_t>(wanted.weight, 0);
  const auto [at, is_new] = members_.try_emplace(wanted.id);
  member& m = at->second;
  if (is_new) {
    m.info = std::move(wanted);
    m.ready = true;
    attach(m);
    return;
  }
  const bool reweighted = m.info.weight != wanted.weight;
  const bool moved = m.info.priority != wanted.priority;
  if (!reweighted && !moved) return;
  moved ? detach(m) : stand_down(m);  // a tier that keeps its only member keeps its cursor
  m.info = std::move(wanted);
  moved ? attach(m) : stand(m);
  if (reweighted) reset_credits();
}

void rotation::remove(const credential_id& id) {
  const auto at = members_.find(id);
  if (at == members_.end()) return;
  detach(at->second);
  members_.erase(at);
}

void rotation::set_ready(const credential_id& id) {
  const auto at = members_.find(id);
  if (at != members_.end() && !at->second.ready) make_ready(at->second);
}

void rotation::set_blocked(const credential_id& id, std::optional<instant> until) {
  const auto at = members_.find(id);
  if (at == members_.end()) return;
  member& m = at->second;
  stand_down(m);
  m.ready = false;
  m.until = until;
  stand(m);
}

std::optional<credential_id> rotation::pick(instant now, std::span<const credential_id> tried) {
  while (!waiting_.empty() && *(*waiting_.begin())->until <= now) make_ready(**waiting_.begin());
  for (const int priority : ready_priorities_) {
    tier& in = tiers_.at(priority);
    const member* chosen = is_weighted() ? pick_weighted(in, tried) : next_in_order(in, tried);
    if (!chosen) continue;
    if (how_ == strategy::round_robin) in.cursor = chosen->info.id;
    return chosen->info.id;
  }
  return std::nullopt;
}

bool rotation::is_ready(const credential_id& id, instant now) const {
  const auto at = members_.find(id);
  if (at == members_.end() || !can_be_picked(at->second)) return false;
  return at->second.ready || (at->second.until && *at->second.until <= now);
}

bool rotation::pick_exactly(const credential_id& id, instant now) { return is_ready(id, now); }

std::size_t rotation::size() const { return members_.size(); }

std::optional<instant> rotation::next_ready_at() const {
  return waiting_.empty() ? std::nullopt : (*waiting_.begin())->until;
}

const member_info* rotation::find(const credential_id& id) const {
  const auto at = members_.find(id);
  return at == members_.end() ? nullptr : &at->second.info;
}

void rotation::attach(member& m) {
  ++tiers_[m.info.priority].members;
  stand(m);
}

void rotation::detach(member& m) {
  stand_down(m);
  const auto at = tiers_.find(m.info.priority);
  if (--at->second.members == 0) tiers_.erase(at);
}

void rotation::make_ready(member& m) {
  stand_down(m);
  m.ready = true;
  m.until.reset();
  stand(m);
}

void rotation::stand(member& m) {
  if (!can_be_picked(m)) return;
  if (m.ready) {
    enter(tiers_.at(m.info.priority), m);
    ready_priorities_.insert(m.info.priority);
  } else if (m.until) {
    waiting_.insert(&m);
  }
}

void rotation::stand_down(member& m) {
  if (!can_be_picked(m)) return;
  if (m.ready) {
    tier& in = tiers_.at(m.info.priority);
    leave(in, m);
    if (in.ready.empty() && in.weighted.empty()) ready_priorities_.erase(m.info.priority);
  } else if (m.until) {
    waiting_.erase(&m);
  }
}

void rotation::enter(tier& in, member& m) {
  if (!is_weighted()) {
    in.ready.insert(&m);
    return;
  }
  weight_group& group = in.weighted[m.info.weight];
  m.credit -= group.gain;
  group.ready.insert(&m);
  in.weight_sum += m.info.weight;
}

void rotation::leave(tier& in, member& m) {
  if (!is_weighted()) {
    in.ready.erase(&m);
    return;
  }
  const auto group = in.weighted.find(m.info.weight);
  group->second.ready.erase(&m);
  m.credit += group->second.gain;
  in.weight_sum -= m.info.weight;
  if (group->second.ready.empty()) in.weighted.erase(group);
}

void rotation::reset_credits() {
  for (auto& [id, m] : members_) {
    stand_down(m);
    m.credit = 0;
  }
  for (auto& [id, m] : members_) stand(m);
}

const rotation::member* rotation::next_in_order(const tier& in,
                                                std::span<const credential_id> tried) const {
  const bool resumes = how_ == strategy::round_robin && in.cursor;
  auto at = resumes ? in.ready.upper_bound(*in.cursor) : in.ready.begin();
  for (std::size_t seen = 0; seen < in.ready.size(); ++seen, ++at) {
    if (at == in.ready.end()) at = in.ready.begin();
    if (!contains(tried, (*at)->info.id)) return *at;
  }
  return nullptr;
}

const rotation::member* rotation::pick_weighted(tier& in, std::span<const credential_id> tried) {
  std::vector<member*> aside;
  for (const credential_id& id : tried) {
    const auto at = members_.find(id);
    if (at == members_.end() || std::ranges::find(aside, &at->second) != aside.end()) continue;
    member& m = at->second;
    if (!m.ready || !can_be_picked(m) || &tiers_.at(m.info.priority) != &in) continue;
    leave(in, m);
    aside.push_back(&m);
  }
  member* const chosen = take_richest(in);
  for (member* m : aside) enter(in, *m);
  return chosen;
}

rotation::member* rotation::take_richest(tier& in) {
  member* best = nullptr;
  std::int64_t best_credit = 0;
  for (auto& [weight, group] : in.weighted) {
    group.gain += weight;
    member* const top = *group.ready.begin();
    const std::int64_t credit = top->credit + group.gain;
    if (!best || credit > best_credit || (credit == best_credit && top->info.id < best->info.id)) {
      best = top;
      best_credit = credit;
    }
  }
  if (!best) return nullptr;
  auto& ready = in.weighted.at(best->info.weight).ready;
  ready.erase(best);
  best->credit -= in.weight_sum;
  ready.insert(best);
  return best;
}

}  // namespace tidegate::quota
