#pragma once
/// OpenAI Responses requests as canonical ones, in one pass over the body. Shapes: translation.md 2
/// (column Resp). Ignored: members without a canonical field (background, conversation, include
/// beside reasoning.encrypted_content, max_tool_calls, prompt, stream_options, truncation, phase
/// and status of items); a request to the same protocol keeps them on the passthrough path. System
/// and developer messages before the first other item are the system prompt, later ones keep their
/// place. Items of the model between two others are one turn. Items and content parts that no other
/// protocol can spell become unknown_part. The envelope reader has shown that the body is JSON;
/// this reader checks structure and types.

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::responses {

result<canonical_request> decode_request(const std::string& body, std::string_view model);

}  // namespace tidegate::protocol::responses
