#pragma once
/// Gemini's generateContent: the functions behind gemini_codec. Wire facts: ai.google.dev/api
/// (v1beta), spec translation.md 2 and 4. The model and whether to stream are in the URL, not in
/// the body: decode_request is told the model, and leaves `stream` to its caller.
/// Not read: safetySettings, responses of declarations, media resolution, speech and image
/// settings, candidates behind the first one.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::gemini {

/// What encode_request may drop or change of a request.
namespace lossy {
inline constexpr std::string_view cache_control = "gemini.cache_control";
inline constexpr std::string_view cache_key = "gemini.cache_key";
inline constexpr std::string_view citations = "gemini.citations";
inline constexpr std::string_view duplicate_tool = "gemini.duplicate_tool";
inline constexpr std::string_view end_user = "gemini.end_user";
inline constexpr std::string_view file_id = "gemini.file_id";
inline constexpr std::string_view first_turn = "gemini.first_turn";
inline constexpr std::string_view foreign_token = "gemini.foreign_token";
inline constexpr std::string_view image_detail = "gemini.image_detail";
inline constexpr std::string_view images = "gemini.images";
inline constexpr std::string_view invalid_arguments = "gemini.invalid_arguments";
inline constexpr std::string_view metadata = "gemini.metadata";
inline constexpr std::string_view n = "gemini.n";
inline constexpr std::string_view orphan_result = "gemini.orphan_result";
inline constexpr std::string_view parallel_tool_calls = "gemini.parallel_tool_calls";
inline constexpr std::string_view prefill = "gemini.prefill";
inline constexpr std::string_view previous_response_id = "gemini.previous_response_id";
inline constexpr std::string_view redacted_reasoning = "gemini.redacted_reasoning";
inline constexpr std::string_view repeated_result = "gemini.repeated_result";
inline constexpr std::string_view schema = "gemini.schema";
inline constexpr std::string_view search_limits = "gemini.search_limits";
inline constexpr std::string_view server_tool = "gemini.server_tool";
inline constexpr std::string_view service_tier = "gemini.service_tier";
inline constexpr std::string_view stop = "gemini.stop";
inline constexpr std::string_view strict = "gemini.strict";
inline constexpr std::string_view system_alone = "gemini.system_alone";
inline constexpr std::string_view tool_choice = "gemini.tool_choice";
inline constexpr std::string_view unknown_part = "gemini.unknown_part";
inline constexpr std::string_view unsigned_reasoning = "gemini.unsigned_reasoning";
inline constexpr std::string_view verbosity = "gemini.verbosity";
}  // namespace lossy

result<canonical_request> decode_request(const std::string& body, std::string_view model);
encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps);
/// Frames hold one GenerateContentResponse each, alone or in an array, or in Code Assist's
/// `response`. A stream without a finishReason or a blockReason has failed.
std::unique_ptr<stream_decoder> make_decoder(tool_names names);
/// A chunk per delta; a call is a chunk at its end. The last chunk has finishReason and usage;
/// nothing ends the stream behind it.
std::unique_ptr<stream_encoder> make_encoder(answer_context with);
/// Also an array of chunks, as streamGenerateContent without `alt=sse` answers.
result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names);
std::string encode_answer(const std::vector<event>& events, const answer_context& with);

}  // namespace tidegate::protocol::gemini
