#include "protocol/envelope.hpp"

#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"

#include <algorithm>

namespace tidegate::protocol {
namespace {

constexpr std::size_t session_bytes_max = 256;
constexpr std::size_t model_bytes_max = 1024;
/// Members that only name a session are small; larger ones are not looked into.
constexpr std::size_t session_source_bytes_max = 16 * 1024;
constexpr std::string_view claude_session_mark = "_session_";

bool is_plain_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.';
  });
}

/// Another reader would see `model` where a comparison of raw keys sees something else.
bool hides_a_name(std::string_view raw_key) {
  if (raw_key.find('\\') == std::string_view::npos) return false;
  const auto name = decode_json_string('"' + std::string{raw_key} + '"');
  return !name || is_plain_name(*name);
}

std::optional<std::string> usable(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(space) - first + 1);
  if (text.size() > session_bytes_max) return std::nullopt;
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  return control ? std::nullopt : std::optional{std::string{text}};
}

/// A string member of a small object, decoded.
std::optional<std::string> inner_string(std::string_view object, std::string_view key) {
  const auto layout = read_object(object, object.size());
  if (!layout) return std::nullopt;
  const auto value = find_value(object, *layout, key);
  return value ? decode_json_string(*value) : std::nullopt;
}

/// `user_id` of Claude Code carries its session: JSON text, or `..._session_<id>`.
std::optional<std::string> claude_session(const std::string& user_id) {
  if (user_id.starts_with('{')) {
    const auto id = inner_string(user_id, "session_id");
    return id ? usable(*id) : std::nullopt;
  }
  const auto mark = user_id.rfind(claude_session_mark);
  if (mark == std::string::npos) return std::nullopt;
  return usable(std::string_view{user_id}.substr(mark + claude_session_mark.size()));
}

std::string_view small_value(std::string_view body, const envelope& head, std::string_view key) {
  const member* found = head.find(key);
  if (found == nullptr || found->value_size > session_source_bytes_max) return {};
  return value_of(body, *found);
}

std::optional<std::string> session_of(std::string_view body, const envelope& head) {
  std::optional<std::string> user;
  if (const auto metadata = small_value(body, head, "metadata"); !metadata.empty()) {
    user = inner_string(metadata, "user_id");
  }
  if (user) {
    if (auto id = claude_session(*user)) return id;
  }
  const auto plain = [&](std::string_view key) -> std::optional<std::string> {
    const auto text = decode_json_string(small_value(body, head, key));
    return text ? usable(*text) : std::nullopt;
  };
  for (const std::string_view key : {"session_id", "sessionId", "prompt_cache_key"}) {
    if (auto id = plain(key)) return id;
  }
  const std::string_view conversation = small_value(body, head, "conversation");
  if (conversation.starts_with('{')) {
    const auto id = inner_string(conversation, "id");
    if (auto session = id ? usable(*id) : std::nullopt) return session;
  } else if (auto id = plain("conversation")) {
    return id;
  }
  if (auto id = user ? usable(*user) : std::nullopt) return id;
  return plain("conversation_id");
}

}  // namespace

const member* envelope::find(std::string_view key) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const member& m) { return m.key == key; });
  return found == members.end() ? nullptr : &*found;
}

result<envelope> read_envelope(const std::string& body) {
  auto layout = read_object(body, body.capacity());
  if (!layout) return failed(layout.error().code, layout.error().detail);
  envelope head;
  head.members = std::move(layout->members);
  head.object_begin = layout->begin;
  head.object_end = layout->end;
  const auto hidden = std::find_if(head.members.begin(), head.members.end(),
                                   [](const member& m) { return hides_a_name(m.key); });
  if (hidden != head.members.end()) {
    return failed(errc::invalid_input, "a key is written with escapes");
  }
  for (const std::string_view key : {"model", "stream"}) {
    if (std::count_if(head.members.begin(), head.members.end(),
                      [&](const member& m) { return m.key == key; }) > 1) {
      return failed(errc::invalid_input, "duplicate key: " + std::string{key});
    }
  }
  const member* model = head.find("model");
  if (model != nullptr) {
    auto name = decode_json_string(value_of(body, *model));
    if (!name) return failed(errc::invalid_input, "model must be a string");
    if (name->size() > model_bytes_max) return failed(errc::invalid_input, "model is too long");
    head.model = std::move(*name);
  }
  const member* stream = head.find("stream");
  head.stream = stream != nullptr && value_of(body, *stream) == "true";
  head.session = session_of(body, head);
  return head;
}

}  // namespace tidegate::protocol
