#pragma once
/// Thinking in a body that is passed on: what it asks for, read from the few members that say it,
/// and the edits that make it ask for what its target takes. The body was read as an envelope, so
/// it is JSON; members of a wrong type are left for the provider to judge. Pure; never throws.

#include <optional>
#include <string>
#include <vector>

#include "protocol/envelope.hpp"
#include "protocol/splice.hpp"
#include "protocol/surface.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol {

struct thinking_body {
  wire form = wire::openai_chat;
  const std::string& text;
  const envelope& head;
};

/// What the body itself asks for; `unset` when it asks for nothing that can be read. The level may
/// be a view into the body.
reasoning_wish read_thinking(const thinking_body& body, thinking_dialect target);

/// Whether a Messages body asks for a budget of thinking beside the results of calls that were made
/// without a thought, by another provider's model: Anthropic refuses that.
bool lacks_thinking_in_loop(const thinking_body& body);

/// The edits for a target of the body's own protocol; `suffix` wins over the body's amount. None
/// when nothing asks for thinking, and none when the body already asks for what the model takes.
/// For claude also: a tool that must be called excludes thinking, and a budget stays below
/// max_tokens, which is set to the model's own when it is missing. Refusals: fit_thinking.
thinking_result<std::vector<member_edit>> fit_body(const thinking_body& body,
                                                   const std::optional<reasoning_wish>& suffix,
                                                   const thinking_target& target);

}  // namespace tidegate::protocol
