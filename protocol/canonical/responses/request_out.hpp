#pragma once
/// Canonical requests as OpenAI Responses requests (the plain API; a backend that takes less of it
/// is edited elsewhere). A request that came in as Responses keeps its tools, tool choice, item ids
/// and unknown parts as they were written. Shapes: translation.md 2 (column Resp) and 4.

#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol::responses {

/// What a request can lose here.
namespace lossy {
inline constexpr std::string_view assistant_media = "responses.assistant_media";
inline constexpr std::string_view audio_source = "responses.audio_source";
inline constexpr std::string_view billing_line = "responses.billing_line";
inline constexpr std::string_view blocked_domains = "responses.blocked_domains";
inline constexpr std::string_view cached_content = "responses.cached_content";
inline constexpr std::string_view cache_control = "responses.cache_control";
inline constexpr std::string_view duplicate_result = "responses.duplicate_result";
inline constexpr std::string_view image_config = "responses.image_config";
inline constexpr std::string_view images = "responses.images";
inline constexpr std::string_view media_source = "responses.media_source";
inline constexpr std::string_view modalities = "responses.modalities";
inline constexpr std::string_view n = "responses.n";
inline constexpr std::string_view nameless_tool = "responses.nameless_tool";
inline constexpr std::string_view orphan_result = "responses.orphan_result";
inline constexpr std::string_view penalties = "responses.penalties";
inline constexpr std::string_view reasoning = "responses.reasoning";
inline constexpr std::string_view schema_root = "responses.schema_root";
inline constexpr std::string_view seed = "responses.seed";
inline constexpr std::string_view server_tool = "responses.server_tool";
inline constexpr std::string_view signature = "responses.signature";
inline constexpr std::string_view stop = "responses.stop";
inline constexpr std::string_view structured_output = "responses.structured_output";
inline constexpr std::string_view tool_choice = "responses.tool_choice";
inline constexpr std::string_view tool_error = "responses.tool_error";
inline constexpr std::string_view top_k = "responses.top_k";
inline constexpr std::string_view unknown_part = "responses.unknown_part";
inline constexpr std::string_view video = "responses.video";
}  // namespace lossy

encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps);

}  // namespace tidegate::protocol::responses
