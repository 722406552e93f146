#pragma once
/// Messages as turns: the tool results of a user message stand in a turn of their own before the
/// rest, and tokens that ride in thinking blocks of their own go to the neighbour they belong to.

#include <string_view>
#include <vector>

#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

/// Appends the turns of one message; false for an unknown role. Parts that the role cannot have
/// are dropped.
bool add_turns(std::string_view role, std::vector<part> parts, std::vector<turn>& into);

}  // namespace tidegate::protocol::messages
