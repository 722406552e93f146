#include "app/sim/conversation.hpp"

#include "app/sim/listener.hpp"
#include "app/sim/shape.hpp"
#include "app/sim/vendor_shapes.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;
using protocol::wire;

const shape_table& shapes_of(wire form) {
  static const shape_table chat{chat_shapes};
  static const shape_table responses{responses_shapes};
  static const shape_table messages{messages_shapes};
  static const shape_table gemini{gemini_shapes};
  switch (form) {
    case wire::openai_chat:
      return chat;
    case wire::openai_responses:
      return responses;
    case wire::anthropic_messages:
      return messages;
    case wire::gemini:
      break;
  }
  return gemini;
}

}  // namespace

heard hear(wire form, const incoming& request, bool stream) {
  const auto body = json::parse(request.body, nullptr, false);
  if (body.is_discarded()) return failed(errc::invalid_input, "the body is not valid JSON");
  if (auto objection = shapes_of(form).objection(body))
    return failed(errc::invalid_input, std::move(*objection));
  switch (form) {
    case wire::openai_chat:
      return hear_chat(body);
    case wire::openai_responses:
      if (!stream) return failed(errc::invalid_input, "Stream must be set to true");
      return hear_responses(body);
    case wire::anthropic_messages:
      if (request.header_value("anthropic-version").empty())
        return failed(errc::invalid_input, "anthropic-version: header is required");
      return hear_messages(body);
    case wire::gemini:
      break;
  }
  return hear_gemini(body);
}

}  // namespace tidegate::sim
