#pragma once
/// Reasoning tokens as they ride in `signature` and `data`: Claude's and GPT's as they are, those
/// of others in an envelope `v1.OWNER.BIND.TARGET.TOKEN`, so that a client's next request tells
/// whose they are. Spec: translation.md 4.7; the reference's Gemini carriers are read too.

#include <string>
#include <string_view>

#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol::messages {

/// Looks at the form only; `unknown` when it is nobody's.
opaque_token read_token(std::string_view token);

std::string write_token(token_owner owner, token_bind bind, token_target target,
                        std::string_view token);

}  // namespace tidegate::protocol::messages
