#pragma once
/// What every actor is given at its birth: the ports to the outside that tests replace.

#include <cstdint>
#include <functional>
#include <memory>
#include <random>

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/snapshot.hpp"
#include "provider/plain_reply.hpp"

namespace tidegate::actors {

/// One small request on nobody's behalf but the gateway's own.
struct fetch_request {
  provider::upstream_request what;
  secret_string proxy;           ///< empty = the configuration's
  config::snapshot_ptr config;   ///< for time limits and TLS
};

using fetch_answer = std::function<void(result<provider::plain_reply>)>;

struct environment {
  std::shared_ptr<const wall_clock> clock;
  /// Uniform in [0, 1); seeded in tests. Called on any thread.
  std::function<double()> random;
  /// Starts a request; the answer comes once, on any thread, also before this returns.
  std::function<void(fetch_request, fetch_answer)> fetch;
};
using environment_ptr = std::shared_ptr<const environment>;

}  // namespace tidegate::actors
