#pragma once
/// `encrypted_content` of Responses reasoning items: whose it is, and how tokens of other owners
/// ride in it. Forms: translation.md 4.7 (the carriers are read and written as the reference spells
/// them). Recognition looks at the first bytes only; nobody's token is verified here.

#include <string>
#include <string_view>

#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol::responses {

struct carried_token {
  opaque_token token;
  bool redacted = false;  ///< Claude's redacted thinking
};

/// Reads the inside of an `encrypted_content`. The token's bytes are a view into it.
carried_token token_of(raw_text encrypted);

/// The way back, without escapes changed: what stands before the token's own bytes.
std::string carrier_prefix(token_owner owner, bool redacted, token_bind bind, token_target target);

}  // namespace tidegate::protocol::responses
