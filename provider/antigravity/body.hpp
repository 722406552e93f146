#pragma once
/// The request inside of the envelope: a Gemini body with the edits that Antigravity needs. The
/// list is in docs/wire/antigravity.md. Pure.

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

#include <string>
#include <string_view>

namespace tidegate::provider::antigravity {

bool is_claude(std::string_view model);

/// The client's session, else one made from the first words of the conversation, so that all its
/// turns have the same.
std::string session_of(const request_input& in);

void edit_generation(protocol::splice& edits, const request_input& in);

}  // namespace tidegate::provider::antigravity
