#pragma once
/// What the Messages encoder of requests cannot spell, by name. The names stand in logs and in
/// docs/translation.md.

#include <string_view>

namespace tidegate::protocol::messages::rule {

inline constexpr std::string_view audio = "messages.audio";
inline constexpr std::string_view budget = "messages.budget_fitted";
inline constexpr std::string_view cache_hints = "messages.cache_hints";
inline constexpr std::string_view citations = "messages.citations";
inline constexpr std::string_view duplicate_call = "messages.duplicate_call";
inline constexpr std::string_view duplicate_result = "messages.duplicate_result";
inline constexpr std::string_view duplicate_tool = "messages.duplicate_tool";
inline constexpr std::string_view file = "messages.file";
inline constexpr std::string_view first_turn = "messages.first_turn";
inline constexpr std::string_view forced_tool_thinking = "messages.forced_tool_thinking";
inline constexpr std::string_view foreign_file_id = "messages.foreign_file_id";
inline constexpr std::string_view foreign_reasoning = "messages.foreign_reasoning";
inline constexpr std::string_view foreign_signature = "messages.foreign_signature";
inline constexpr std::string_view image_config = "messages.image_config";
inline constexpr std::string_view images = "messages.images";
inline constexpr std::string_view inline_system = "messages.inline_system_moved";
inline constexpr std::string_view invalid_arguments = "messages.invalid_arguments";
inline constexpr std::string_view json_object = "messages.json_object";
inline constexpr std::string_view logprobs = "messages.logprobs";
inline constexpr std::string_view metadata = "messages.metadata";
inline constexpr std::string_view modalities = "messages.modalities";
inline constexpr std::string_view n = "messages.n";
inline constexpr std::string_view orphan_result = "messages.orphan_result";
inline constexpr std::string_view output_schema = "messages.output_schema";
inline constexpr std::string_view penalties = "messages.penalties";
inline constexpr std::string_view previous_response = "messages.previous_response_id";
inline constexpr std::string_view schema_root = "messages.schema_root";
inline constexpr std::string_view seed = "messages.seed";
inline constexpr std::string_view server_call = "messages.server_call";
inline constexpr std::string_view server_tool = "messages.server_tool";
inline constexpr std::string_view service_tier = "messages.service_tier";
inline constexpr std::string_view stop_blank = "messages.stop_blank";
inline constexpr std::string_view strict = "messages.strict";
inline constexpr std::string_view structured_output = "messages.structured_output";
inline constexpr std::string_view system_alone = "messages.system_alone";
inline constexpr std::string_view temperature = "messages.temperature";
inline constexpr std::string_view thinking_in_loop = "messages.thinking_in_loop";
inline constexpr std::string_view tool_choice = "messages.tool_choice";
inline constexpr std::string_view tool_format = "messages.tool_format";
inline constexpr std::string_view tool_subset = "messages.tool_subset";
inline constexpr std::string_view top_k = "messages.top_k";
inline constexpr std::string_view top_p = "messages.top_p";
inline constexpr std::string_view unknown_part = "messages.unknown_part";
inline constexpr std::string_view unsigned_reasoning = "messages.unsigned_reasoning";
inline constexpr std::string_view verbosity = "messages.verbosity";
inline constexpr std::string_view video = "messages.video";

}  // namespace tidegate::protocol::messages::rule
