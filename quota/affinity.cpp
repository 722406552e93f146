#include "quota/affinity.hpp"

namespace tidegate::quota {

affinity::affinity(std::chrono::seconds ttl) : ttl_{ttl} {}

std::optional<credential_id> affinity::find(std::string_view session, instant now) {
  const auto at = entries_.find(session);
  if (at == entries_.end()) return std::nullopt;
  const auto bound = at->second;
  if (bound->expires <= now) {
    drop(bound);
    return std::nullopt;
  }
  refresh(bound, now);
  return bound->to;
}

void affinity::bind(std::string_view session, const credential_id& to, instant now) {
  if (const auto at = entries_.find(session); at != entries_.end()) {
    at->second->to = to;
    refresh(at->second, now);
    return;
  }
  if (entries_.size() >= affinity_entries_max) drop(std::prev(order_.end()));
  order_.push_front({std::string{session}, to, now + ttl_});
  entries_.emplace(order_.front().session, order_.begin());
}

void affinity::unbind(std::string_view session, const credential_id& from) {
  const auto at = entries_.find(session);
  if (at != entries_.end() && at->second->to == from) drop(at->second);
}

void affinity::forget(const credential_id& gone) {
  for (auto at = order_.begin(); at != order_.end();) {
    const auto bound = at++;
    if (bound->to == gone) drop(bound);
  }
}

void affinity::refresh(std::list<entry>::iterator bound, instant now) {
  bound->expires = now + ttl_;
  order_.splice(order_.begin(), order_, bound);
}

void affinity::drop(std::list<entry>::iterator bound) {
  entries_.erase(bound->session);
  order_.erase(bound);
}

}  // namespace tidegate::quota
