#pragma once
/// OpenAI Chat Completions: requests, answers and streams to and from the canonical model.
/// Source: spec/translation.md 2 (columns Chat), 3, 4.4; the API reference of 2026-11. Extensions
/// beyond it that several providers share are read, and written where said below:
/// reasoning_content and reasoning, cache_control, images, video_url, top_k, annotations,
/// extra_content.google.thought_signature, native_finish_reason.
///
/// Only the first choice (index 0) is canonical: the others of an answer are dropped, and a
/// request for more than one is sent without `n` (chat.n).
/// Bodies of requests are expected to be JSON (protocol/envelope.hpp checks it before); one that is
/// not gives errc::invalid_input or a wrong request, and never more than that.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::chat {

/// What a request loses on its way to Chat.
namespace lossy {
inline constexpr std::string_view allowed_tools = "chat.allowed_tools";  ///< the rest
inline constexpr std::string_view billing_line = "chat.billing_line";    ///< Claude Code's
inline constexpr std::string_view cache_control = "chat.cache_control";  ///< not a Claude model
inline constexpr std::string_view cached_content = "chat.cached_content";  ///< Google's
inline constexpr std::string_view citations = "chat.citations";
inline constexpr std::string_view custom_tool = "chat.custom_tool";  ///< its grammar
inline constexpr std::string_view duplicate_result = "chat.duplicate_result";
inline constexpr std::string_view images = "chat.images";
inline constexpr std::string_view media_source = "chat.media_source";  ///< no such spelling
inline constexpr std::string_view metadata = "chat.metadata";
inline constexpr std::string_view n = "chat.n";
inline constexpr std::string_view orphan_result = "chat.orphan_result";  ///< without its call
inline constexpr std::string_view previous_response = "chat.previous_response_id";
inline constexpr std::string_view reasoning = "chat.reasoning";        ///< foreign or hidden
inline constexpr std::string_view result_error = "chat.result_error";  ///< the flag, not the text
inline constexpr std::string_view schema_root = "chat.schema_root";    ///< OpenAI takes objects
inline constexpr std::string_view server_call = "chat.server_call";
inline constexpr std::string_view server_tool = "chat.server_tool";
inline constexpr std::string_view signature = "chat.signature";
inline constexpr std::string_view stop = "chat.stop";  ///< behind the fourth
inline constexpr std::string_view tool_choice = "chat.tool_choice";
inline constexpr std::string_view top_k = "chat.top_k";
inline constexpr std::string_view unknown_part = "chat.unknown_part";
}  // namespace lossy

result<canonical_request> decode_request(const std::string& body, std::string_view model);
encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps);
std::unique_ptr<stream_decoder> make_decoder(tool_names names);
std::unique_ptr<stream_encoder> make_encoder(answer_context with);
result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names);
/// A failed_event among the events gives the body of an error.
std::string encode_answer(const std::vector<event>& events, const answer_context& with);

}  // namespace tidegate::protocol::chat
