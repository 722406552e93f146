#include <simdjson.h>

#include <array>

#include "protocol/canonical/chat/chat.hpp"
#include "protocol/canonical/chat/reading.hpp"
#include "protocol/canonical/client_settings.hpp"

namespace tidegate::protocol::chat {
namespace {

using json_in::json_type;
using json_in::value;

/// Bodies up to this size share one parser per thread; its buffers are about six times as large.
constexpr std::size_t kept_parser_bytes_max = 512 * 1024;

struct wish_state : reading {
  std::optional<std::int64_t> max_tokens;
  std::optional<std::int64_t> max_completion_tokens;
  raw_text user;
  raw_text safety_identifier;
  std::optional<bool> include_reasoning;
};

struct text_row {
  std::string_view key;
  raw_text& (*target)(wish_state& to);
};
constexpr std::array<text_row, 6> text_rows{{
    {"model", [](wish_state& to) -> raw_text& { return to.out.model; }},
    {"prompt_cache_key", [](wish_state& to) -> raw_text& { return to.out.cache.key; }},
    {"prompt_cache_retention", [](wish_state& to) -> raw_text& { return to.out.cache.retention; }},
    {"service_tier", [](wish_state& to) -> raw_text& { return to.out.service_tier; }},
    {"user", [](wish_state& to) -> raw_text& { return to.user; }},
    {"safety_identifier", [](wish_state& to) -> raw_text& { return to.safety_identifier; }},
}};

struct number_row {
  std::string_view key;
  std::string_view sampling::*target;
};
constexpr std::array<number_row, 8> number_rows{{
    {"temperature", &sampling::temperature},
    {"top_p", &sampling::top_p},
    {"top_k", &sampling::top_k},
    {"n", &sampling::n},
    {"frequency_penalty", &sampling::frequency_penalty},
    {"presence_penalty", &sampling::presence_penalty},
    {"seed", &sampling::seed},
    {"top_logprobs", &sampling::top_logprobs},
}};

bool read_texts(reading& to, value& v, std::vector<raw_text>& into) {
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return to.wrong.set("not an array");
  }
  return json_in::each_element(list, [&](value& element, std::size_t position) {
    return take_text(element, into.emplace_back(), to.wrong) || to.wrong.under(position);
  });
}

bool read_stop(wish_state& to, value& v) {
  if (is_null(v)) return true;
  const auto one = json_in::text(v);
  if (!one) return read_texts(to, v, to.out.stop);
  to.out.stop.push_back(*one);
  return true;
}

bool read_stream_options(wish_state& to, value& v) {
  if (is_null(v)) return true;
  return members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    if (key == "include_usage") to.out.stream_usage = json_in::boolean(inner).value_or(false);
    return true;
  });
}

bool read_flag(wish_state& to, value& v, bool& into) {
  std::optional<bool> flag;
  if (!take_boolean(v, flag, to.wrong)) return false;
  into = flag.value_or(false);
  return true;
}

bool read_logprobs(wish_state& to, value& v) {
  std::optional<bool> on;
  if (!take_boolean(v, on, to.wrong)) return false;
  if (on) to.out.sampling.logprobs = *on ? "true" : "false";
  return true;
}

