#include "provider/gemini/provider.hpp"

#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::gemini {
namespace {

constexpr std::size_t alt_bytes_max = 32;

std::string_view method_of(protocol::surface s) {
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

}  // namespace

bool serves(protocol::surface s) {
  return !method_of(s).empty();
}

result<upstream_request> build_request(const request_input& in) {
  auto model = in.upstream_model;
  if (model.starts_with("models/")) model.remove_prefix(7);
  if (!serves(in.surface) || model.empty() || model == "." || model == "..") {
    return failed(errc::invalid_input, "gemini needs a model and a request in its own protocol");
  }
  upstream_request request;
  request.streams = in.surface == protocol::surface::gemini_stream_generate;
  request.url = join_url(in.who.base_url, "v1beta", "models/");
  request.url += path_segment(model).append(":").append(method_of(in.surface));
  if (request.streams) {
    request.url += "?alt=sse";
  } else if (const auto alt = google_alt(in.query); !alt.empty()) {
    request.url.append("?$alt=").append(alt);
  }
  auto edits = begin_edits(in);
  for (const std::string_view key : {"model", "session_id"}) edits.remove(key);
  take_body(request, in, edits);
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  if (!in.who.secret.empty()) {
    set_header(request, "x-goog-api-key", std::string{in.who.secret.reveal()}, true);
  }
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  static constexpr std::array<std::string_view, 4> names{
      "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro", "gemini-3-pro-preview"};
  return names;
}

bool is_family(std::string_view model) {
  const auto name = lower(model);
  return name.starts_with("gemini-") || name.starts_with("gemma-");
}

}  // namespace tidegate::provider::gemini
