#include "protocol/stream.hpp"

#include "protocol/json_object.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace tidegate::protocol {
namespace {

/// How far into a frame's data the deciding members are looked for.
constexpr std::size_t peek_bytes_max = 1024;
/// A chunk that only carries the role is small; a larger one has content.
constexpr std::size_t role_chunk_bytes_max = 4096;

/// For every content frame: memmem does not stop at each quote as string_view::find does.
bool contains(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

bool has_error_member(std::string_view data) {
  if (!contains(data.substr(0, peek_bytes_max), "\"error\"")) return false;
  const auto value = peek_member(data, "error", peek_bytes_max);
  return value && !value->starts_with("null");
}

std::string_view type_of(std::string_view data) {
  return peek_string(data, "type", peek_bytes_max);
}

frame_role responses_role(std::string_view name) {
  if (name == "response.created" || name == "response.in_progress" || name == "response.queued") {
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

bool says_nothing(const nlohmann::json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_array() && value.empty());
}

bool opens_only(const nlohmann::json& choice) {
  const auto delta = choice.find("delta");
  if (delta == choice.end() || !delta->is_object()) return false;
  const auto finish = choice.find("finish_reason");
  if (finish != choice.end() && !says_nothing(*finish)) return false;
  return std::all_of(delta->items().begin(), delta->items().end(), [](const auto& field) {
    return field.key() == "role" || says_nothing(field.value());
  });
}

bool is_role_chunk(std::string_view data) {
  if (data.size() > role_chunk_bytes_max || !contains(data, "\"role\"")) return false;
  const auto chunk = nlohmann::json::parse(data.begin(), data.end(), nullptr, false);
  if (!chunk.is_object()) return false;
  const auto usage = chunk.find("usage");
  if (usage != chunk.end() && !usage->is_null()) return false;
  const auto choices = chunk.find("choices");
  return choices != chunk.end() && choices->is_array() && !choices->empty() &&
         std::all_of(choices->begin(), choices->end(),
                     [](const auto& choice) { return choice.is_object() && opens_only(choice); });
}

frame_role role_in_chat(const sse_frame& frame) {
  if (frame.data == "[DONE]") return frame_role::end;
  if (frame.event == "error" || has_error_member(frame.data)) return frame_role::error;
  return is_role_chunk(frame.data) ? frame_role::lifecycle : frame_role::content;
}

frame_role role_in_messages(const sse_frame& frame) {
  const std::string_view name = frame.event.empty() ? type_of(frame.data) : frame.event;
  if (name == "message_start") return frame_role::lifecycle;
  if (name == "ping") return frame_role::comment;
  if (name == "message_stop") return frame_role::end;
  if (name == "error") return frame_role::error;
  return name.empty() && has_error_member(frame.data) ? frame_role::error : frame_role::content;
}

frame_role role_in_gemini(const sse_frame& frame) {
  return frame.event == "error" || has_error_member(frame.data) ? frame_role::error
                                                                : frame_role::content;
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

bool needs_terminal(wire form) { return form != wire::gemini; }

}  // namespace tidegate::protocol
