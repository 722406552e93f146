#pragma once
/// Proofs of thinking as the vendors hand them out with an answer and take them back with the next
/// request: Anthropic's signature, OpenAI's encrypted_content, Google's thoughtSignature. They have
/// the outer form of the real ones, which tells whose they are, and nothing secret inside. Pure.

#include <string>
#include <string_view>

#include "protocol/surface.hpp"

namespace tidegate::sim {

/// The token of this thinking; Chat has none (empty).
std::string thought_token(protocol::wire vendor, std::string_view thinking);

/// Whether `token` was made for this vendor, for whatever thinking.
bool is_thought_token(protocol::wire vendor, std::string_view token);

}  // namespace tidegate::sim
