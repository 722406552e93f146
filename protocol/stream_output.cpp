#include "protocol/stream.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>

namespace tidegate::protocol {
namespace {

using nlohmann::json;

/// An empty container is small; a larger frame has content.
constexpr std::size_t empty_frame_bytes_max = 4096;
/// In a larger frame the word alone decides whether the answer is whole.
constexpr std::size_t last_frame_bytes_max = 64 * 1024;

/// Members that name a part of the answer without being one.
constexpr std::array<std::string_view, 7> label_keys{"role", "index",       "id",    "type",
                                                     "name", "server_name", "caller"};

/// A text that is not empty, wherever it stands, except in labels.
bool speaks(const json& value) {
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  if (value.is_array()) return std::any_of(value.begin(), value.end(), speaks);
  if (!value.is_object()) return false;
  for (const auto& [key, inner] : value.items()) {
    const bool label = std::find(label_keys.begin(), label_keys.end(), key) != label_keys.end();
    if (!label && speaks(inner)) return true;
  }
  return false;
}

bool speaks_at(const json& object, const char* key) {
  if (!object.is_object()) return false;
  const auto at = object.find(key);
  return at != object.end() && speaks(*at);
}

/// Whether one element of the list has a member that speaks.
bool speaks_in(const json& object, const char* list, std::initializer_list<const char*> keys) {
  const auto at = object.find(list);
  if (at == object.end() || !at->is_array()) return false;
  return std::any_of(at->begin(), at->end(), [&](const json& one) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const char* key) { return speaks_at(one, key); });
  });
}

bool is_blocked(const json& data) {
  const auto feedback = data.find("promptFeedback");
  return feedback != data.end() && speaks_at(*feedback, "blockReason");
}

bool responses_output(std::string_view name, const json& data) {
  return !name.ends_with(".delta") || !data.contains("delta") || speaks_at(data, "delta");
}

bool messages_output(std::string_view name, const json& data) {
  if (name == "content_block_start") return speaks_at(data, "content_block");
  if (name == "content_block_delta" || name == "message_delta") return speaks_at(data, "delta");
  return name != "message_stop";
}

std::string_view name_of(const sse_frame& frame, const json& data) {
  if (!frame.event.empty() && frame.event != "message") return frame.event;
  const auto type = data.find("type");
  if (type == data.end() || !type->is_string()) return {};
  return type->get_ref<const std::string&>();
}

bool is_json_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Whether a member of this name, written with its quotes, has a text as its value. Inside
/// strings the quotes would be escaped.
bool states(std::string_view data, std::string_view key) {
  std::string_view rest = data;
  while (rest.size() > key.size()) {
    const void* hit = memmem(rest.data(), rest.size(), key.data(), key.size());
    if (hit == nullptr) return false;
    rest.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(hit) - rest.data()) +
                       key.size());
    const auto value =
        std::find_if(rest.begin(), rest.end(), [](char c) { return !is_json_space(c) && c != ':'; });
    const bool text = value != rest.begin() && value != rest.end() && *value == '"';
    if (text && value + 1 != rest.end() && value[1] != '"') return true;
  }
  return false;
}

json read(std::string_view data) {
  return json::parse(data.begin(), data.end(), nullptr, false);
}

}  // namespace

bool carries_output(wire form, const sse_frame& frame) {
  if (frame.data == "[DONE]") return false;
  if (frame.data.size() > empty_frame_bytes_max) return true;
  const json data = read(frame.data);
  if (!data.is_object()) return true;
  switch (form) {
    case wire::openai_responses:
      return responses_output(name_of(frame, data), data);
    case wire::openai_chat:
      return speaks_in(data, "choices", {"delta", "message", "text", "finish_reason"});
    case wire::anthropic_messages:
      return messages_output(name_of(frame, data), data);
    case wire::gemini:
      return speaks_in(data, "candidates", {"content", "finishReason"}) || is_blocked(data);
  }
  return true;
}

bool finishes(wire form, const sse_frame& frame) {
  switch (form) {
    case wire::openai_chat: {
      if (!states(frame.data, "\"finish_reason\"")) return false;
      if (frame.data.size() > last_frame_bytes_max) return true;
      const json data = read(frame.data);
      return data.is_object() && speaks_in(data, "choices", {"finish_reason"});
    }
    case wire::gemini: {
      const bool stated =
          states(frame.data, "\"finishReason\"") || states(frame.data, "\"blockReason\"");
      if (!stated || frame.data.size() > last_frame_bytes_max) return stated;
      const json data = read(frame.data);
      return data.is_object() &&
             (speaks_in(data, "candidates", {"finishReason"}) || is_blocked(data));
    }
    case wire::openai_responses:
    case wire::anthropic_messages:
      return false;
  }
  return false;
}

std::string_view missing_end(wire form) {
  return form == wire::openai_chat ? "data: [DONE]\n\n" : std::string_view{};
}

}  // namespace tidegate::protocol
