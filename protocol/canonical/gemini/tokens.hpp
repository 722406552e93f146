#pragma once
/// Whose opaque reasoning token this is, by its form. Spec: translation.md 4.7. Pure.

#include <string_view>

#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol::gemini {

/// Stands for a signature that is not there: Google's servers do not check it then.
inline constexpr std::string_view skip_signature = "skip_thought_signature_validator";

/// A signature that stands for none.
bool is_sentinel(std::string_view token);

/// Claude's and Gemini's tokens are base64 protobufs, OpenAI's are Fernet tokens. Those of others
/// have no form of their own: unknown.
token_owner owner_of(std::string_view token);

}  // namespace tidegate::protocol::gemini