using reader = bool (*)(wish_state&, value&);
struct reader_row {
  std::string_view key;
  reader read;
};
constexpr std::array<reader_row, 23> reader_rows{{
    {"messages", [](wish_state& to, value& v) { return read_messages(to, v); }},
    {"tools", [](wish_state& to, value& v) { return read_tools(to, v); }},
    {"tool_choice", [](wish_state& to, value& v) { return read_tool_choice(to, v); }},
    {"functions", [](wish_state& to, value& v) { return read_functions(to, v); }},
    {"function_call", [](wish_state& to, value& v) { return read_function_choice(to, v); }},
    {"stream", [](wish_state& to, value& v) { return read_flag(to, v, to.out.stream); }},
    {"stream_options", read_stream_options},
    {"parallel_tool_calls",
     [](wish_state& to, value& v) {
       return take_boolean(v, to.out.parallel_tool_calls, to.wrong);
     }},
    {"max_tokens",
     [](wish_state& to, value& v) { return take_integer(v, to.max_tokens, to.wrong); }},
    {"max_completion_tokens",
     [](wish_state& to, value& v) { return take_integer(v, to.max_completion_tokens, to.wrong); }},
    {"stop", read_stop},
    {"logprobs", read_logprobs},
    {"reasoning_effort", [](wish_state& to, value& v) { return read_effort(to, v); }},
    {"reasoning", [](wish_state& to, value& v) { return read_reasoning(to, v); }},
    {"thinking", [](wish_state& to, value& v) { return read_thinking(to, v); }},
    {"extra_body", [](wish_state& to, value& v) { return read_extra_body(to, v); }},
    {"include_reasoning",
     [](wish_state& to, value& v) { return take_boolean(v, to.include_reasoning, to.wrong); }},
    {"response_format", [](wish_state& to, value& v) { return read_response_format(to, v); }},
    {"metadata",
     [](wish_state& to, value& v) { return take_object(v, to.out.metadata, to.wrong); }},
    {"store", [](wish_state& to, value& v) { return take_boolean(v, to.out.store, to.wrong); }},
    {"modalities", [](wish_state& to,
                      value& v) { return is_null(v) || read_texts(to, v, to.out.out_modalities); }},
    {"image_config", [](wish_state& to, value& v) { return read_image_config(to, v); }},
    {"web_search_options", [](wish_state& to, value& v) { return read_web_search_options(to, v); }},
}};

bool read_member(wish_state& to, std::string_view key, value& v, bool& has_messages) {
  for (const reader_row& row : reader_rows) {
    if (row.key != key) continue;
    if (&row == &reader_rows.front()) has_messages = true;
    return row.read(to, v);
  }
  for (const text_row& row : text_rows) {
    if (row.key == key) return take_text(v, row.target(to), to.wrong);
  }
  for (const number_row& row : number_rows) {
    if (row.key == key) return take_number(v, to.out.sampling.*row.target, to.wrong);
  }
  if (key != "verbosity") {
    if (!is_null(v)) note_member(to.out, key);
    return true;
  }
  raw_text word;
  if (!take_text(v, word, to.wrong)) return false;
  to.out.format.verbosity = word.escaped;
  return true;
}

/// Members that speak of the same thing.
void settle(wish_state& to) {
  auto& out = to.out;
  out.max_output_tokens = to.max_completion_tokens ? to.max_completion_tokens : to.max_tokens;
  out.end_user = to.user.empty() ? to.safety_identifier : to.user;
  auto& wish = out.reasoning;
  if (to.include_reasoning == false) wish.summary = "none";
  const bool thinks = wish.mode != reasoning_mode::unset && wish.mode != reasoning_mode::off;
  if ((thinks || to.include_reasoning == true) && wish.summary.empty()) wish.summary = "auto";
  if (wish.summary == "none" || wish.mode == reasoning_mode::off) wish.show_thoughts = false;
  if (!wish.summary.empty() && wish.summary != "none") wish.show_thoughts = true;
}

bool read_document(wish_state& to, simdjson::padded_string_view text) {
  thread_local simdjson::ondemand::parser kept;
  simdjson::ondemand::parser once;
  auto& parser = text.size() > kept_parser_bytes_max ? once : kept;
  simdjson::ondemand::document document;
  json_in::object root;
  if (parser.iterate(text).get(document) || document.get_object().get(root)) {
    return to.wrong.set("not a JSON object");
  }
  bool has_messages = false;
  const bool good = json_in::each_member(root, [&](std::string_view key, value& v) {
    return read_member(to, key, v, has_messages) || to.wrong.under(key);
  });
  if (good && !has_messages) return to.wrong.set("missing") || to.wrong.under("messages");
  return good;
}

}  // namespace

result<canonical_request> decode_request(const std::string& body, std::string_view model) {
  wish_state to;
  to.out.source = wire::openai_chat;
  simdjson::padded_string_view text{body.data(), body.size(), body.capacity()};
  if (body.capacity() < body.size() + simdjson::SIMDJSON_PADDING) {
    std::string copy;
    copy.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    const std::size_t capacity = copy.append(body).capacity();
    const char* const kept = to.out.texts.keep(std::move(copy)).data();
    text = simdjson::padded_string_view{kept, body.size(), capacity};
  }
  if (!read_document(to, text)) return std::unexpected{to.wrong.as_error()};
  settle(to);
  if (to.out.model.empty()) to.out.model = to.out.texts.keep_plain(model);
  return std::move(to.out);
}

}  // namespace tidegate::protocol::chat
