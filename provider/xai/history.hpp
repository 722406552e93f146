#pragma once
/// The items of `input` as xAI takes them. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "provider/xai/tool_book.hpp"

namespace tidegate::provider::xai {

/// Declares the tools that stand in items of the history.
void add_tools_of(std::string_view input, tool_book& book);

/// Calls by the names that were declared, free-form calls and their results as those of functions,
/// reasoning that was cut in two in one piece, and no declarations. nullopt: as it is.
std::optional<std::string> sent_history(std::string_view input, tool_book& book);

}  // namespace tidegate::provider::xai
