#include "protocol/surface.hpp"

#include "tests/support/catch.hpp"

using namespace tidegate::protocol;

TEST_CASE("each surface has its wire format, and counting never becomes a usage limit [T89]") {
  const auto [s, form, limits] = GENERATE(table<surface, wire, bool>({
      {surface::responses, wire::openai_responses, true},
      {surface::responses_compact, wire::openai_responses, true},
      {surface::chat_completions, wire::openai_chat, true},
      {surface::completions, wire::openai_chat, true},
      {surface::messages, wire::anthropic_messages, true},
      {surface::count_tokens, wire::anthropic_messages, false},
      {surface::gemini_generate, wire::gemini, true},
      {surface::gemini_stream_generate, wire::gemini, true},
      {surface::gemini_count_tokens, wire::gemini, false},
  }));
  CHECK(wire_of(s) == form);
  CHECK(may_be_usage_limit(s) == limits);
  CHECK(to_string(s) != "unknown");
}
