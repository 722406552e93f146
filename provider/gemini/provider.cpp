#include "provider/gemini/provider.hpp"

#include "provider/google_request.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <array>

namespace tidegate::provider::gemini {

speech speaks(protocol::surface, std::string_view) {
  return {protocol::wire::gemini, protocol::thinking_dialect::gemini,
          protocol::token_owner::gemini};
}

bool serves(protocol::surface s) {
  return !google_method(s).empty();
}

result<upstream_request> build_request(const request_input& in) {
  auto request = google_request(in, join_url(in.who.base_url, "v1beta", "models/"));
  if (!request) return request;
  if (!in.who.secret.empty()) {
    set_header(*request, "x-goog-api-key", std::string{in.who.secret.reveal()}, true);
  }
  return finish(std::move(*request), in);
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
