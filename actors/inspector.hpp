#pragma once
/// The actor that gathers what others say about themselves, for management. It keeps nothing but
/// the questions under way and asks one at a time, so a look at 10,000 credentials cannot crowd
/// out requests.

#include <caf/typed_event_based_actor.hpp>

#include "actors/environment.hpp"
#include "actors/interfaces.hpp"

namespace tidegate::actors {

/// Actors one tree names; the rest is counted.
inline constexpr std::size_t tree_nodes_max = 50'000;
/// How long one actor may take to answer before it is shown as silent.
inline constexpr std::chrono::seconds inspect_timeout{5};

struct inspector_state {
  static inline const char* name = "inspector";
};

/// `roots` are asked first, in order; their children follow.
inspector_actor::behavior_type inspector(
    inspector_actor::stateful_pointer<inspector_state> self, gateway_actor gateway,
    std::vector<caf::actor> roots);

}  // namespace tidegate::actors
