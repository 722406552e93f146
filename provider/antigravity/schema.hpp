#pragma once
/// Schemas of functions as Antigravity takes them: Gemini's subset with `nullable`, without lists
/// of allowed values, which stay in the descriptions. Pure.

#include <string>
#include <string_view>

namespace tidegate::provider::antigravity {

/// `checks_calls`: every object inside demands at least one member, as Claude's checked calls want;
/// one without any gets a member of its own, `reason`, or `_` beside optional ones.
std::string tool_schema(std::string_view json, bool checks_calls);

/// The same for the schema of a translated call, which is clean: `declared` is what the client
/// wrote for a function of that name, and is taken anew where `clean` was made of it.
std::string translated_schema(std::string_view clean, std::string_view declared, bool checks_calls);

}  // namespace tidegate::provider::antigravity
