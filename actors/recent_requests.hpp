#pragma once
/// How many requests a credential served and failed in each of the last periods. Pure; owner: the
/// credential actor.

#include <array>
#include <chrono>
#include <vector>

#include "base/time.hpp"
#include "http/views.hpp"

namespace tidegate::actors {

class recent_requests {
 public:
  static constexpr std::chrono::minutes period{10};
  static constexpr std::size_t periods = 20;

  void count(bool served, instant now);
  /// Oldest first; the last one is still running. Empty ones are among them.
  std::vector<http::recent_count> view(instant now) const;

 private:
  static std::int64_t number_of(instant at);

  struct counted_period {
    std::int64_t number = -1;  ///< of the period, counted from 1970
    http::recent_count what;
  };
  std::array<counted_period, periods> slots_;
};

}  // namespace tidegate::actors
