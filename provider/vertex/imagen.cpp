#include "provider/vertex/imagen.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::vertex {
namespace {

using protocol::inside_of;
using protocol::member_of;

template <class Each>
void for_elements(std::string_view list, Each each) {
  const auto items = list.starts_with('[') ? protocol::items_of(list) : std::nullopt;
  if (!items) return;
  for (const auto& item : *items) each(list.substr(item.offset, item.size));
}

/// The texts of the last turn of a user, a line each.
std::string prompt_of(std::string_view contents) {
  std::string_view last;
  for_elements(contents, [&](std::string_view turn) {
    const auto role = inside_of(member_of(turn, "role"));
    if (role.empty() || role == "user") last = turn;
  });
  std::string prompt;
  for_elements(member_of(last, "parts"), [&](std::string_view part) {
    const auto text = protocol::decode_json_string(member_of(part, "text")).value_or("");
    if (!text.empty()) prompt.append(prompt.empty() ? "" : "\n").append(text);
  });
  return prompt;
}

std::string_view aspect_ratio(const request_input& in) {
  for (const std::string_view key : {"generationConfig", "generation_config"}) {
    for (const std::string_view inner : {"imageConfig", "image_config"}) {
      const auto image = member_of(raw_member(in, key), inner);
      for (const std::string_view name : {"aspectRatio", "aspect_ratio"}) {
        const auto ratio = member_of(image, name);
        if (!inside_of(ratio).empty()) return ratio;
      }
    }
  }
  return {};
}

std::string part_of(std::string_view prediction) {
  const auto data = member_of(prediction, "bytesBase64Encoded");
  if (inside_of(data).empty()) return {};
  const auto type = member_of(prediction, "mimeType");
  protocol::object_writer picture;
  picture.raw("mimeType", inside_of(type).empty() ? R"("image/png")" : type).raw("data", data);
  return protocol::object_writer{}.raw("inlineData", picture.str()).str();
}

}  // namespace

bool is_imagen(std::string_view model) {
  return lower(model).starts_with("imagen-");
}

result<std::string> predict_body(const request_input& in) {
  const auto prompt = prompt_of(raw_member(in, "contents"));
  if (prompt.empty()) {
    return failed(errc::invalid_input,
                  "this model makes a picture of the last text of a user: \"contents\" has none");
  }
  protocol::object_writer instance;
  instance.text("prompt", prompt);
  const auto negative = raw_member(in, "negativePrompt");
  if (!inside_of(negative).empty()) instance.raw("negativePrompt", negative);
  protocol::object_writer parameters;
  parameters.number("sampleCount", 1);
  if (const auto ratio = aspect_ratio(in); !ratio.empty()) parameters.raw("aspectRatio", ratio);
  protocol::object_writer body;
  body.raw("instances", "[" + instance.str() + "]").raw("parameters", parameters.str());
  return body.str();
}

std::span<const protocol::sse_frame> picture_answer::frames(const protocol::sse_frame& frame) {
  made_.clear();
  made_.pass(frame);
  return made_.all();
}

void picture_answer::whole(std::string& body) {
  std::string parts;
  for_elements(member_of(body, "predictions"), [&](std::string_view prediction) {
    const auto part = part_of(prediction);
    if (!part.empty()) parts.append(parts.empty() ? "" : ",").append(part);
  });
  protocol::object_writer content;
  content.text("role", "model").raw("parts", "[" + parts + "]");
  protocol::object_writer candidate;
  candidate.raw("content", content.str());
  candidate.text("finishReason", parts.empty() ? "IMAGE_SAFETY" : "STOP").number("index", 0);
  protocol::object_writer usage;
  for (const std::string_view key :
       {"promptTokenCount", "candidatesTokenCount", "totalTokenCount"}) {
    usage.number(key, 0);
  }
  protocol::object_writer answer;
  answer.raw("candidates", "[" + candidate.str() + "]").raw("usageMetadata", usage.str());
  body = answer.str();
}

}  // namespace tidegate::provider::vertex
