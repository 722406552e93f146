#include "provider/openai_compatibility/provider.hpp"

#include "provider/chat_request.hpp"
#include "provider/request_parts.hpp"

namespace tidegate::provider::openai_compatibility {

/// Compaction exists in the Responses protocol only.
speech speaks(protocol::surface s, std::string_view) {
  const bool compact = s == protocol::surface::responses_compact;
  return {compact ? protocol::wire::openai_responses : protocol::wire::openai_chat,
          protocol::thinking_dialect::chat};
}

bool serves(protocol::surface s) {
  return s == protocol::surface::chat_completions || s == protocol::surface::responses_compact;
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface)) {
    return failed(errc::invalid_input, "this endpoint speaks Chat Completions only");
  }
  auto edits = begin_edits(in);
  upstream_request request;
  if (in.surface == protocol::surface::chat_completions) {
    request = chat_request(in, in.who.base_url + "/chat/completions", edits);
  } else {
    request.url = in.who.base_url + "/responses/compact";
    edits.remove("stream");
    set_common_headers(request, "application/json");
    set_bearer(request, in.who);
  }
  set_model(edits, in);
  take_body(request, in, edits);
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
