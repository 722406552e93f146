#include "app/sim/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::sim {

using protocol::wire;
using json = nlohmann::ordered_json;

std::string json_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string sse_frame(std::string_view event, const json& data) {
  return event.empty() ? fmt::format("data: {}\n\n", json_text(data))
                       : fmt::format("event: {}\ndata: {}\n\n", event, json_text(data));
}

std::vector<std::string> split_text(std::string_view text, int pieces) {
  std::vector<std::string> out;
  auto left = static_cast<std::size_t>(std::max(pieces, 1));
  while (!text.empty()) {
    auto length = std::max<std::size_t>(text.size() / left, 1);
    if (left == 1) length = text.size();
    const auto continues = [&](std::size_t at) {
      return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    while (continues(length)) ++length;
    const auto near = length - std::min(length, id_marker.size() - 1);
    const auto marker = text.find(id_marker, near);
    if (marker < length && marker + id_marker.size() > length) length = marker + id_marker.size();
    out.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
    if (left > 1) --left;
  }
  return out;
}

std::int64_t output_tokens(const answer& what) {
  if (what.usage.output) return *what.usage.output;
  return std::max<std::int64_t>(static_cast<std::int64_t>(what.text.size() / 4), 1) +
         what.usage.reasoning;
}

std::string render_body(const answer& what, operation asked, wire form,
                        const request_facts& facts) {
  if (asked == operation::compact) return compaction_body(what, facts);
  if (asked == operation::count_tokens) {
    const auto tokens = std::max<std::size_t>(facts.body_bytes / 4, 1);
    if (form == wire::anthropic_messages) return json_text(json{{"input_tokens", tokens}});
    const json details{{"modality", "TEXT"}, {"tokenCount", tokens}};
    return json_text(
        json{{"totalTokens", tokens}, {"promptTokensDetails", json::array({details})}});
  }
  switch (form) {
    case wire::openai_responses:
      return responses_body(what, facts);
    case wire::openai_chat:
      return chat_body(what, facts);
    case wire::anthropic_messages:
      return messages_body(what, facts);
    case wire::gemini:
      return gemini_body(what, facts);
  }
  return {};
}

stream_frames render_stream(const answer& what, wire form, const request_facts& facts) {
  switch (form) {
    case wire::openai_responses:
      return responses_stream(what, facts);
    case wire::openai_chat:
      return chat_stream(what, facts);
    case wire::anthropic_messages:
      return messages_stream(what, facts);
    case wire::gemini:
      return gemini_stream(what, facts);
  }
  return {};
}

}  // namespace tidegate::sim
