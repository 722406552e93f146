#pragma once
/// The edits that the ChatGPT backend needs on a Responses body: fields it refuses are removed,
/// fields it demands are set. Everything else stays byte for byte. Other endpoints of the Responses
/// API need none of this: there only `model` changes. The list is in docs/wire/codex.md.

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider::codex {

/// Whether the credential's endpoint is the ChatGPT backend: account tokens always; keys when the
/// base URL ends in /backend-api/codex or its host is chatgpt.com.
bool is_chatgpt_backend(const credential& who);

/// For POST /responses: always streamed, never stored.
void edit_responses(protocol::splice& edits, const request_input& in);

/// For POST /responses/compact: neither streamed nor stored, so those fields go.
void edit_compact(protocol::splice& edits, const request_input& in);

}  // namespace tidegate::provider::codex
