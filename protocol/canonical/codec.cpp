#include "protocol/canonical/codec.hpp"

namespace tidegate::protocol {

const codec& codec_of(wire form) {
  switch (form) {
    case wire::openai_responses: return responses_codec;
    case wire::openai_chat: return chat_codec;
    case wire::anthropic_messages: return messages_codec;
    case wire::gemini: break;
  }
  return gemini_codec;
}

}  // namespace tidegate::protocol
