#include "actors/renewal_schedule.hpp"

#include <algorithm>

namespace tidegate::actors {

std::string_view to_string(renewal_state of) {
  switch (of) {
    case renewal_state::none:
      return "none";
    case renewal_state::waiting:
      return "waiting";
    case renewal_state::running:
      return "running";
    case renewal_state::failed:
      return "failed";
    case renewal_state::rejected:
      return "rejected";
  }
  return "none";
}

bool token_usable(const provider::credential& who, instant now) {
  if (!provider::renewable(who)) return true;
  if (who.secret.empty()) return false;
  if (!who.expires_at) return true;
  duration margin = expiry_margin;
  if (who.refreshed_at) margin = std::min(margin, (*who.expires_at - *who.refreshed_at) / 5);
  return *who.expires_at - margin > now;
}

void renewal_schedule::adopt(const provider::credential& who, instant now, double random) {
  renewable_ = provider::renewable(who);
  rejected_ = false;
  failed_in_row_ = 0;
  reason_.clear();
  plan(who, now, random);
}

void renewal_schedule::plan(const provider::credential& who, instant now, double random) {
  next_ = renewable_ ? provider::renewal_due(who) : std::nullopt;
  if (!next_ || !who.expires_at || *next_ <= now) return;
  const auto lead = *who.expires_at - *next_;
  *next_ -= std::chrono::duration_cast<duration>(lead * (renewal_spread * random));
}

void renewal_schedule::succeeded(const provider::credential& renewed, instant now, double random) {
  running_ = false;
  adopt(renewed, now, random);
  last_success_ = now;
  ++successes_;
  if (next_) next_ = std::max(*next_, now + renewal_pause_idle);
}

void renewal_schedule::failed(const provider::refresh_failure& why, instant now) {
  running_ = false;
  ++failures_;
  reason_ = why.reason;
  if (why.kind == provider::refresh_fault::rejected) {
    rejected_ = true;
    next_.reset();
    return;
  }
  const int doublings = std::min(failed_in_row_++, 10);
  duration pause = std::min<duration>(renewal_pause * (1 << doublings), renewal_pause_max);
  if (why.retry_after)
    pause = std::clamp<duration>(*why.retry_after, renewal_pause_idle, renewal_pause_max);
  next_ = now + pause;
}

renewal_state renewal_schedule::state() const {
  if (!renewable_) return renewal_state::none;
  if (running_) return renewal_state::running;
  if (rejected_) return renewal_state::rejected;
  return failed_in_row_ > 0 ? renewal_state::failed : renewal_state::waiting;
}

bool renewal_schedule::may_try(instant now) const {
  if (!renewable_ || rejected_) return false;
  return running_ || failed_in_row_ == 0 || !next_ || *next_ <= now;
}

}  // namespace tidegate::actors
