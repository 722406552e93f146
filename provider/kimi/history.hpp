#pragma once
/// What Kimi refuses in a Chat conversation, mended without a DOM. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::provider::kimi {

/// `messages`, a JSON list that is known to be JSON:
/// - an assistant's message that says nothing is left out;
/// - one that calls tools gets the reasoning_content it lacks: that of the last message that had
///   one, else its own text, else a placeholder;
/// - a tool's message without tool_call_id gets its `call_id`, else the only call that is open.
/// nullopt: nothing is to be done.
std::optional<std::string> mended_history(std::string_view messages);

}  // namespace tidegate::provider::kimi
