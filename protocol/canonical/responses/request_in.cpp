#include "protocol/canonical/responses/request_in.hpp"

#include <array>

#include "protocol/canonical/client_settings.hpp"
#include "protocol/canonical/responses/reading.hpp"

namespace tidegate::protocol::responses {
namespace {

using json_in::json_type;
using json_in::value;

/// Bodies up to this size share one parser per thread.
constexpr std::size_t kept_parser_bytes_max = 512 * 1024;

bool flag(reading& in, const place& at, value& v, bool& into) {
  std::optional<bool> found;
  if (!take(in, at, v, found)) return false;
  into = found.value_or(into);
  return true;
}

bool take_word(reading& in, const place& at, value& v, std::string_view& into) {
  raw_text found;
  if (!take(in, at, v, found)) return false;
  into = found.escaped;
  return true;
}

bool read_instructions(reading& in, const place& at, value& v) {
  raw_text found;
  if (!take(in, at, v, found)) return false;
  if (!found.empty()) {
    in.out.system.insert(in.out.system.begin(), {found, system_origin::instructions, {}});
  }
  return true;
}

bool read_limit(reading& in, const place& at, value& v) {
  if (json_in::type_of(v) == json_type::null) return true;
  in.out.max_output_tokens = json_in::integer(v);
  return in.out.max_output_tokens.has_value() || in.wrong(at, "expected a whole number");
}

void set_effort(reasoning_wish& wish, std::string_view effort) {
  if (effort.empty()) return;
  if (effort == "none") {
    wish.mode = reasoning_mode::off;
  } else if (effort == "auto") {
    wish.mode = reasoning_mode::automatic;
  } else {
    wish.mode = reasoning_mode::level;
    wish.level = effort;
  }
}

bool read_reasoning(reading& in, const place& at, value& v) {
  auto& wish = in.out.reasoning;
  std::string_view effort;
  std::string_view older;
  const bool good =
      members_of(in, at, v, [&](const place& where, std::string_view key, value& one) {
        if (key == "effort") return take_word(in, where, one, effort);
        if (key == "summary") return take_word(in, where, one, wish.summary);
        if (key == "generate_summary") return take_word(in, where, one, older);
        return true;
      });
  if (wish.summary.empty()) wish.summary = older;
  set_effort(wish, effort);
  return good;
}

bool read_include(reading& in, const place& at, value& v) {
  return elements_of(in, at, v, [&](const place& where, value& one) {
    raw_text found;
    if (!take(in, where, one, found)) return false;
    if (found.escaped == "reasoning.encrypted_content") in.out.reasoning.want_encrypted = true;
    if (found.escaped == "message.output_text.logprobs") in.out.sampling.logprobs = "true";
    return true;
  });
}

bool read_format(reading& in, const place& at, value& v) {
  auto& format = in.out.format;
  raw_text type;
  const bool good =
      members_of(in, at, v, [&](const place& where, std::string_view key, value& one) {
        if (key == "type") return take(in, where, one, type);
        if (key == "name") return take(in, where, one, format.name);
        if (key == "description") return take(in, where, one, format.description);
        if (key == "schema") return take_object(in, where, one, format.schema);
        if (key == "strict") return take(in, where, one, format.strict);
        return true;
      });
  if (type.escaped == "json_object") {
    format.kind = format_kind::json_object;
  } else if (type.escaped == "json_schema") {
    format.kind = format_kind::json_schema;
  } else if (good && !type.empty() && type.escaped != "text") {
    return in.wrong(place{at, "type"}, "expected text, json_object or json_schema");
  }
  return good;
}

bool read_text(reading& in, const place& at, value& v) {
  return members_of(in, at, v, [&](const place& where, std::string_view key, value& one) {
    if (key == "format") return read_format(in, where, one);
    if (key == "verbosity") return take_word(in, where, one, in.out.format.verbosity);
    return true;
  });
}

bool read_stop(reading& in, const place& at, value& v) {
  return elements_of(in, at, v, [&](const place& where, value& one) {
    return take(in, where, one, in.out.stop.emplace_back());
  });
}

struct root_member {
  std::string_view key;
  bool (*read)(reading&, const place&, value&);
};

template <auto Member>
bool text_member(reading& in, const place& at, value& v) {
  return take(in, at, v, in.out.*Member);
}
template <auto Member>
bool number_member(reading& in, const place& at, value& v) {
  return take_number(in, at, v, in.out.sampling.*Member);
}

using request = canonical_request;
constexpr std::array root_members{
    root_member{"model", text_member<&request::model>},
    root_member{"instructions", read_instructions},
    root_member{"input", read_input},
    root_member{"tools", [](reading& in, const place& at,
                            value& v) { return read_tools(in, at, v, false); }},
    root_member{"tool_choice", read_tool_choice},
    root_member{"parallel_tool_calls", text_member<&request::parallel_tool_calls>},
    root_member{"reasoning", read_reasoning},
    root_member{"include", read_include},
    root_member{"text", read_text},
    root_member{"stream", [](reading& in, const place& at,
                             value& v) { return flag(in, at, v, in.out.stream); }},
    root_member{"store", text_member<&request::store>},
    root_member{"max_output_tokens", read_limit},
    root_member{"temperature", number_member<&sampling::temperature>},
    root_member{"top_p", number_member<&sampling::top_p>},
    root_member{"top_k", number_member<&sampling::top_k>},
    root_member{"top_logprobs", number_member<&sampling::top_logprobs>},
    root_member{"stop_sequences", read_stop},
    root_member{"service_tier", text_member<&request::service_tier>},
    root_member{"prompt_cache_key", [](reading& in, const place& at,
                                       value& v) { return take(in, at, v, in.out.cache.key); }},
    root_member{"prompt_cache_retention",
                [](reading& in, const place& at, value& v) {
                  return take(in, at, v, in.out.cache.retention);
                }},
    root_member{"metadata", [](reading& in, const place& at,
                               value& v) { return take_object(in, at, v, in.out.metadata); }},
    root_member{"user", text_member<&request::end_user>},
    root_member{"safety_identifier",
                [](reading& in, const place& at, value& v) {
                  raw_text found;
                  if (!take(in, at, v, found)) return false;
                  if (in.out.end_user.empty()) in.out.end_user = found;
                  return true;
                }},
    root_member{"previous_response_id", text_member<&request::previous_response_id>},
};

/// `disabled` is what a request without it has.
bool says_something(std::string_view key, value& v) {
  if (json_in::type_of(v) == json_type::null) return false;
  const auto word = json_in::text(v);
  return key != "truncation" || !word || word->escaped != "disabled";
}

bool read_root(reading& in, json_in::object& root) {
  const bool whole = json_in::each_member(root, [&](std::string_view key, value& v) {
    for (const root_member& one : root_members) {
      if (one.key == key) return one.read(in, place{key}, v);
    }
    if (says_something(key, v)) note_member(in.out, key);
    return true;
  });
  return whole || in.unreadable(place{"request"});
}

result<canonical_request> read(std::string_view body, std::size_t readable, reading&& in) {
  thread_local simdjson::ondemand::parser kept;
  simdjson::ondemand::parser once;
  auto& parser = body.size() > kept_parser_bytes_max ? once : kept;
  simdjson::ondemand::document document;
  json_in::object root;
  const simdjson::padded_string_view text(body.data(), body.size(), readable);
  if (parser.iterate(text).get(document) || document.get_object().get(root)) {
    return failed(errc::invalid_input, "request: expected a JSON object");
  }
  if (!read_root(in, root)) return failed(errc::invalid_input, std::move(in.problem));
  settle_tools(in);
  return std::move(in.out);
}

}  // namespace

result<canonical_request> decode_request(const std::string& body, std::string_view model) {
  reading in;
  in.out.source = wire::openai_responses;
  std::string_view text = body;
  std::size_t readable = body.capacity();
  if (readable < body.size() + simdjson::SIMDJSON_PADDING) {
    std::string padded;
    padded.reserve(readable = body.size() + simdjson::SIMDJSON_PADDING);
    text = in.out.texts.keep(std::move(padded.append(body)));
  }
  auto out = read(text, readable, std::move(in));
  if (out && out->model.empty()) out->model = out->texts.keep_plain(model);
  return out;
}

}  // namespace tidegate::protocol::responses
