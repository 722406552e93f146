#pragma once
/// What every actor is given at its birth: the ports to the outside that tests replace.

#include <cstdint>
#include <functional>
#include <memory>
#include <random>

#include "base/time.hpp"

namespace tidegate::actors {

struct environment {
  std::shared_ptr<const wall_clock> clock;
  /// Uniform in [0, 1); seeded in tests. Called on any thread.
  std::function<double()> random;
};
using environment_ptr = std::shared_ptr<const environment>;

}  // namespace tidegate::actors
