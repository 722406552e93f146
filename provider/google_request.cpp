#include "provider/google_request.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_object.hpp"
#include "protocol/models.hpp"
#include "protocol/splice.hpp"
#include "provider/error_body.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider {
namespace {

constexpr std::size_t alt_bytes_max = 32;
/// Counting takes the conversation alone.
constexpr std::array<std::string_view, 7> uncounted{
    "tools",          "toolConfig",      "tool_config",    "generationConfig",
    "generation_config", "safetySettings", "safety_settings"};

bool is_unreserved(char c) {
  const char l = lower_char(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

std::string path_segment(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return out;
}

/// `$alt` is Google's own spelling of the answer's form; a plain word is passed on.
std::string_view google_alt(std::string_view query) {
  for (const std::string_view name : {"$alt=", "%24alt="}) {
    auto at = query.find(name);
    while (at != std::string_view::npos && at != 0 && query[at - 1] != '&') {
      at = query.find(name, at + 1);
    }
    if (at == std::string_view::npos) continue;
    const auto value = query.substr(at + name.size(), query.find('&', at) - at - name.size());
    const bool plain = std::all_of(value.begin(), value.end(), is_unreserved);
    if (plain && value.size() <= alt_bytes_max) return value;
  }
  return {};
}

/// What a fit of thinking has set already, else the body's own.
std::string_view current(const request_input& in, std::string_view key) {
  for (const auto& one : in.edits) {
    if (one.key == key) return one.raw ? std::string_view{*one.raw} : std::string_view{};
  }
  return raw_member(in, key);
}

/// Google takes a number in quotes, too, and with an exponent.
std::optional<double> figure_of(std::string_view token) {
  const auto quoted = protocol::inside_of(token);
  return number_from(quoted.empty() ? token : quoted);
}

/// A whole request that is to be counted names its model, too. Its tools are part of what it asks
/// to count.
void name_counted_model(protocol::splice& edits, const request_input& in) {
  for (const std::string_view key : {"generateContentRequest", "generate_content_request"}) {
    const auto counted = raw_member(in, key);
    const auto named = protocol::inside_of(protocol::member_of(counted, "model"));
    if (named.empty()) continue;
    auto model = in.upstream_model;
    model.remove_prefix(model.starts_with("models/") ? 7 : 0);
    const auto full = std::string{named.substr(0, named.rfind('/') + 1)}.append(model);
    if (named == full) continue;
    edits.set(key, protocol::with_member(counted, "model", protocol::json_quote(full)));
  }
}

}  // namespace

void cap_output(protocol::splice& edits, const request_input& in) {
  const auto* const model = protocol::find_model(in.upstream_model);
  if (model == nullptr || model->max_output == 0) return;
  for (const std::string_view key : {"generationConfig", "generation_config"}) {
    const auto config = current(in, key);
    for (const std::string_view name : {"maxOutputTokens", "max_output_tokens"}) {
      const auto asked = figure_of(protocol::member_of(config, name));
      if (!asked || *asked <= static_cast<double>(model->max_output)) continue;
      edits.set(key, protocol::with_member(config, name, std::to_string(model->max_output)));
      break;
    }
  }
}

void begin_with_user(protocol::splice& edits, const request_input& in) {
  constexpr std::string_view empty_turn = R"({"role":"user","parts":[{"text":""}]},)";
  const auto contents = raw_member(in, "contents");
  if (protocol::inside_of(protocol::member_of(contents, "role")) == "model") {
    edits.set("contents", std::string{"["}.append(empty_turn).append(contents).append("]"));
    return;
  }
  const auto first = contents.find_first_not_of(" \t\r\n", 1);
  if (!contents.starts_with('[') || first == std::string_view::npos || contents[first] != '{') {
    return;
  }
  const auto role = protocol::peek_string(contents.substr(first), "role", contents.size() - first);
  if (role != "model") return;
  const auto at = static_cast<std::size_t>(contents.data() - in.body.data());
  edits.replace(at + first, 0, std::string{empty_turn});
}

std::string_view google_method(protocol::surface s) {
  switch (s) {
    case protocol::surface::gemini_generate:
      return "generateContent";
    case protocol::surface::gemini_stream_generate:
      return "streamGenerateContent";
    case protocol::surface::gemini_count_tokens:
      return "countTokens";
    case protocol::surface::responses:
    case protocol::surface::responses_compact:
    case protocol::surface::chat_completions:
    case protocol::surface::completions:
    case protocol::surface::messages:
    case protocol::surface::count_tokens:
      return {};
  }
  return {};
}

void edit_google_body(protocol::splice& edits, const request_input& in) {
  for (const std::string_view key : {"model", "session_id"}) edits.remove(key);
  if (in.surface == protocol::surface::gemini_count_tokens) {
    for (const auto key : uncounted) edits.remove(key);
    name_counted_model(edits, in);
    return;
  }
  cap_output(edits, in);
  begin_with_user(edits, in);
}

result<upstream_request> google_request(const request_input& in, std::string models_url) {
  auto model = in.upstream_model;
  if (model.starts_with("models/")) model.remove_prefix(7);
  const auto method = google_method(in.surface);
  if (method.empty() || model.empty() || model == "." || model == "..") {
    return failed(errc::invalid_input, "gemini needs a model and a request in its own protocol");
  }
  upstream_request request;
  request.streams = in.surface == protocol::surface::gemini_stream_generate;
  request.url = std::move(models_url);
  request.url += path_segment(model).append(":").append(method);
  if (request.streams) {
    request.url += "?alt=sse";
  } else if (const auto alt = google_alt(in.query); !alt.empty()) {
    request.url.append("?$alt=").append(alt);
  }
  auto edits = begin_edits(in);
  edit_google_body(edits, in);
  take_body(request, in, edits);
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  return request;
}

}  // namespace tidegate::provider
