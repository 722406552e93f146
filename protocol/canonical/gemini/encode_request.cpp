#include "protocol/canonical/gemini/encoding.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr name_rules rules{
    .bytes_max = 64, .punctuation = "_.:-", .starts_with_letter = true, .custom_as_function = true};
/// Braces, keys and quotes around one part.
constexpr std::size_t part_frame_bytes = 64;

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

std::size_t bytes_of(const tool_result_part& result) {
  std::size_t sum = result.json.size() + part_frame_bytes;
  for (const auto& content : result.content) {
    const auto* text = std::get_if<text_part>(&content);
    const auto* media = std::get_if<media_part>(&content);
    sum += text != nullptr ? text->text.escaped.size() : media->source.base64.escaped.size();
  }
  return sum;
}

std::size_t bytes_of(const part& what) {
  return part_frame_bytes +
         std::visit(overloaded{[](const text_part& p) { return p.text.escaped.size(); },
                               [](const media_part& p) { return p.source.base64.escaped.size(); },
                               [](const tool_call_part& p) { return p.arguments.size(); },
                               [](const tool_result_part& p) { return bytes_of(p); },
                               [](const unknown_part& p) { return p.json.size(); },
                               [](const auto&) { return std::size_t{256}; }},
                    what);
}

std::size_t bytes_of(const canonical_request& what) {
  std::size_t sum = 1024;
  for (const auto& block : what.system) sum += block.text.escaped.size() + part_frame_bytes;
  for (const auto& turn : what.turns) {
    for (const auto& part : turn.parts) sum += bytes_of(part);
  }
  for (const auto& tool : what.tools) {
    sum += tool.schema.size() + tool.description.escaped.size() + 2 * part_frame_bytes;
  }
  return sum + sum / 16;
}

/// A line with which Claude Code tells Anthropic who pays.
bool is_billing_line(raw_text text) {
  return text.escaped.starts_with("x-anthropic-billing-header:");
}

void write_system(encoding& to) {
  if (to.system_alone()) return;
  bool any = false;
  for (const auto& block : to.from.system) {
    to.lose_mark(block.cache);
    if (block.text.empty() || is_billing_line(block.text)) continue;
    if (!any) to.json.key("systemInstruction").begin_object().key("parts").begin_array();
    any = true;
    to.json.begin_object().key("text").text(block.text).end_object();
  }
  if (any) to.json.end_array().end_object();
}

/// Google's caches have names; a client's free key is none.
void write_cache(encoding& to) {
  const raw_text key = to.from.cache.key;
  if (key.escaped.starts_with("cachedContents/") || key.escaped.starts_with("projects/")) {
    to.json.key("cachedContent").text(key);
  } else if (!key.empty() || !to.from.cache.retention.empty()) {
    to.lose(lossy::cache_key);
  }
}

/// Labels and tiers are not served everywhere: they go out when a Gemini client asked for them.
void write_rest(encoding& to) {
  write_cache(to);
  if (!to.from.metadata.empty()) {
    to.from_gemini() ? void(to.json.key("labels").raw(to.from.metadata)) : to.lose(lossy::metadata);
  }
  const raw_text tier = to.from.service_tier;
  if (to.from_gemini() && !tier.empty()) {
    to.json.key("service_tier").text(tier.escaped == "default" ? raw_text{"standard"} : tier);
  } else if (!tier.empty() && tier.escaped != "auto" && tier.escaped != "default") {
    to.lose(lossy::service_tier);
  }
  if (!to.from.end_user.empty()) to.lose(lossy::end_user);
  if (!to.from.previous_response_id.empty()) to.lose(lossy::previous_response_id);
}

}  // namespace

/// The path names the model, not the body.
encoded_request encode_request(const canonical_request& what, std::string_view /*model*/,
                               const target_caps& caps) {
  encoded_request out;
  out.body.reserve(bytes_of(what));
  encoding to{what, caps, out, json_out{out.body}, name_map{rules}};
  for (const auto& declared : what.tools) {
    if (is_declarable(declared)) {
      to.wire_name(declared.name, declared.name_space, declared.kind);
    }
  }
  to.json.begin_object();
  write_system(to);
  write_contents(to);
  write_tools(to);
  write_generation_config(to);
  write_rest(to);
  to.json.end_object();
  out.names = to.names.changed();
  return out;
}

}  // namespace tidegate::protocol::gemini
