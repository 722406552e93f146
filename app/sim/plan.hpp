#pragma once
/// A reply as the list of things to do on the socket: bytes, pauses and the way it ends. Composing
/// is pure and keeps all of the script's misbehaviour in one place; session.cpp only carries it
/// out. `planner` keeps ready-made plans of plain answers, so a fixed answer costs one copy.
/// Not thread-safe; the server's strand owns the planner.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/sim/call.hpp"
#include "app/sim/director.hpp"
#include "app/sim/token_ledger.hpp"

namespace tidegate::sim {

inline constexpr std::size_t cached_bytes_max = 64 * 1024 * 1024;  ///< all ready-made plans

enum class step_kind : std::uint8_t {
  write,  ///< `bytes`, in slices when `slice` is not 0
  pause,  ///< `wait`
  stall,  ///< silent until the peer leaves
  reset,  ///< TCP reset; ends the plan
  close,  ///< close in the middle; ends the plan
};

struct step {
  step_kind kind = step_kind::write;
  std::string bytes;
  std::vector<std::size_t> id_at;     ///< offsets of `id_marker` in `bytes`
  std::chrono::milliseconds wait{0};  ///< of a pause; of a sliced write: between its slices
  std::size_t slice = 0;
};

struct plan {
  int status = 0;  ///< 0 = no head is sent
  bool keep_alive = true;
  bool fixed = false;  ///< the same for every request of this kind, save for the ids
  std::vector<step> steps;
};

/// `body_bytes` is the size of the request body (the token counters answer from it).
plan compose(const decision& chosen, const call& request, std::size_t body_bytes, instant now);

/// The same for a reply that follows its request; the vendor's 400 for what its API refuses.
plan compose_followed(const decision& chosen, const call& request, const incoming& whole,
                      instant now);

/// The same for a token endpoint.
plan compose_given(const decision& chosen, const call& request, token_ledger& ledger,
                   std::string_view body, instant now);

/// Whether `compose_followed` is the one to ask.
bool follows_request(const decision& chosen, const call& request);

/// The bytes of a step with `number` in the place of every marker.
std::string with_id(const step& what, std::uint64_t number);

class planner {
 public:
  std::shared_ptr<const plan> plan_for(const decision& chosen, const call& request,
                                       std::size_t body_bytes, instant now);
  void clear();

 private:
  std::unordered_map<std::string, std::shared_ptr<const plan>> ready_;
  std::size_t ready_bytes_ = 0;
};

}  // namespace tidegate::sim
