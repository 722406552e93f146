#include "protocol/token_estimate.hpp"

#include "protocol/text_tokens.hpp"

namespace tidegate::protocol {
namespace {

std::int64_t text_tokens(raw_text text) {
  if (text.escaped.find('\\') == std::string_view::npos) return estimate_text_tokens(text.escaped);
  return estimate_text_tokens(plain(text));
}

std::int64_t tokens_of(const media_part& medium) {
  switch (medium.kind) {
    case media_kind::image:
      return medium.detail.escaped == "low" ? small_image_tokens : image_tokens;
    case media_kind::file:
      return file_tokens;
    case media_kind::audio:
      return audio_tokens;
    case media_kind::video:
      break;
  }
  return video_tokens;
}

std::int64_t tokens_of(const text_part& part) {
  return text_tokens(part.text);
}
std::int64_t tokens_of(const refusal_part& part) {
  return text_tokens(part.text);
}
std::int64_t tokens_of(const unknown_part& part) {
  return estimate_text_tokens(part.json);
}

std::int64_t tokens_of(const reasoning_part& part) {
  std::int64_t sum = 0;
  for (const auto& text : part.texts) sum += text_tokens(text);
  return sum;
}

std::int64_t tokens_of(const tool_call_part& part) {
  return call_tokens + text_tokens(part.name) + text_tokens(part.name_space) +
         text_tokens({part.arguments});
}

std::int64_t tokens_of(const tool_result_part& part) {
  std::int64_t sum = call_tokens + text_tokens(part.name) + estimate_text_tokens(part.json);
  for (const auto& piece : part.content) {
    sum += std::visit([](const auto& one) { return tokens_of(one); }, piece);
  }
  return sum;
}

std::int64_t tokens_of(const tool& one) {
  if (one.kind == tool_kind::server) return tool_tokens + estimate_text_tokens(one.json);
  return tool_tokens + text_tokens(one.name) + text_tokens(one.name_space) +
         text_tokens(one.description) + estimate_text_tokens(one.schema) +
         estimate_text_tokens(one.format);
}

}  // namespace

std::int64_t estimate_text_tokens(std::string_view plain) {
  text_token_counter counter{plain};
  return counter.count();
}

std::int64_t estimate_tokens(const canonical_request& call) {
  std::int64_t sum = answer_tokens;
  for (const auto& block : call.system) sum += message_tokens + text_tokens(block.text);
  for (const auto& turn : call.turns) {
    sum += message_tokens;
    for (const auto& piece : turn.parts) {
      sum += std::visit([](const auto& one) { return tokens_of(one); }, piece);
    }
  }
  for (const auto& one : call.tools) sum += tokens_of(one);
  return sum + estimate_text_tokens(call.format.schema);
}

}  // namespace tidegate::protocol
