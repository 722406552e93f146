#pragma once
/// The requests that the vendors' APIs take, member by member: shape.hpp tables. Sources: the API
/// references of OpenAI, Anthropic and Google as of 2026-11, and for the ChatGPT backend of Codex
/// what it refuses. Members that no test of the gateway has a use for are left out.

#include <string_view>

namespace tidegate::sim {

extern const std::string_view chat_shapes;       ///< POST /v1/chat/completions
extern const std::string_view responses_shapes;  ///< POST /backend-api/codex/responses
extern const std::string_view messages_shapes;   ///< POST /v1/messages
extern const std::string_view gemini_shapes;     ///< POST /v1beta/models/M:generateContent

}  // namespace tidegate::sim
