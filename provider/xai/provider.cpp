#include "provider/xai/provider.hpp"

#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"
#include "provider/xai/body.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::xai {
namespace {

constexpr std::size_t session_bytes_max = 256;

/// The session as a header value; empty when it cannot be one.
std::string plain_session(const request_input& in) {
  const auto session = in.session();
  const bool plain =
      session.size() <= session_bytes_max &&
      std::all_of(session.begin(), session.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  return plain ? std::string{session} : std::string{};
}

}  // namespace

speech speaks(protocol::surface, std::string_view) {
  return {protocol::wire::openai_responses, protocol::thinking_dialect::xai,
          protocol::token_owner::grok};
}

bool serves(protocol::surface s) {
  return s == protocol::surface::responses || s == protocol::surface::responses_compact;
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface)) {
    return failed(errc::invalid_input, "xai does not speak this request's protocol");
  }
  if (const auto alone = check_stands_alone(in); !alone) return std::unexpected{alone.error()};
  const bool compact = in.surface == protocol::surface::responses_compact;
  upstream_request request;
  request.url = in.who.base_url + (compact ? "/responses/compact" : "/responses");
  request.streams = !compact;
  request.fold = !compact && !in.head.stream;
  auto edits = begin_edits(in);
  request.answer = edit_body(edits, in);
  if (compact) {
    edits.remove("stream");
  } else if (raw_member(in, "stream") != "true") {
    edits.set("stream", "true");
  }
  const auto session = plain_session(in);
  if (!session.empty() && raw_member(in, "prompt_cache_key").empty()) {
    edits.set("prompt_cache_key", protocol::json_quote(session));
  }
  take_body(request, in, edits);
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  set_bearer(request, in.who);
  if (!session.empty()) set_header(request, "x-grok-conv-id", session);
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  static constexpr std::array<std::string_view, 5> names{
      "grok-4.20-0309-reasoning", "grok-4.3", "grok-4.5", "grok-4.6", "grok-code-fast-1"};
  return names;
}

bool is_family(std::string_view model) {
  return lower(model).starts_with("grok-");
}

}  // namespace tidegate::provider::xai
