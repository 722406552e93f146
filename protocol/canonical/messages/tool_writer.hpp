#pragma once
/// `tools` and `tool_choice` of a request.

#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/messages/wire_names.hpp"

namespace tidegate::protocol::messages {

/// False when no tool could be declared: nothing was written then.
bool write_tools(json_out& out, const canonical_request& what, wire_names& names,
                 lossy_notes& lost);

void write_choice(json_out& out, const canonical_request& what, wire_names& names,
                  lossy_notes& lost);

/// Whether the tool that must be called, if any, is declared; another one would be refused.
bool can_choose(const tool_choice& choice, const wire_names& names);

/// Whether the model must call a tool, which excludes thinking.
bool forces_tool(const tool_choice& choice);

}  // namespace tidegate::protocol::messages
