#pragma once
/// The edits that the Codex endpoint needs on a Responses body: fields it refuses are removed,
/// fields it demands are set. Everything else stays byte for byte.

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider::codex {

/// For POST /responses: always streamed, never stored.
void edit_responses(protocol::splice& edits, const request_input& in);

/// For POST /responses/compact: neither streamed nor stored, so those fields go.
void edit_compact(protocol::splice& edits, const request_input& in);

}  // namespace tidegate::provider::codex
