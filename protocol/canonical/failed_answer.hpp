#pragma once
/// A provider's failure as the client's own protocol tells it, when the two speak different ones
/// (spec/http.md 1.10, 2.3, 2.5, 2.7). The message is the provider's; so is `code` in the OpenAI
/// shape, and `type` in Messages where it is a word of that API. What is missing follows from the
/// status: 502 when that is unknown. Pure; never throws.

#include <cstdint>
#include <string>

#include "protocol/canonical/event.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

/// The body of an error answer.
std::string failure_body(wire form, const failed_event& what);

/// The terminal error of a stream, as one SSE frame; nothing may follow it. On Responses an
/// official Codex client gets `response.failed`, and `invalid_prompt` as the code of a 400 without
/// one; everybody else `error`; both with this sequence number.
std::string failure_frame(wire form, const failed_event& what, bool codex_client,
                          std::int64_t sequence = 0);

}  // namespace tidegate::protocol
