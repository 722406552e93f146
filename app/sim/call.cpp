#include "app/sim/call.hpp"

#include <simdjson.h>

#include <algorithm>

#include "app/sim/head.hpp"

namespace tidegate::sim {
namespace {

std::string_view query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto field = query.substr(0, end);
    if (field.size() > name.size() && field.starts_with(name) && field[name.size()] == '=')
      return field.substr(name.size() + 1);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

std::string key_of(const incoming& request, std::string_view query) {
  auto bearer = request.header_value("authorization");
  if (bearer.size() > 7 && same_header_name(bearer.substr(0, 7), "bearer "))
    return std::string{bearer.substr(7)};
  for (const auto name : {"x-api-key", "x-goog-api-key"})
    if (auto value = request.header_value(name); !value.empty()) return std::string{value};
  return std::string{query_value(query, "key")};
}

/// Reads only the fields that steer the reply; wrong types and broken JSON leave the defaults.
void read_body(const std::string& body, call& out) {
  const simdjson::padded_string padded{body};
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (parser.iterate(padded).get(document) || document.get_object().get(object)) return;
  for (auto entry : object) {
    simdjson::ondemand::field field;
    std::string_view name;
    if (std::move(entry).get(field) || field.unescaped_key().get(name)) return;
    if (name == "model") {
      std::string_view model;
      if (!field.value().get_string().get(model)) out.model = std::string{model};
    } else if (name == "stream") {
      bool stream = false;
      if (!field.value().get_bool().get(stream)) out.stream = stream;
    } else if (name == "stream_options") {
      bool usage = false;
      if (!field.value()["include_usage"].get_bool().get(usage)) out.stream_usage = usage;
    }
  }
}

/// `.../models/M:ACTION`, or `.../v1internal:ACTION` with the model in the body.
void read_google(std::string_view path, std::string_view query, call& out) {
  constexpr std::string_view inner = "/v1internal:";
  const auto models = path.rfind("/models/");
  const auto internal = path.rfind(inner);
  out.enveloped = internal != std::string_view::npos;
  if (models == std::string_view::npos && !out.enveloped) return;
  const auto rest = path.substr(out.enveloped ? internal + 1 : models + 8);
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const auto action = rest.substr(colon + 1);
  if (action == "generateContent" || action == "streamGenerateContent") {
    out.what = operation::generate;
  } else if (action == "countTokens") {
    out.what = operation::count_tokens;
  } else {
    return;
  }
  out.wire = protocol::wire::gemini;
  if (!out.enveloped) out.model = std::string{rest.substr(0, colon)};
  out.stream = action == "streamGenerateContent";
  out.sse = query_value(query, "alt") == "sse";
}

}  // namespace

std::string_view incoming::header_value(std::string_view name) const {
  for (const auto& [field, value] : headers)
    if (same_header_name(field, name)) return value;
  return {};
}

call identify(const incoming& request) {
  using protocol::wire;
  call out;
  const std::string_view target = request.target;
  const auto mark = std::min(target.find('?'), target.size());
  const auto path = target.substr(0, mark);
  const auto query = mark < target.size() ? target.substr(mark + 1) : std::string_view{};
  out.method = request.method;
  out.path = std::string{path};
  out.key = key_of(request, query);
  const auto is = [&](std::string_view end, operation what, wire form) {
    if (!path.ends_with(end)) return false;
    out.what = what;
    out.wire = form;
    return true;
  };
  if (request.method == "POST" &&
      !(is("/responses", operation::generate, wire::openai_responses) ||
        is("/responses/compact", operation::compact, wire::openai_responses) ||
        is("/chat/completions", operation::generate, wire::openai_chat) ||
        is("/v1/messages", operation::generate, wire::anthropic_messages) ||
        is("/v1/messages/count_tokens", operation::count_tokens, wire::anthropic_messages)))
    read_google(path, query, out);
  if (out.wire != wire::gemini || out.enveloped) read_body(request.body, out);
  if (out.what == operation::compact || out.what == operation::count_tokens) out.stream = false;
  return out;
}

}  // namespace tidegate::sim
