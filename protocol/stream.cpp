#include "protocol/stream.hpp"

#include "protocol/json_object.hpp"

#include <charconv>
#include <cstring>

namespace tidegate::protocol {
namespace {

/// How far into a frame's data the deciding members are looked for.
constexpr std::size_t peek_bytes_max = 1024;
/// No stream has more events.
constexpr std::int64_t sequence_max = 1'000'000'000'000;

/// Asked for every content frame: memmem does not stop at each quote as string_view::find does.
bool contains(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

bool has_error_member(std::string_view data) {
  if (!contains(data.substr(0, peek_bytes_max), "\"error\"")) return false;
  const auto value = peek_member(data, "error", peek_bytes_max);
  return value && !value->starts_with("null");
}

/// `{"code":429,"message":"..."}`, the error without a member around it.
bool is_bare_error(std::string_view data) {
  const auto head = data.substr(0, peek_bytes_max);
  if (!contains(head, "\"code\"") || !contains(head, "\"message\"")) return false;
  const auto code = peek_member(data, "code", peek_bytes_max);
  const bool told = code && !code->starts_with("null") && !code->starts_with("0");
  return told && peek_member(data, "message", peek_bytes_max) &&
         !peek_member(data, "choices", peek_bytes_max);
}

std::string_view type_of(std::string_view data) {
  return peek_string(data, "type", peek_bytes_max);
}

frame_role responses_role(std::string_view name) {
  if (name == "response.created" || name == "response.in_progress" || name == "response.queued" ||
      name == "response.output_item.added" || name == "response.content_part.added" ||
      name == "response.reasoning_summary_part.added") {
    return frame_role::lifecycle;
  }
  if (name == "response.completed" || name == "response.incomplete" || name == "response.done") {
    return frame_role::end;
  }
  if (name == "error" || name == "response.error" || name == "response.failed") {
    return frame_role::error;
  }
  if (name == "keepalive" || name.starts_with("codex.")) return frame_role::telemetry;
  return frame_role::content;
}

frame_role role_in_responses(const sse_frame& frame) {
  const frame_role by_event = responses_role(frame.event);
  if (by_event != frame_role::content || frame.event.starts_with("response.")) return by_event;
  if (frame.data == "[DONE]") return frame_role::telemetry;
  const std::string_view type = type_of(frame.data);
  if (type.empty() && has_error_member(frame.data)) return frame_role::error;
  return responses_role(type);
}

frame_role role_in_chat(const sse_frame& frame) {
  if (frame.data == "[DONE]") return frame_role::end;
  if (frame.event == "error" || has_error_member(frame.data) || is_bare_error(frame.data)) {
    return frame_role::error;
  }
  return frame_role::content;
}

frame_role role_in_messages(const sse_frame& frame) {
  const std::string_view name = frame.event.empty() ? type_of(frame.data) : frame.event;
  if (name == "message_start" || name == "content_block_stop") return frame_role::lifecycle;
  if (name == "ping") return frame_role::comment;
  if (name == "message_stop") return frame_role::end;
  if (name == "error") return frame_role::error;
  return name.empty() && has_error_member(frame.data) ? frame_role::error : frame_role::content;
}

/// Every frame is read as a whole: nothing but well-formed frames tells a cut answer from a whole
/// one here.
frame_role role_in_gemini(const sse_frame& frame) {
  const bool wrapped = frame.data.starts_with('[');  // Google's form of some stream errors
  if (frame.event == "error" || has_error_member(frame.data.substr(wrapped ? 1 : 0))) {
    return frame_role::error;
  }
  if (frame.data.empty() || frame.data == "[DONE]") return frame_role::comment;
  const bool whole = read_object(frame.data, frame.data.size()).has_value();
  return whole ? frame_role::content : frame_role::broken;
}

}  // namespace

frame_role role_of(wire form, const sse_frame& frame) {
  if (frame.data.empty() && frame.event.empty()) return frame_role::comment;
  switch (form) {
    case wire::openai_responses: return role_in_responses(frame);
    case wire::openai_chat: return role_in_chat(frame);
    case wire::anthropic_messages: return role_in_messages(frame);
    case wire::gemini: return role_in_gemini(frame);
  }
  return frame_role::content;
}

std::int64_t next_sequence(std::string_view event) {
  const auto value = peek_member(event, "sequence_number", peek_bytes_max);
  std::int64_t number = -1;
  if (value) std::from_chars(value->data(), value->data() + value->size(), number);
  return number >= 0 && number < sequence_max ? number + 1 : 0;
}

bool close_last_frame(sse_splitter& split) {
  const std::string rest{split.rest()};
  if (rest.find_first_not_of("\r\n") == std::string::npos) return true;
  const std::string_view closing = rest.ends_with('\n') ? "\n" : "\n\n";
  sse_splitter last{rest.size() + closing.size()};
  sse_frame frame;
  if (!last.feed(rest) || !last.feed(closing) || !last.next(frame)) return false;
  if (frame.data.empty()) return true;
  const bool whole = frame.data == "[DONE]" || read_object(frame.data, frame.data.size());
  return whole && split.feed(closing).has_value();
}

}  // namespace tidegate::protocol
