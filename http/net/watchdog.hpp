#pragma once
/// One timer per session for every bounded wait of it. Setting a later deadline only stores it;
/// the timer itself is re-armed when it fires early, so that a busy connection costs no timer work.
/// All calls happen on the session's strand.

#include <chrono>
#include <functional>
#include <memory>

#include "http/net/asio.hpp"

namespace tidegate::http {

class watchdog {
 public:
  explicit watchdog(const asio::any_io_executor& on);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  /// Calls `late` once unless relax() or another expect() comes within `within`. Replaces the
  /// previous expectation. `late` runs on the strand and typically closes a stream.
  void expect(std::chrono::milliseconds within, std::function<void()> late);
  /// Moves the deadline of the present expectation; its callback stays.
  void extend(std::chrono::milliseconds within);
  void relax();
  /// True when the last expectation ran out; cleared by expect().
  bool expired() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace tidegate::http
