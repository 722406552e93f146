#include <fmt/format.h>

#include "app/sim/listener.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t chat_stops_max = 4;
constexpr std::size_t chat_name_chars_max = 64;

class chat_listener {
 public:
  explicit chat_listener(const json& body) : body_(body) {}

  heard hear() {
    settings();
    for (const auto& message : body_["messages"]) turn(message);
    if (body_["messages"].empty()) listener_.object("messages: must not be empty");
    if (listener_.waits()) unanswered();
    return listener_.done();
  }

 private:
  void settings() {
    const bool stream = member_in(body_, "stream") == true;
    if (body_.contains("stream_options") && !stream)
      listener_.object("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
    const auto& tools = member_in(body_, "tools");
    if (tools.empty()) {
      for (const auto* key : {"tool_choice", "parallel_tool_calls"})
        if (body_.contains(key))
          listener_.object(fmt::format("'{}' is only allowed when 'tools' are specified.", key));
    }
    for (const auto& tool : tools) declare(tool);
    if (member_in(body_, "stop").is_array() && member_in(body_, "stop").size() > chat_stops_max)
      listener_.object("stop: expected at most 4 sequences");
    format(member_in(body_, "response_format"));
    const auto effort = text_in(body_, "reasoning_effort");
    listener_.out.thinks = !effort.empty() && effort != "none";
    listener_.out.shows_thinking = listener_.out.thinks;
  }

  void declare(const json& tool) {
    const auto& kind = member_in(tool, text_in(tool, "type"));
    listener_.tool(text_in(kind, "name"), chat_name_chars_max);
    if (member_in(kind, "strict") == true)
      listener_.closed_schema(member_in(kind, "parameters"), true);
  }

  void format(const json& format) {
    if (text_in(format, "type") != "json_schema") return;
    const auto& wish = format["json_schema"];
    if (!wish.contains("schema")) return listener_.object("response_format: schema is required");
    listener_.out.schema = wish["schema"];
    if (member_in(wish, "strict") == true) listener_.closed_schema(wish["schema"], true);
  }

  void unanswered() {
    listener_.object(fmt::format(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. These did not have response messages: {}",
        listener_.first_waiting()));
  }

  void turn(const json& message) {
    const auto role = text_in(message, "role");
    if (role == "tool") return result(message);
    if (listener_.waits()) return unanswered();
    answered_ = 0;
    if (role == "assistant") return assistant(message);
    if (role == "user") {
      listener_.begin_order();
      content(message["content"]);
    } else {
      listener_.system(text_of(message["content"]));
    }
  }

  void result(const json& message) {
    const auto id = text_in(message, "tool_call_id");
    if (!listener_.result(id, text_of(message["content"])))
      listener_.object(fmt::format(
          "messages with role 'tool' must be a response to a preceding message with "
          "'tool_calls': {}",
          id));
    if (answered_++ == 0) listener_.end_round();
    if (message["content"].is_array()) media(message["content"]);
  }

  void assistant(const json& message) {
    const auto& calls = member_in(message, "tool_calls");
    if (calls.is_array() && calls.empty())
      listener_.object("messages: [] is too short - 'tool_calls'");
    if (calls.empty() && member_in(message, "content").is_null() && !message.contains("refusal"))
      listener_.object("an assistant message needs content or tool_calls");
    for (const auto& call : calls) {
      const bool custom = text_in(call, "type") == "custom";
      listener_.call(text_in(call, "id"), text_in(call[custom ? "custom" : "function"], "name"));
      if (custom) continue;
      if (!json::accept(text_in(call["function"], "arguments")))
        listener_.object("the arguments of a call are not valid JSON");
    }
  }

  void content(const json& content) {
    if (content.is_string()) return listener_.order(content.get<std::string>());
    for (const auto& part : content)
      if (text_in(part, "type") == "text") listener_.order(text_in(part, "text"));
    media(content);
  }

  void media(const json& parts) {
    for (const auto& part : parts) {
      const auto type = text_in(part, "type");
      if (type == "image_url") listener_.url(text_in(part["image_url"], "url"));
      if (type == "file") listener_.url(text_in(part["file"], "file_data"));
    }
  }

  static std::string text_of(const json& content) {
    if (content.is_string()) return content.get<std::string>();
    std::string out;
    for (const auto& part : content) out += text_in(part, "text");
    return out;
  }

  const json& body_;
  listener listener_;
  int answered_ = 0;
};

}  // namespace

heard hear_chat(const json& body) { return chat_listener{body}.hear(); }

}  // namespace tidegate::sim
