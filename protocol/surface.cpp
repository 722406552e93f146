#include "protocol/surface.hpp"

namespace tidegate::protocol {

wire wire_of(surface s) {
  switch (s) {
    case surface::responses:
    case surface::responses_compact: return wire::openai_responses;
    case surface::chat_completions:
    case surface::completions: return wire::openai_chat;
    case surface::messages:
    case surface::count_tokens: return wire::anthropic_messages;
    case surface::gemini_generate:
    case surface::gemini_stream_generate:
    case surface::gemini_count_tokens: return wire::gemini;
  }
  return wire::openai_responses;
}

bool generates(surface s) {
  switch (s) {
    case surface::responses:
    case surface::chat_completions:
    case surface::completions:
    case surface::messages:
    case surface::gemini_generate:
    case surface::gemini_stream_generate: return true;
    case surface::responses_compact:
    case surface::count_tokens:
    case surface::gemini_count_tokens: break;
  }
  return false;
}

surface served_as(surface s) {
  return s == surface::completions ? surface::chat_completions : s;
}

surface generation_surface(wire form, bool stream) {
  switch (form) {
    case wire::openai_responses: return surface::responses;
    case wire::openai_chat: return surface::chat_completions;
    case wire::anthropic_messages: return surface::messages;
    case wire::gemini: break;
  }
  return stream ? surface::gemini_stream_generate : surface::gemini_generate;
}

std::string_view to_string(surface s) {
  switch (s) {
    case surface::responses: return "responses";
    case surface::responses_compact: return "responses_compact";
    case surface::chat_completions: return "chat_completions";
    case surface::completions: return "completions";
    case surface::messages: return "messages";
    case surface::count_tokens: return "count_tokens";
    case surface::gemini_generate: return "gemini_generate";
    case surface::gemini_stream_generate: return "gemini_stream_generate";
    case surface::gemini_count_tokens: return "gemini_count_tokens";
  }
  return "unknown";
}

bool may_be_usage_limit(surface s) {
  return s != surface::count_tokens && s != surface::gemini_count_tokens;
}

}  // namespace tidegate::protocol
