#include "provider/codex/provider.hpp"

#include "provider/codex/body.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::codex {
namespace {

constexpr std::size_t session_bytes_max = 256;

/// The cache key of a conversation doubles as its session, so that one machine sees all turns.
void set_session(upstream_request& request, const request_input& in) {
  const auto raw = raw_member(in, "prompt_cache_key");
  if (raw.size() < 3 || raw.size() > session_bytes_max || raw.front() != '"') return;
  const auto key = raw.substr(1, raw.size() - 2);
  const bool plain =
      std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '\\'; });
  if (plain) set_header(request, "Session-Id", std::string{key});
}

void set_headers(upstream_request& request, const request_input& in) {
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  set_bearer(request, in.who);
  if (in.who.auth == auth_kind::account && !in.who.account_id.empty()) {
    set_header(request, "Chatgpt-Account-Id", in.who.account_id, true);
  }
  if (is_chatgpt_backend(in.who)) set_session(request, in);
  forward_headers(request, in,
                  {"Originator", "Version", "X-Codex-Turn-Metadata", "X-Client-Request-Id",
                   "X-Codex-Window-Id", "Thread-Id", "Session-Id",
                   "X-OpenAI-Internal-Codex-Responses-Lite", "X-Codex-Beta-Features"});
}

}  // namespace

speech speaks(protocol::surface, std::string_view) {
  return {protocol::wire::openai_responses, protocol::thinking_dialect::codex,
          protocol::token_owner::gpt};
}

bool serves(protocol::surface s) {
  return s == protocol::surface::responses || s == protocol::surface::responses_compact;
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface)) {
    return failed(errc::invalid_input, "codex does not speak this request's protocol");
  }
  const bool compact = in.surface == protocol::surface::responses_compact;
  upstream_request request;
  request.url = in.who.base_url + (compact ? "/responses/compact" : "/responses");
  auto edits = begin_edits(in);
  if (!is_chatgpt_backend(in.who)) {
    request.streams = !compact && in.head.stream;
    set_model(edits, in);
    if (compact) edits.remove("stream");
  } else if (const auto alone = check_stands_alone(in); !alone) {
    return std::unexpected{alone.error()};
  } else if (compact) {
    edit_compact(edits, in);
  } else {
    request.streams = true;
    request.fold = !in.head.stream;
    edit_responses(edits, in);
  }
  take_body(request, in, edits);
  set_headers(request, in);
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  static constexpr std::array<std::string_view, 4> names{"gpt-5.3-codex", "gpt-5.4", "gpt-5.4-mini",
                                                         "gpt-5.5"};
  return names;
}

bool is_family(std::string_view model) {
  const auto name = lower(model);
  return name.starts_with("gpt-") || name.starts_with("codex-") ||
         (name.size() > 1 && name[0] == 'o' && name[1] >= '0' && name[1] <= '9');
}

}  // namespace tidegate::provider::codex
