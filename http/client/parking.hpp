#pragma once
/// Where one coroutine waits for another part, and how its owner ends the wait.

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "http/net/asio.hpp"

namespace tidegate::http::upstream {

/// A one-shot event for one coroutine of one strand.
class parking : public std::enable_shared_from_this<parking> {
 public:
  explicit parking(const strand& on) : on_(on), timer_(on, asio::steady_timer::time_point::max()) {}

  /// On the strand; returns at once when the event has already happened.
  awaitable<void> wait() {
    if (!woken_) co_await timer_.async_wait(no_throw);
  }
  /// On the strand.
  void wake() {
    woken_ = true;
    timer_.cancel();
  }
  /// From any thread.
  void wake_from_outside() {
    asio::post(on_, [self = shared_from_this()] { self->wake(); });
  }

 private:
  strand on_;
  asio::steady_timer timer_;
  bool woken_ = false;
};

/// What can be ended while one attempt runs. Used on the attempt's strand only.
struct interruption {
  std::optional<errc> why;          ///< set once: cancelled or timed_out
  std::shared_ptr<parking> parked;  ///< where the coroutine waits, if it does

  awaitable<void> park(std::shared_ptr<parking> at) {
    if (why) co_return;
    parked = at;
    co_await at->wait();
    parked = nullptr;
  }
};

}  // namespace tidegate::http::upstream
