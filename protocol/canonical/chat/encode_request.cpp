#include <algorithm>

#include "protocol/canonical/chat/writing.hpp"
#include "protocol/canonical/object_schema.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol::chat {

writing::writing(const canonical_request& request, const target_caps& target)
    : what(request),
      caps(target),
      names({.bytes_max = 64,
             .punctuation = "_-",
             .starts_with_letter = false,
             .custom_as_function = target.owner != token_owner::gpt}),
      results(request.turns) {
  for (const tool& one : what.tools) {
    name_spaces.try_emplace({one.name.escaped, one.kind}, one.name_space);
  }
}

void writing::lose(std::string_view rule) {
  if (std::ranges::find(lost, rule) == lost.end()) lost.push_back(rule);
}

const std::string& writing::name_of(raw_text name, raw_text name_space, tool_kind kind) {
  return names.wire_name(plain(name), plain(name_space), kind);
}

const std::string& writing::name_of(raw_text name, tool_kind kind) {
  const auto known = name_spaces.find({name.escaped, kind});
  return name_of(name, known == name_spaces.end() ? raw_text{} : known->second, kind);
}

namespace {

constexpr std::size_t openai_stops_max = 4;

void write_reasoning(writing& to) {
  to.out.member_if("reasoning_effort", {effort_word(to.what.reasoning, thinking_dialect::chat)});
}

void write_format(writing& to) {
  const response_format& format = to.what.format;
  to.out.member_if("verbosity", {format.verbosity});
  if (format.kind == format_kind::text) return;
  const bool refused = to.is_openai() && !to.is_own(wire::openai_chat) && !format.schema.empty();
  const std::string schema = refused ? object_root(format.schema) : std::string{format.schema};
  if (refused && schema.empty()) {
    to.lose(lossy::schema_root);
    return;
  }
  to.out.key("response_format").begin_object();
  if (format.kind == format_kind::json_object) {
    to.out.key("type").raw("\"json_object\"").end_object();
    return;
  }
  to.out.key("type").raw("\"json_schema\"").key("json_schema").begin_object();
  to.out.key("name").text(format.name.empty() ? raw_text{"response"} : format.name);
  to.out.member_if("description", format.description).member_raw_if("schema", schema);
  if (format.strict) to.out.key("strict").boolean(*format.strict);
  to.out.end_object().end_object();
}

void write_sampling(writing& to) {
  const sampling& from = to.what.sampling;
  to.out.member_raw_if("temperature", from.temperature).member_raw_if("top_p", from.top_p);
  if (to.is_openai() && !from.top_k.empty()) {
    to.lose(lossy::top_k);
  } else {
    to.out.member_raw_if("top_k", from.top_k);
  }
  if (!from.n.empty() && from.n != "1") to.lose(lossy::n);
  to.out.member_raw_if("frequency_penalty", from.frequency_penalty);
  to.out.member_raw_if("presence_penalty", from.presence_penalty);
  to.out.member_raw_if("seed", from.seed);
  // How many are told is refused without the wish for them.
  const bool some = from.logprobs.empty() && !from.top_logprobs.empty();
  to.out.member_raw_if("logprobs", some ? "true" : from.logprobs);
  to.out.member_raw_if("top_logprobs", from.top_logprobs);
}

void write_limits(writing& to) {
  if (to.what.max_output_tokens) {
    to.out.key(to.is_openai() ? "max_completion_tokens" : "max_tokens");
    to.out.number(*to.what.max_output_tokens);
  }
  auto count = to.what.stop.size();
  if (to.is_openai() && count > openai_stops_max) {
    to.lose(lossy::stop);
    count = openai_stops_max;
  }
  if (count == 0) return;
  to.out.key("stop").begin_array();
  for (std::size_t i = 0; i < count; ++i) to.out.text(to.what.stop[i]);
  to.out.end_array();
}

/// Gemini writes modalities in capitals.
void write_modalities(writing& to) {
  if (to.what.out_modalities.empty()) return;
  to.out.key("modalities").begin_array();
  for (const raw_text modality : to.what.out_modalities) {
    std::string lower{modality.escaped};
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    to.out.text({lower});
  }
  to.out.end_array();
}

void write_image_config(writing& to) {
  const image_wish& image = to.what.image;
  if (image.empty()) return;
  to.out.key("image_config").begin_object().member_if("aspect_ratio", image.aspect_ratio);
  to.out.member_if("image_size", image.size).end_object();
}

raw_text tier_of(raw_text tier) {
  if (tier.escaped == "fast") return {"priority"};
  if (tier.escaped == "standard_only") return {"default"};
  return tier;
}

/// OpenAI files metadata with answers that it keeps, and refuses it for others.
bool takes_metadata(const writing& to) {
  const bool known = to.is_own(wire::openai_chat) || to.is_own(wire::openai_responses);
  return known && (!to.is_openai() || to.what.store == true);
}

void write_account(writing& to) {
  const canonical_request& from = to.what;
  if (to.is_own(wire::gemini) && !from.cache.key.empty()) {
    to.lose(lossy::cached_content);
  } else {
    to.out.member_if("prompt_cache_key", from.cache.key);
  }
  to.out.member_if("prompt_cache_retention", from.cache.retention);
  to.out.member_if("service_tier", tier_of(from.service_tier));
  to.out.member_if("user", from.end_user);
  if (takes_metadata(to)) {
    to.out.member_raw_if("metadata", from.metadata);
  } else if (!from.metadata.empty()) {
    to.lose(lossy::metadata);
  }
  if (from.store == true) to.out.key("store").boolean(true);
  if (!from.previous_response_id.empty()) to.lose(lossy::previous_response);
}

std::size_t size_of(const part& p) {
  constexpr std::size_t frame = 96;
  if (const auto* text = std::get_if<text_part>(&p)) return frame + text->text.escaped.size();
  if (const auto* media = std::get_if<media_part>(&p)) {
    return frame + media->source.base64.escaped.size() + media->source.url.escaped.size();
  }
  if (const auto* call = std::get_if<tool_call_part>(&p)) {
    return 2 * frame + call->arguments.size() + call->arguments.size() / 8;
  }
  std::size_t size = frame;
  if (const auto* result = std::get_if<tool_result_part>(&p)) {
    size += result->json.size();
    for (const auto& content : result->content) {
      size += std::visit([](const auto& inner) { return size_of(part{inner}); }, content);
    }
  }
  return size;
}

std::size_t size_of(const canonical_request& what) {
  std::size_t size = 1024;
  for (const auto& block : what.system) size += block.text.escaped.size() + 64;
  for (const auto& turn : what.turns) {
    for (const auto& part : turn.parts) size += size_of(part);
  }
  for (const auto& tool : what.tools) {
    size += tool.schema.size() + tool.description.escaped.size() + 256;
  }
  return size;
}

}  // namespace

encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps) {
  writing to{what, caps};
  to.body.reserve(size_of(what));
  to.out.begin_object().key("model").plain(model);
  if (what.stream) {
    to.out.key("stream").boolean(true);
    to.out.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  }
  for (const tool& known : what.tools) {
    if (known.kind != tool_kind::server) (void)to.name_of(known.name, known.name_space, known.kind);
  }
  write_messages(to);
  write_tools(to);
  write_reasoning(to);
  write_format(to);
  write_sampling(to);
  write_limits(to);
  write_modalities(to);
  write_image_config(to);
  write_account(to);
  to.out.end_object();
  return {std::move(to.body), std::move(to.lost), to.names.changed()};
}

}  // namespace tidegate::protocol::chat
