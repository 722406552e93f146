#pragma once
/// The client-facing API that a request came in on. One protocol may have several surfaces.

#include <cstdint>
#include <string_view>

namespace tidegate::protocol {

/// Wire format family; errors and streams have one form per protocol.
enum class wire : std::uint8_t { openai_responses, openai_chat, anthropic_messages, gemini };

enum class surface : std::uint8_t {
  responses,                ///< POST /v1/responses, /backend-api/codex/responses
  responses_compact,        ///< POST /v1/responses/compact
  chat_completions,         ///< POST /v1/chat/completions
  completions,              ///< POST /v1/completions: text completions, served through Chat
  messages,                 ///< POST /v1/messages
  count_tokens,             ///< POST /v1/messages/count_tokens
  gemini_generate,          ///< POST /v1beta/models/{m}:generateContent
  gemini_stream_generate,   ///< POST /v1beta/models/{m}:streamGenerateContent
  gemini_count_tokens,      ///< POST /v1beta/models/{m}:countTokens
};

wire wire_of(surface s);
/// Whether it asks for an answer of a model: the surfaces that can be translated.
bool generates(surface s);
/// What a provider of the same protocol is asked for: the surface itself, Chat for completions.
surface served_as(surface s);
/// The surface of a protocol for such a call.
surface generation_surface(wire form, bool stream);
std::string_view to_string(surface s);

/// False for the counting surfaces, whose answers never become a usage limit (A24 of the seed).
bool may_be_usage_limit(surface s);

}  // namespace tidegate::protocol
