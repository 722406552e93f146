#include "provider/vertex/imagen.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "provider/google_list.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::vertex {
namespace {

using protocol::inside_of;
using protocol::member_of;

/// The parts of the last turn of a user.
std::string_view asked_parts(std::string_view contents) {
  std::string_view last;
  for_elements(contents, [&](std::string_view turn) {
    const auto role = inside_of(member_of(turn, "role"));
    if (role.empty() || role == "user") last = turn;
  });
  return member_of(last, "parts");
}

bool has_file(std::string_view parts) {
  bool found = false;
  for_elements(parts, [&](std::string_view part) {
    for (const std::string_view key : {"inlineData", "inline_data", "fileData", "file_data"}) {
      found = found || member_of(part, key).starts_with('{');
    }
  });
  return found;
}

/// The texts, a line each.
std::string prompt_of(std::string_view parts) {
  std::string prompt;
  for_elements(parts, [&](std::string_view part) {
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

bool is_prediction(std::string_view prediction) {
  const auto data = member_of(prediction, "bytesBase64Encoded");
  return prediction.starts_with('{') && (data.empty() || data.starts_with('"'));
}

/// The parts of an answer's pictures; nullopt: it is no answer of Imagen's.
std::optional<std::string> pictures_of(std::string_view body) {
  if (!protocol::read_object(body, body.size())) return std::nullopt;
  const auto predictions = member_of(body, "predictions");
  const bool absent = predictions.empty() || predictions == "null";
  if (!absent && !predictions.starts_with('[')) return std::nullopt;
  std::string parts;
  bool sound = true;
  for_elements(predictions, [&](std::string_view prediction) {
    sound = sound && is_prediction(prediction);
    const auto part = part_of(prediction);
    if (!part.empty()) parts.append(parts.empty() ? "" : ",").append(part);
  });
  if (parts.empty() && !sound) return std::nullopt;
  return parts;
}

}  // namespace

bool is_imagen(std::string_view model) {
  return lower(model).starts_with("imagen-");
}

result<std::string> predict_body(const request_input& in) {
  const auto parts = asked_parts(raw_member(in, "contents"));
  if (has_file(parts)) {
    return failed(errc::invalid_input,
                  "this model makes a picture of words alone: send the last text of the user "
                  "without a picture or file beside it");
  }
  const auto prompt = prompt_of(parts);
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

result<void> picture_answer::whole(std::string& body) {
  const auto parts = pictures_of(body);
  if (!parts) return failed(errc::invalid_input, "the provider's answer holds no predictions");
  protocol::object_writer content;
  content.text("role", "model").raw("parts", "[" + *parts + "]");
  protocol::object_writer candidate;
  candidate.raw("content", content.str());
  candidate.text("finishReason", parts->empty() ? "IMAGE_SAFETY" : "STOP").number("index", 0);
  protocol::object_writer usage;
  for (const std::string_view key :
       {"promptTokenCount", "candidatesTokenCount", "totalTokenCount"}) {
    usage.number(key, 0);
  }
  protocol::object_writer answer;
  answer.raw("candidates", "[" + candidate.str() + "]").raw("usageMetadata", usage.str());
  body = answer.str();
  return {};
}

}  // namespace tidegate::provider::vertex
