#pragma once
/// Declared tools and tool_choice of a request. A typed tool (`web_search_20250305`, ...) is a
/// server tool: its declaration goes along as JSON.

#include <optional>
#include <vector>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/messages/place.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

/// Replaces `into`; false when the place has failed.
bool read_tools(json_in::value& v, place& at, std::vector<tool>& into);

bool read_choice(json_in::value& v, place& at, tool_choice& choice,
                 std::optional<bool>& parallel_calls);

}  // namespace tidegate::protocol::messages
