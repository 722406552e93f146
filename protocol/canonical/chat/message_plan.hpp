#pragma once
/// In which order, and how joined, turns become Chat messages: Chat wants all calls of a round in
/// one assistant message with their results directly behind it. Source: spec/translation.md 4.6.
/// - Turns of the assistant that follow each other become one message when the last has calls, or
///   the first only reasoning.
/// - What stands between calls and their results moves behind the results.
/// Internal to chat/; linear but for one sort.

#include <cstddef>
#include <vector>

#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::chat {

struct planned_turn {
  const turn* what = nullptr;
  std::size_t round = 0;  ///< counts the assistant messages with calls
  std::size_t phase = 0;  ///< within the round: the calls, their results, the rest
  std::size_t position = 0;
  bool joins_previous = false;
};

std::vector<planned_turn> plan_messages(const std::vector<turn>& turns);

bool has_calls(const turn& what);

}  // namespace tidegate::protocol::chat
