#pragma once
/// Events as a Responses answer, streamed or whole; the whole body is what the stream's terminal
/// event holds. Grammar, ids and echoed members: translation.md 3 (Resp); endings: 2.11.
/// Text items that follow each other are one message. Server tools of other protocols stay hidden
/// and take no output_index. A Gemini signature of a text or call rides in a reasoning item behind
/// it.

#include <memory>
#include <string>
#include <vector>

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::responses {

std::unique_ptr<stream_encoder> make_encoder(answer_context with);

/// The error body of the protocol when the events end with a failure, or not at all.
std::string encode_answer(const std::vector<event>& events, const answer_context& with);

}  // namespace tidegate::protocol::responses
