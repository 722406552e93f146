#include "provider/openai_compatibility/provider.hpp"

#include "provider/request_parts.hpp"

namespace tidegate::provider::openai_compatibility {

bool serves(protocol::surface s) {
  return s == protocol::surface::chat_completions || s == protocol::surface::responses_compact;
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface)) {
    return failed(errc::invalid_input, "this endpoint speaks Chat Completions only");
  }
  const bool compact = in.surface == protocol::surface::responses_compact;
  upstream_request request;
  request.url = in.who.base_url + (compact ? "/responses/compact" : "/chat/completions");
  request.streams = !compact && in.head.stream;
  auto edits = begin_edits(in);
  set_model(edits, in);
  if (compact) edits.remove("stream");
  if (request.streams && in.head.find("stream_options") == nullptr) {
    edits.set("stream_options", R"({"include_usage":true})");
  }
  take_body(request, in, edits);
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  if (request.streams) set_header(request, "Cache-Control", "no-cache");
  set_bearer(request, in.who);
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  return {};
}

/// Such an endpoint may be anything: it serves what its entry lists.
bool is_family(std::string_view) {
  return false;
}

}  // namespace tidegate::provider::openai_compatibility
