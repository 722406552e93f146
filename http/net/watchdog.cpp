#include "http/net/watchdog.hpp"

namespace tidegate::http {

using clock = std::chrono::steady_clock;

struct watchdog::state : std::enable_shared_from_this<watchdog::state> {
  explicit state(const asio::any_io_executor& on) : timer(on) {}

  void arm(clock::time_point at) {
    armed_for = at;
    armed = true;
    timer.expires_at(at);
    timer.async_wait([weak = weak_from_this()](const error_code& ec) {
      if (auto self = weak.lock(); self && !ec) self->fired();
    });
  }

  void fired() {
    armed = false;
    if (!late) return;
    if (deadline > clock::now()) return arm(deadline);
    expired = true;
    std::exchange(late, nullptr)();
  }

  asio::steady_timer timer;
  clock::time_point deadline{};
  clock::time_point armed_for{};
  std::function<void()> late;
  bool armed = false;
  bool expired = false;
};

watchdog::watchdog(const asio::any_io_executor& on) : state_(std::make_shared<state>(on)) {}

watchdog::~watchdog() {
  state_->late = nullptr;
  state_->timer.cancel();
}

void watchdog::expect(std::chrono::milliseconds within, std::function<void()> late) {
  state_->expired = false;
  state_->late = std::move(late);
  extend(within);
}

void watchdog::extend(std::chrono::milliseconds within) {
  state_->deadline = clock::now() + within;
  if (!state_->armed || state_->armed_for > state_->deadline) state_->arm(state_->deadline);
}

void watchdog::relax() { state_->late = nullptr; }

bool watchdog::expired() const { return state_->expired; }

}  // namespace tidegate::http
