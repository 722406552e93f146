#pragma once
/// One output item of xAI as the client's protocol has it. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "protocol/canonical/tool_names.hpp"

namespace tidegate::provider::xai {

/// nullopt: it stays as it is.
std::optional<std::string> restored_item(std::string_view item, const protocol::tool_names& names);

/// The JSON string of a free-form call's input, from the raw JSON string of a function's arguments.
std::string input_of(std::string_view arguments);

/// Whether the call is one of those that x_search makes.
bool is_search_trace(std::string_view call);

}  // namespace tidegate::provider::xai
