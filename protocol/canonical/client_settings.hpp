#pragma once
/// Members of a request that only its own protocol has: no encoder can say them, so readers note
/// them for the debug log and docs/translation.md. Passed on to the client's own protocol they
/// stay.

#include <string_view>

#include "protocol/canonical/request.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

namespace setting {
inline constexpr std::string_view audio = "request.audio";
inline constexpr std::string_view container = "request.container";
inline constexpr std::string_view context_management = "request.context_management";
inline constexpr std::string_view document_notes = "request.document_notes";
inline constexpr std::string_view inference_geo = "request.inference_geo";
inline constexpr std::string_view logit_bias = "request.logit_bias";
inline constexpr std::string_view max_tool_calls = "request.max_tool_calls";
inline constexpr std::string_view mcp_servers = "request.mcp_servers";
inline constexpr std::string_view media_resolution = "request.media_resolution";
inline constexpr std::string_view message_name = "request.message_name";
inline constexpr std::string_view other = "request.other";
inline constexpr std::string_view prediction = "request.prediction";
inline constexpr std::string_view retrieval_config = "request.retrieval_config";
inline constexpr std::string_view safety_settings = "request.safety_settings";
inline constexpr std::string_view tool_clash = "request.tool_clash";
inline constexpr std::string_view truncation = "request.truncation";
}  // namespace setting

/// Notes a rule once.
void note_setting(canonical_request& of, std::string_view rule);
/// Notes a member that the reader has no place for. Nothing for members that say nothing about the
/// answer.
void note_member(canonical_request& of, std::string_view key);

}  // namespace tidegate::protocol
