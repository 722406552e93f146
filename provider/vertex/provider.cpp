#include "provider/vertex/provider.hpp"

#include "provider/chat_request.hpp"
#include "provider/google_request.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"
#include "provider/vertex/imagen.hpp"

#include <fmt/format.h>

#include <array>

namespace tidegate::provider::vertex {
namespace {

using protocol::thinking_dialect;
using protocol::wire;

/// What the addresses of a service account begin with.
std::string place_of(const credential& who) {
  const auto path = fmt::format("projects/{}/locations/{}/", who.project_id, who.location);
  return join_url(who.base_url, "v1", path);
}

/// Where Google's own models are.
std::string models_of(const credential& who) {
  constexpr std::string_view models = "publishers/google/models/";
  return who.auth == auth_kind::account ? place_of(who).append(models)
                                        : join_url(who.base_url, "v1", models);
}

void set_login(upstream_request& request, const credential& who) {
  if (who.auth == auth_kind::account) return set_bearer(request, who);
  if (who.secret.empty()) return;
  set_header(request, "x-goog-api-key", std::string{who.secret.reveal()}, true);
}

result<upstream_request> ask_imagen(const request_input& in) {
  auto made = google_request(in, models_of(in.who));
  if (!made || in.surface == protocol::surface::gemini_count_tokens) return made;
  auto body = predict_body(in);
  if (!body) return std::unexpected{body.error()};
  auto& request = *made;
  request.url.resize(request.url.rfind(':'));
  request.url += ":predict";
  request.streams = false;
  request.body.clear();
  request.owned.push_back(std::make_unique<std::string>(std::move(*body)));
  request.body.emplace_back(*request.owned.back());
  request.answer = std::make_unique<picture_answer>();
  set_header(request, "Accept", "application/json");
  return made;
}

result<upstream_request> ask_open_model(const request_input& in) {
  if (in.who.auth != auth_kind::account || in.surface != protocol::surface::chat_completions) {
    return failed(errc::invalid_input, "open models take Chat calls of a service account only");
  }
  auto edits = begin_edits(in);
  auto request = chat_request(in, place_of(in.who) + "endpoints/openapi/chat/completions", edits);
  set_model(edits, in);
  take_body(request, in, edits);
  return finish(std::move(request), in);
}

}  // namespace

bool is_open_model(std::string_view model) {
  return model.find('/') != std::string_view::npos && !model.starts_with("models/");
}

speech speaks(protocol::surface, std::string_view upstream_model) {
  if (is_open_model(upstream_model)) return {wire::openai_chat, thinking_dialect::chat};
  return {wire::gemini, thinking_dialect::gemini, protocol::token_owner::gemini, false};
}

bool serves(protocol::surface s) {
  return !google_method(s).empty() || s == protocol::surface::chat_completions;
}

result<upstream_request> build_request(const request_input& in) {
  if (is_open_model(in.upstream_model)) return ask_open_model(in);
  auto request = is_imagen(in.upstream_model) ? ask_imagen(in)
                                              : google_request(in, models_of(in.who));
  if (!request) return request;
  set_login(*request, in.who);
  return finish(std::move(*request), in);
}

std::span<const std::string_view> listed_models() {
  static constexpr std::array<std::string_view, 4> names{
      "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro", "gemini-3-pro-preview"};
  return names;
}

bool is_family(std::string_view model) {
  const auto name = lower(model);
  if (!is_open_model(name)) return name.starts_with("gemini-") || is_imagen(name);
  const auto slash = name.find('/');
  return slash != 0 && name.find('/', slash + 1) == std::string::npos && name.ends_with("-maas");
}

std::string_view unreachable(const credential& who) {
  return who.auth == auth_kind::account ? "" : "*/*";
}

}  // namespace tidegate::provider::vertex
