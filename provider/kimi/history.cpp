#include "provider/kimi/history.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "provider/text_match.hpp"

#include <set>

namespace tidegate::provider::kimi {
namespace {

using protocol::inside_of;
using protocol::member_of;

constexpr std::string_view no_reasoning = R"("[reasoning unavailable]")";

bool says_something(std::string_view token) {
  return !trimmed(inside_of(token)).empty();
}

bool has_elements(std::string_view list) {
  return list.starts_with('[') && !trimmed(list.substr(1)).starts_with(']');
}

/// The raw token of a message's first text; empty when it has none.
std::string_view text_of(std::string_view message) {
  const auto content = member_of(message, "content");
  if (says_something(content)) return content;
  const auto parts = content.starts_with('[') ? protocol::items_of(content) : std::nullopt;
  if (!parts) return {};
  for (const auto& part : *parts) {
    const auto text = member_of(content.substr(part.offset, part.size), "text");
    if (says_something(text)) return text;
  }
  return {};
}

class mender {
 public:
  explicit mender(std::string_view messages) : messages_(messages) {}

  std::optional<std::string> run() {
    const auto items = messages_.starts_with('[') ? protocol::items_of(messages_) : std::nullopt;
    if (!items) return std::nullopt;
    for (const auto& item : *items) take(messages_.substr(item.offset, item.size));
    if (!changed_) return std::nullopt;
    return out_ + ']';
  }

 private:
  void take(std::string_view message) {
    const auto role = inside_of(member_of(message, "role"));
    if (role == "assistant") return take_assistant(message);
    if (role == "tool") return take_result(message);
    keep(message);
  }

  void take_assistant(std::string_view message) {
    const auto calls = member_of(message, "tool_calls");
    const auto reasoning = member_of(message, "reasoning_content");
    if (says_something(reasoning)) reasoning_ = reasoning;
    if (has_elements(calls)) {
      note_calls(calls);
      if (says_something(reasoning)) return keep(message);
      return replace(protocol::with_member(message, "reasoning_content", reasoning_for(message)));
    }
    const bool empty = is_empty(member_of(message, "content")) && !says_something(reasoning) &&
                       member_of(message, "function_call").empty() &&
                       !says_something(member_of(message, "refusal"));
    if (empty) {
      changed_ = true;
    } else {
      keep(message);
    }
  }

  static bool is_empty(std::string_view content) {
    if (content.starts_with('"')) return !says_something(content);
    return content.empty() || content == "null" ||
           (content.starts_with('[') && !has_elements(content));
  }

  std::string reasoning_for(std::string_view message) const {
    if (!reasoning_.empty()) return std::string{reasoning_};
    const auto text = text_of(message);
    return std::string{text.empty() ? no_reasoning : text};
  }

  void note_calls(std::string_view calls) {
    const auto items = protocol::items_of(calls);
    if (!items) return;
    for (const auto& item : *items) {
      const auto id = member_of(calls.substr(item.offset, item.size), "id");
      if (says_something(id)) open_.insert(id);
    }
  }

  void take_result(std::string_view message) {
    if (const auto id = member_of(message, "tool_call_id"); says_something(id)) {
      open_.erase(id);
      return keep(message);
    }
    auto id = member_of(message, "call_id");
    if (!says_something(id)) id = open_.size() == 1 ? *open_.begin() : std::string_view{};
    if (id.empty()) return keep(message);
    replace(protocol::with_member(message, "tool_call_id", std::string{id}));
    open_.erase(id);
  }

  void keep(std::string_view message) { out_.append(out_.size() > 1 ? "," : "").append(message); }
  void replace(const std::string& message) {
    changed_ = true;
    keep(message);
  }

  std::string_view messages_;
  std::string out_ = "[";
  std::string_view reasoning_;       ///< raw token of the last one that says something
  std::set<std::string_view> open_;  ///< raw ids of calls without a result
  bool changed_ = false;
};

}  // namespace

std::optional<std::string> mended_history(std::string_view messages) {
  return mender{messages}.run();
}

}  // namespace tidegate::provider::kimi
