#include "http/client/pool.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace tidegate::http::upstream {

using clock = std::chrono::steady_clock;
namespace intrusive = boost::intrusive;

struct origin {
  explicit origin(std::string_view named) : key(named) {}

  std::string key;
  std::size_t open = 0;  ///< leases and idle connections
  intrusive::list<connection, intrusive::member_hook<connection, intrusive::list_member_hook<>,
                                                     &connection::in_origin>>
      idle;  ///< the longest idle first; empty while anybody waits
  std::deque<std::shared_ptr<waiter>> queue;
};

bool is_quiet(connection& idle) {
  char byte = 0;
  const auto got = ::recv(idle.link.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

lease::lease(lease&& other) noexcept
    : from_(std::move(other.from_)),
      at_(std::exchange(other.at_, nullptr)),
      held_(std::move(other.held_)) {}

lease& lease::operator=(lease&& other) noexcept {
  if (this == &other) return *this;
  release();
  from_ = std::move(other.from_);
  at_ = std::exchange(other.at_, nullptr);
  held_ = std::move(other.held_);
  return *this;
}

void lease::put_back(const bounds& within) {
  const auto from = std::move(from_);
  from->put_back(*std::exchange(at_, nullptr), std::move(held_), within);
}

void lease::release() {
  if (!from_) return;
  held_.reset();
  const auto from = std::move(from_);
  from->release(*std::exchange(at_, nullptr));
}

pool::pool() = default;
pool::~pool() {
  stop();
}

result<ticket> pool::take(std::string_view key, const bounds& within, const strand& on) {
  const auto now = clock::now();
  closing stale;
  ticket out;
  for (;;) {
    std::unique_ptr<connection> found;
    {
      const std::lock_guard lock(guard_);
      if (stopped_) return failed(errc::unavailable, "the upstream client is stopped");
      trim(now - within.lifetime, stale);
      auto at = origins_.find(key);
      if (at == origins_.end()) {
        at = origins_.emplace(key, std::make_unique<origin>(key)).first;
      }
      origin& here = *at->second;
      if (out.ready) {  // the one tried before was stale: its place is now spare
        if (here.idle.empty()) return out;
        here.open -= 1;
        open_ -= 1;
        out.ready.from_.reset();
      }
      if (!here.idle.empty()) {
        found = pop_newest(here);
        reused_ += 1;
      } else if (here.open >= within.connections_max) {
        if (here.queue.size() >= waiters_per_origin_max) {
          return failed(errc::unavailable, "too many requests wait for a connection");
        }
        out.queued = std::make_shared<waiter>(on);
        here.queue.push_back(out.queued);
        return out;
      } else {
        here.open += 1;
        open_ += 1;
      }
      out.ready = lease(shared_from_this(), here, std::move(found));
    }
    if (!out.ready.get()) return out;
    if (is_quiet(*out.ready.get())) {
      out.reused = true;
      return out;
    }
    out.ready.drop_connection();
    const std::lock_guard lock(guard_);
    reused_ -= 1;
  }
}

bool pool::leave(std::string_view key, waiter& who) {
  const std::lock_guard lock(guard_);
  if (who.granted || who.refused) return false;
  const auto at = origins_.find(key);
  if (at == origins_.end()) return true;
  std::erase_if(at->second->queue, [&](const auto& queued) { return queued.get() == &who; });
  forget_if_unused(*at->second);
  return true;
}

void pool::put_back(origin& at, std::unique_ptr<connection> c, const bounds& within) {
  const auto now = clock::now();
  closing out;
  c->in.shrink();
  c->idle_since = now;
  const std::lock_guard lock(guard_);
  if (stopped_) {
    out.push_back(std::move(c));
    at.open -= 1;
    open_ -= 1;
    return forget_if_unused(at);
  }
  trim(now - within.lifetime, out);
  if (!at.queue.empty()) return hand_over(at, std::move(c));
  c->home = &at;
  at.idle.push_back(*c);
  idle_.push_back(*c.release());
  if (at.idle.size() > within.idle_max) drop(at.idle.front(), out);
  if (idle_.size() > idle_connections_max) drop(idle_.front(), out);
}

void pool::release(origin& at) {
  const std::lock_guard lock(guard_);
  if (!at.queue.empty()) return hand_over(at, nullptr);
  at.open -= 1;
  open_ -= 1;
  forget_if_unused(at);
}

std::unique_ptr<connection> pool::pop_newest(origin& at) {
  connection& c = at.idle.back();
  at.idle.pop_back();
  idle_.erase(idle_.iterator_to(c));
  c.home = nullptr;
  return std::unique_ptr<connection>(&c);
}

void pool::drop(connection& c, closing& out) {
  origin& at = *c.home;
  at.idle.erase(at.idle.iterator_to(c));
  idle_.erase(idle_.iterator_to(c));
  out.emplace_back(&c);
  at.open -= 1;
  open_ -= 1;
  forget_if_unused(at);
}

void pool::trim(clock::time_point idle_before, closing& out) {
  while (!idle_.empty() && idle_.front().idle_since <= idle_before) drop(idle_.front(), out);
}

void pool::hand_over(origin& at, std::unique_ptr<connection> c) {
  const auto next = std::move(at.queue.front());
  at.queue.pop_front();
  if (c) reused_ += 1;
  next->granted = lease(shared_from_this(), at, std::move(c));
  next->bell->wake_from_outside();
}

void pool::forget_if_unused(origin& at) {
  if (at.open == 0 && at.queue.empty()) origins_.erase(origins_.find(at.key));
}

void pool::count_dial() {
  const std::lock_guard lock(guard_);
  dialled_ += 1;
}

client_stats pool::stats() const {
  const std::lock_guard lock(guard_);
  return {open_, idle_.size(), dialled_, reused_};
}

void pool::stop() {
  closing out;
  const std::lock_guard lock(guard_);
  stopped_ = true;
  for (auto& [key, at] : origins_) {
    for (const auto& queued : at->queue) {
      queued->refused = true;
      queued->bell->wake_from_outside();
    }
    at->queue.clear();
  }
  while (!idle_.empty()) drop(idle_.front(), out);
}

}  // namespace tidegate::http::upstream
