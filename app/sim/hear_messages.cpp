#include <fmt/format.h>

#include "app/sim/listener.hpp"
#include "app/sim/thought_token.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t messages_name_chars_max = 128;
constexpr std::int64_t budget_min = 1024;
constexpr double thinking_top_p_min = 0.95;

class messages_listener {
 public:
  explicit messages_listener(const json& body) : body_(body) {}

  heard hear() {
    settings();
    const auto& messages = body_["messages"];
    if (messages.empty() || text_in(messages[0], "role") != "user")
      listener_.object("messages: first message must use the \"user\" role");
    for (std::size_t i = 0; i < messages.size(); ++i) turn(messages[i], i);
    if (listener_.waits()) unanswered();
    if (!messages.empty() && text_in(messages.back(), "role") != "user")
      listener_.object("This model does not support assistant message prefill.");
    if (budgeted_ && bare_calls_)
      listener_.object("Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "
                       "`thinking` is enabled, a final `assistant` message must start with a "
                       "thinking block.");
    return listener_.done();
  }

 private:
  void settings() {
    if (body_["max_tokens"].get<std::int64_t>() < 1)
      listener_.object("max_tokens: Input should be greater than or equal to 1");
    const auto& system = member_in(body_, "system");
    if (system.is_string()) listener_.system(system.get<std::string>());
    if (system.is_array())
      for (const auto& block : system) listener_.system(checked_text(block));
    for (const auto& tool : member_in(body_, "tools")) declare(tool);
    if (body_.contains("tool_choice") && member_in(body_, "tools").empty())
      listener_.object("tool_choice may only be specified while providing tools");
    const auto& format = member_in(member_in(body_, "output_config"), "format");
    if (format.is_object()) {
      listener_.out.schema = format["schema"];
      listener_.closed_schema(format["schema"], false);
    }
    thinking(member_in(body_, "thinking"));
    if (body_.contains("temperature") && body_.contains("top_p"))
      listener_.object("`temperature` and `top_p` cannot both be specified for this model.");
  }

  void declare(const json& tool) {
    const auto type = text_in(tool, "type");
    if (!type.empty() && type != "custom") return;
    listener_.tool(text_in(tool, "name"), messages_name_chars_max);
    if (text_in(tool["input_schema"], "type") != "object")
      listener_.object("tools.input_schema.type: Input should be 'object'");
  }

  void thinking(const json& wish) {
    const auto type = text_in(wish, "type");
    if (type.empty() || type == "disabled") return;
    listener_.out.thinks = true;
    listener_.out.shows_thinking = text_in(wish, "display") != "omitted";
    listener_.out.wants_token = true;
    budgeted_ = type == "enabled";
    if (budgeted_) {
      const auto budget = wish["budget_tokens"].get<std::int64_t>();
      if (budget < budget_min) listener_.object("thinking.budget_tokens: Input should be >= 1024");
      if (budget >= body_["max_tokens"].get<std::int64_t>())
        listener_.object("`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
    if (member_in(body_, "temperature").is_number() && body_["temperature"] != 1)
      listener_.object("`temperature` may only be set to 1 when thinking is enabled.");
    if (member_in(body_, "top_p").is_number() && body_["top_p"].get<double>() < thinking_top_p_min)
      listener_.object("`top_p` must be greater than or equal to 0.95 when thinking is enabled.");
    if (body_.contains("top_k"))
      listener_.object("`top_k` must be unset when thinking is enabled.");
    const auto choice = text_in(member_in(body_, "tool_choice"), "type");
    if (choice == "any" || choice == "tool")
      listener_.object("Thinking may not be enabled when tool_choice forces tool use.");
  }

  void unanswered() {
    listener_.object(fmt::format(
        "`tool_use` ids were found without `tool_result` blocks immediately after: {}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message.",
        listener_.first_waiting()));
  }

  std::string checked_text(const json& block) {
    auto text = text_in(block, "text");
    if (text.empty()) listener_.object("messages: text content blocks must be non-empty");
    return text;
  }

  void turn(const json& message, std::size_t index) {
    const auto& content = message["content"];
    if (content.empty() || content == "")
      return listener_.object(fmt::format("messages.{}: content must be non-empty", index));
    if (text_in(message, "role") == "assistant") {
      if (listener_.waits()) return unanswered();
      return content.is_array() ? assistant(content, index) : void();
    }
    if (content.is_array() && text_in(content[0], "type") == "tool_result") return results(content);
    if (listener_.waits()) return unanswered();
    listener_.begin_order();
    bare_calls_ = false;
    if (content.is_string()) return listener_.order(content.get<std::string>());
    for (const auto& block : content) {
      if (text_in(block, "type") == "tool_result") return unexpected(text_in(block, "tool_use_id"));
      show(block, true);
    }
  }

  void unexpected(const std::string& id) {
    listener_.object("unexpected `tool_use_id` found in `tool_result` blocks: " + id);
  }

  void results(const json& content) {
    bool behind = false;
    for (const auto& block : content) {
      if (text_in(block, "type") != "tool_result") {
        behind = true;
        show(block, false);
        continue;
      }
      if (behind) return listener_.object("`tool_result` blocks must come first");
      result(block);
    }
    if (listener_.waits()) return unanswered();
    listener_.end_round();
  }

  void result(const json& block) {
    const auto& content = member_in(block, "content");
    std::string text = content.is_string() ? content.get<std::string>() : "";
    if (content.is_array())
      for (const auto& part : content) {
        text += text_in(part, "text");
        if (text_in(part, "type") != "text") show(part, false);
      }
    const auto id = text_in(block, "tool_use_id");
    if (!listener_.result(id, text)) unexpected(id);
  }

  void show(const json& block, bool orders) {
    const auto type = text_in(block, "type");
    if (type == "text") {
      const auto text = checked_text(block);
      if (orders) listener_.order(text);
      return;
    }
    const auto& source = block["source"];
    const auto kind = text_in(source, "type");
    if (kind == "base64") listener_.base64(text_in(source, "media_type"), text_in(source, "data"));
    if (kind == "url") listener_.url(text_in(source, "url"));
  }

  void assistant(const json& content, std::size_t index) {
    const auto first = text_in(content[0], "type");
    bool calls = false;
    for (const auto& block : content) {
      const auto type = text_in(block, "type");
      if (type == "text") checked_text(block);
      if (type == "thinking") thought(block, index);
      if (type == "tool_use") {
        calls = true;
        listener_.call(text_in(block, "id"), text_in(block, "name"));
        check_id(text_in(block, "id"));
      }
    }
    bare_calls_ = calls && first != "thinking" && first != "redacted_thinking";
  }

  void check_id(const std::string& id) {
    constexpr std::string_view legal =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    if (id.empty() || id.find_first_not_of(legal) != id.npos)
      listener_.object("tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'");
  }

  void thought(const json& block, std::size_t index) {
    const auto text = text_in(block, "thinking");
    const auto token = text_in(block, "signature");
    // A text that was left out cannot be compared; any other has to be as it was signed.
    const auto vendor = protocol::wire::anthropic_messages;
    const bool own = text.empty() ? is_thought_token(vendor, token)
                                  : token == thought_token(vendor, text);
    ++listener_.out.signed_thoughts;
    if (!own)
      listener_.object(
          fmt::format("messages.{}: Invalid `signature` in `thinking` block", index));
  }

  const json& body_;
  listener listener_;
  bool budgeted_ = false;
  bool bare_calls_ = false;
};

}  // namespace

heard hear_messages(const json& body) { return messages_listener{body}.hear(); }

}  // namespace tidegate::sim
