#pragma once
/// Turns as the messages that Messages accepts (translation.md 2.2, 4.1, 4.6): turns of one side
/// merged, tool calls last in an assistant message, their results first in the user message right
/// behind it. A result goes to the latest call of its id, one without id to the oldest call that
/// waits; a second result of a call replaces the first one's content; a result without a call is
/// dropped. Ids are made of [A-Za-z0-9_-] and are different for each call.
/// Views of the request, which must outlive the plan.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

enum class message_role : std::uint8_t { user, assistant, system };

struct planned_call {
  const tool_call_part* call = nullptr;
  const tool_result_part* result = nullptr;
  std::string id;
};

struct planned_message {
  message_role role = message_role::user;
  std::vector<const part*> parts;     ///< in order, without calls and results
  std::vector<std::size_t> calls;     ///< positions in conversation::calls
  std::vector<std::size_t> results;   ///< the same

  bool empty() const { return parts.empty() && calls.empty() && results.empty(); }
};

struct conversation {
  std::vector<planned_message> messages;
  std::vector<planned_call> calls;
  std::vector<const text_part*> moved_system;  ///< texts that become top-level blocks
};

conversation plan_conversation(const canonical_request& what, const target_caps& caps,
                               lossy_notes& lost);

/// Whether the last message answers calls whose message does not begin with thinking.
bool goes_on_without_thinking(const conversation& plan);

/// `id` with each other character replaced by `_`.
std::string sanitised_id(std::string_view id);

}  // namespace tidegate::protocol::messages
