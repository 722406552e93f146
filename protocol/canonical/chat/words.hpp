#pragma once
/// Reasons to stop and token counts as Chat spells them. Source: spec/translation.md 2.10 and
/// 2.11. Internal to chat/.

#include <string_view>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/event.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::chat {

finish_reason reason_of(std::string_view word);
/// A refusal that is told in the answer (`refusal`) is a good end; without words it is filtered.
std::string_view word_of(finish_reason reason, bool told_refusal);

/// The word for a client that declared `functions`, which knew one call and no tools.
std::string_view function_word_of(finish_reason reason, bool told_refusal);
bool declares_functions(std::string_view request_body);

/// The value of `usage`; counts that were not said are 0, details are left out.
void write_usage(json_out& out, const usage& counts);
/// Later values win.
void merge(usage& into, const usage& from);

/// `call_` and 24 hex digits: the same for the same call of the same answer.
std::string made_call_id(std::string_view response_id, std::size_t position, std::string_view name);

}  // namespace tidegate::protocol::chat
