#include "protocol/canonical/responses/request_out.hpp"

#include "protocol/canonical/object_schema.hpp"
#include "protocol/canonical/responses/writing.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol::responses {
namespace {

constexpr std::size_t item_bytes = 96;  ///< what stands around an item's texts, about

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

std::size_t size_of(const result_content& what) {
  if (const auto* const text = std::get_if<text_part>(&what)) return text->text.escaped.size();
  return std::get<media_part>(what).source.base64.escaped.size();
}

std::size_t size_of(const part& what) {
  return item_bytes +
         std::visit(overloaded{
                        [](const text_part& p) { return p.text.escaped.size(); },
                        [](const media_part& p) { return p.source.base64.escaped.size(); },
                        [](const reasoning_part& p) {
                          std::size_t sum = p.token ? p.token->bytes.escaped.size() : 0;
                          for (const auto& one : p.texts) sum += one.escaped.size();
                          return sum;
                        },
                        [](const tool_call_part& p) { return p.arguments.size() * 9 / 8; },
                        [](const tool_result_part& p) {
                          std::size_t sum = p.json.size();
                          for (const auto& one : p.content) sum += size_of(one);
                          return sum;
                        },
                        [](const refusal_part& p) { return p.text.escaped.size(); },
                        [](const unknown_part& p) { return p.json.size(); },
                    },
                    what);
}

/// About as much as the body will have.
std::size_t size_of(const canonical_request& what) {
  std::size_t sum = 1024;
  for (const auto& one : what.system) sum += one.text.escaped.size() + item_bytes;
  for (const auto& one : what.turns) {
    for (const auto& p : one.parts) sum += size_of(p);
  }
  for (const auto& one : what.tools) {
    sum += item_bytes + std::max(one.json.size(), one.schema.size());
    sum += one.description.escaped.size();
  }
  return sum;
}

void write_reasoning(writing& w) {
  const auto& wish = w.in.reasoning;
  const auto effort = effort_word(wish, thinking_dialect::codex);
  // Messages shows thinking unless it is told not to.
  const bool implied = !wish.from_suffix && w.in.source == wire::anthropic_messages && thinks(wish);
  const bool automatic = wish.summary.empty() && (wish.show_thoughts || implied);
  const std::string_view summary = wish.summary == "none" ? std::string_view{}
                                   : automatic            ? "auto"
                                                          : wish.summary;
  if (effort.empty() && summary.empty()) return;
  w.out.key("reasoning").begin_object();
  w.out.member_if("effort", {effort}).member_if("summary", {summary}).end_object();
}

/// Clients of protocols with signatures send them back, so they need them.
bool wants_tokens(const canonical_request& in) {
  if (in.reasoning.want_encrypted) return true;
  const bool signs = in.source == wire::anthropic_messages || in.source == wire::gemini;
  return signs && thinks(in.reasoning);
}

void write_include(writing& w) {
  const bool tokens = wants_tokens(w.in);
  const bool logprobs = w.in.sampling.logprobs == "true";
  if (!tokens && !logprobs) return;
  w.out.key("include").begin_array();
  if (tokens) w.out.text({"reasoning.encrypted_content"});
  if (logprobs) w.out.text({"message.output_text.logprobs"});
  w.out.end_array();
}

/// Schemas of clients of this protocol are their own matter.
std::string schema_of(writing& w) {
  const auto& format = w.in.format;
  const bool refused = !w.own && w.caps.owner == token_owner::gpt;
  std::string schema = refused ? object_root(format.schema) : std::string{format.schema};
  if (schema.empty()) w.lose(lossy::schema_root);
  return schema;
}

void write_kind(writing& w) {
  const auto& format = w.in.format;
  if (format.kind == format_kind::json_object || format.schema.empty()) {
    w.out.key("format").raw(R"({"type":"json_object"})");
    return;
  }
  const std::string schema = schema_of(w);
  if (schema.empty()) return;
  w.out.key("format").begin_object().key("type").text({"json_schema"});
  w.out.key("name").text(format.name.empty() ? raw_text{"response"} : format.name);
  w.out.member_if("description", format.description).key("schema").raw(schema);
  if (format.strict) w.out.key("strict").boolean(*format.strict);
  w.out.end_object();
}

void write_format(writing& w) {
  const auto& format = w.in.format;
  const bool structured = format.kind != format_kind::text;
  if (structured && !w.caps.structured_output) w.lose(lossy::structured_output);
  const bool has_kind = structured && w.caps.structured_output;
  if (!has_kind && format.verbosity.empty()) return;
  w.out.key("text").begin_object();
  if (has_kind) write_kind(w);
  w.out.member_if("verbosity", {format.verbosity}).end_object();
}

void write_sampling(writing& w) {
  const auto& s = w.in.sampling;
  w.out.member_raw_if("temperature", s.temperature).member_raw_if("top_p", s.top_p);
  w.out.member_raw_if("top_logprobs", s.top_logprobs);
  if (w.caps.owner == token_owner::grok) {
    w.out.member_raw_if("top_k", s.top_k);
  } else if (!s.top_k.empty()) {
    w.lose(lossy::top_k);
  }
  if (!s.n.empty() && s.n != "1") w.lose(lossy::n);
  if (!s.frequency_penalty.empty() || !s.presence_penalty.empty()) w.lose(lossy::penalties);
  if (!s.seed.empty()) w.lose(lossy::seed);
  if (!w.in.stop.empty()) w.lose(lossy::stop);
  for (const raw_text one : w.in.out_modalities) {
    if (one.escaped != "text" && one.escaped != "TEXT") w.lose(lossy::modalities);
  }
  if (!w.in.image.empty()) w.lose(lossy::image_config);
}

raw_text tier_of(raw_text tier) {
  if (tier.escaped == "fast") return {"priority"};
  if (tier.escaped == "standard_only") return {"default"};
  return tier;
}

void write_rest(writing& w) {
  const auto& in = w.in;
  if (in.max_output_tokens) w.out.key("max_output_tokens").number(*in.max_output_tokens);
  w.out.member_if("service_tier", tier_of(in.service_tier));
  if (in.source == wire::gemini && !in.cache.key.empty()) {
    w.lose(lossy::cached_content);
  } else {
    w.out.member_if("prompt_cache_key", in.cache.key);
  }
  w.out.member_if("prompt_cache_retention", in.cache.retention);
  w.out.member_raw_if("metadata", in.metadata).member_if("user", in.end_user);
  w.out.member_if("previous_response_id", in.previous_response_id);
  // Left out, it would mean true; the other protocols do not keep answers.
  if (in.store || !w.own) w.out.key("store").boolean(in.store.value_or(false));
  if (in.stream) w.out.key("stream").boolean(true);
}

}  // namespace

encoded_request encode_request(const canonical_request& what, std::string_view model,
                               const target_caps& caps) {
  encoded_request done;
  done.body.reserve(size_of(what));
  writing w(what, caps, done.body);
  for (const tool& one : what.tools) {
    if (one.kind != tool_kind::server && !one.name.empty()) w.name_of(one.name, one.kind);
  }
  w.out.begin_object().key("model").plain(model);
  write_instructions(w);
  write_input(w);
  write_tools(w);
  write_reasoning(w);
  write_include(w);
  write_format(w);
  write_sampling(w);
  write_rest(w);
  w.out.end_object();
  done.lost = std::move(w.lost);
  done.names = w.names.changed();
  return done;
}

}  // namespace tidegate::protocol::responses
