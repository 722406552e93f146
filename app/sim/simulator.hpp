#pragma once
/// The simulated provider without its sockets: takes a request, answers with the plan to carry
/// out and keeps the journal; also serves the control paths under /sim/. Not thread-safe; the
/// server's strand owns it. The clock is the only outside thing it asks.

#include <cstdint>
#include <memory>
#include <string>

#include "app/sim/call.hpp"
#include "app/sim/director.hpp"
#include "app/sim/journal.hpp"
#include "app/sim/plan.hpp"
#include "base/time.hpp"

namespace tidegate::sim {

/// One request being answered.
struct job {
  std::shared_ptr<const plan> what;
  std::uint64_t id = 0;
  std::string key;
  std::string model;
  bool counted = false;  ///< control requests are not
};

class simulator {
 public:
  /// `clock` outlives the simulator.
  simulator(script plan, const wall_clock& clock);

  job take(incoming&& request);
  void finish(const job& done, outcome how);

  journal_view view(std::size_t last) const { return journal_.view(last); }
  /// Clears journal, sequences and quota windows.
  void reset();
  /// Replaces the script; the journal stays.
  void use(script plan);

 private:
  plan control(const incoming& request, std::string_view path);

  const wall_clock& clock_;
  director director_;
  token_ledger tokens_;
  planner planner_;
  journal journal_;
};

}  // namespace tidegate::sim
