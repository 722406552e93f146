#include "protocol/failure.hpp"

#include "protocol/error_shape.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

std::string sse(std::string_view event, std::string_view data) {
  std::string out;
  if (!event.empty()) {
    out += "event: ";
    out += event;
    out += '\n';
  }
  out += "data: ";
  out += data;
  return out + "\n\n";
}

std::string_view responses_event_code(const failure& what) {
  if (!what.code.empty()) return what.code;
  if (what.kind == failure_kind::usage_limit) return "usage_limit_reached";
  if (what.kind == failure_kind::model_cooldown) return "model_cooldown";
  if (what.kind == failure_kind::auth_required) return "upstream_authentication_required";
  const std::string_view code = openai_code(status_of(what.kind));
  return code.empty() ? "invalid_request_error" : code;
}

std::string responses_error_event(const failure& what, instant now, std::int64_t sequence) {
  object_writer out;
  out.text("type", "error").text("code", responses_event_code(what));
  out.text("message", message_of(what)).number("sequence_number", sequence);
  if (what.kind == failure_kind::usage_limit) {
    if (const auto reset = reset_of(what, now)) out.number("resets_at", reset->at);
    out.boolean("retryable", false);
  }
  return out.str();
}

std::string responses_failed_event(const failure& what, instant now, std::int64_t sequence) {
  object_writer response;
  response.text("status", "failed").raw("error", openai_error_object(what, now));
  object_writer out;
  out.text("type", "response.failed").number("sequence_number", sequence);
  return out.raw("response", response.str()).str();
}

}  // namespace

reply encode_failure(wire form, const failure& what, instant now) {
  switch (form) {
    case wire::openai_responses:
    case wire::openai_chat: return openai_reply(what, now);
    case wire::anthropic_messages: return anthropic_reply(what, now);
    case wire::gemini: return gemini_reply(what, now);
  }
  return openai_reply(what, now);
}

std::string encode_stream_failure(wire form, const failure& what, instant now, bool codex_client,
                                  std::int64_t sequence) {
  switch (form) {
    case wire::openai_responses:
      return codex_client ? sse("response.failed", responses_failed_event(what, now, sequence))
                          : sse("error", responses_error_event(what, now, sequence));
    case wire::openai_chat: return sse({}, openai_reply(what, now).body);
    case wire::anthropic_messages: return sse("error", anthropic_reply(what, now).body);
    // A named event would be passed over by Google's SDK, and the stream would look finished.
    case wire::gemini: return sse({}, gemini_reply(what, now).body);
  }
  return {};
}

}  // namespace tidegate::protocol
