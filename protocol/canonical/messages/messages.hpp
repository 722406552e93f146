#pragma once
/// The Anthropic Messages protocol's side of every translation. Requests: translation.md 2, 4 and
/// http.md 5.4, 6.3. What a request loses on its way into this protocol: rules.hpp.
///
/// A user message becomes up to two turns, its tool results and then the rest. Blocks that only
/// this protocol knows (results of server tools among them) are unknown_part. A document of plain
/// text becomes a text part. Claude Code's billing line among the system texts is dropped.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/messages/rules.hpp"

namespace tidegate::protocol::messages {

result<canonical_request> decode_request(const std::string& body, std::string_view model);

encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps);

std::unique_ptr<stream_decoder> make_decoder(tool_names names);

std::unique_ptr<stream_encoder> make_encoder(answer_context with);

result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names);

std::string encode_answer(const std::vector<event>& events, const answer_context& with);

}  // namespace tidegate::protocol::messages
