#pragma once
/// Thinking in a Messages body that is passed on. Internal to thinking_body.cpp. Source:
/// Anthropic's page on extended thinking, 2026-11.

#include <string_view>
#include <vector>

#include "protocol/json_object.hpp"
#include "protocol/thinking_body.hpp"

namespace tidegate::protocol {

/// Raw text of a member of the body; empty when there is none.
inline std::string_view raw_member(const thinking_body& body, std::string_view key) {
  const auto* const found = body.head.find(key);
  return found == nullptr ? std::string_view{} : value_of(body.text, *found);
}

/// Thinking is refused where a tool must be called.
bool forces_tool(const thinking_body& body);

/// Whether the last message answers calls whose turn does not begin with thinking.
bool goes_on_without_thinking(const thinking_body& body);

/// Whether the request can think as much: a budget needs a max_tokens above the least one, and is
/// refused when the calls that are answered last were made without a thought.
bool leaves_room(const thinking_body& body, const reasoning_wish& wish,
                 const thinking_target& target);

/// `from_suffix`: the request did not reckon with thinking, so what it excludes goes: a temperature
/// but 1, a top_p below 0.95, top_k.
std::vector<member_edit> spell_messages(const thinking_body& body, const reasoning_wish& wish,
                                        const thinking_target& target, bool from_suffix);

}  // namespace tidegate::protocol
