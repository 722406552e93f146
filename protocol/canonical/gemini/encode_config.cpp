#include <array>

#include "protocol/canonical/gemini/encoding.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr std::size_t stops_max = 5;

void write_stops(encoding& to) {
  std::size_t written = 0;
  for (const auto& stop : to.from.stop) {
    if (stop.empty()) continue;
    if (written == stops_max) {
      to.lose(lossy::stop);
      break;
    }
    if (written++ == 0) to.json.key("stopSequences").begin_array();
    to.json.text(stop);
  }
  if (written > 0) to.json.end_array();
}

void write_sampling(encoding& to) {
  const sampling& from = to.from.sampling;
  to.json.member_raw_if("temperature", from.temperature).member_raw_if("topP", from.top_p);
  to.json.member_raw_if("topK", from.top_k);
  if (!from.n.empty() && from.n != "1") to.lose(lossy::n);
  to.json.member_raw_if("seed", from.seed);
  to.json.member_raw_if("presencePenalty", from.presence_penalty);
  to.json.member_raw_if("frequencyPenalty", from.frequency_penalty);
  // How many are told is refused without the wish for them.
  const bool some = from.logprobs.empty() && !from.top_logprobs.empty();
  to.json.member_raw_if("responseLogprobs", some ? "true" : from.logprobs);
  to.json.member_raw_if("logprobs", from.top_logprobs);
}

void write_format(encoding& to) {
  const response_format& format = to.from.format;
  if (!format.verbosity.empty()) to.lose(lossy::verbosity);
  if (format.kind == format_kind::text) return;
  to.json.key("responseMimeType").text({"application/json"});
  if (format.kind == format_kind::json_schema) {
    to.json.member_raw_if("responseJsonSchema", format.schema);
  }
}

void write_modalities(encoding& to) {
  if (to.from.out_modalities.empty()) return;
  to.json.key("responseModalities").begin_array();
  for (const auto& modality : to.from.out_modalities) {
    std::string word{modality.escaped};
    for (char& c : word) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    to.json.text({word});
  }
  to.json.end_array();
}

void write_image_config(encoding& to) {
  const image_wish& image = to.from.image;
  if (image.empty()) return;
  to.json.key("imageConfig").begin_object().member_if("aspectRatio", image.aspect_ratio);
  to.json.member_if("imageSize", image.size).end_object();
}

}  // namespace

void write_generation_config(encoding& to) {
  const std::size_t before = to.into.body.size();
  to.json.key("generationConfig").begin_object();
  const std::size_t empty = to.into.body.size();
  if (to.from.max_output_tokens) {
    to.json.key("maxOutputTokens").number(*to.from.max_output_tokens);
  }
  write_stops(to);
  write_sampling(to);
  write_format(to);
  write_modalities(to);
  write_image_config(to);
  write_thinking(to);
  const bool none = to.into.body.size() == empty;
  to.json.end_object();
  if (none) to.into.body.resize(before);
}

}  // namespace tidegate::protocol::gemini
