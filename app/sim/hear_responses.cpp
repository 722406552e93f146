#include <fmt/format.h>

#include <map>

#include "app/sim/listener.hpp"
#include "app/sim/thought_token.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t responses_name_chars_max = 64;
constexpr std::size_t id_chars_max = 64;

class responses_listener {
 public:
  explicit responses_listener(const json& body) : body_(body) {}

  heard hear() {
    settings();
    for (const auto& item : body_["input"]) turn(item);
    if (body_["input"].empty()) listener_.object("input: must not be empty");
    if (listener_.waits())
      listener_.object("No tool output found for function call " + listener_.first_waiting());
    return listener_.done();
  }

 private:
  void settings() {
    if (member_in(body_, "store") != false) listener_.object("Store must be set to false");
    listener_.system(text_in(body_, "instructions"));
    for (const auto& tool : member_in(body_, "tools")) declare(tool);
    const auto& format = member_in(member_in(body_, "text"), "format");
    if (text_in(format, "type") == "json_schema") {
      listener_.out.schema = format["schema"];
      if (member_in(format, "strict") == true) listener_.closed_schema(format["schema"], true);
    }
    const auto& reasoning = member_in(body_, "reasoning");
    const auto effort = text_in(reasoning, "effort");
    const auto summary = text_in(reasoning, "summary");
    listener_.out.thinks = reasoning.is_object() && effort != "none";
    listener_.out.shows_thinking = !summary.empty() && summary != "none";
    for (const auto& wish : member_in(body_, "include"))
      if (wish == "reasoning.encrypted_content") listener_.out.wants_token = true;
  }

  void declare(const json& tool) {
    const auto type = text_in(tool, "type");
    if (type != "function" && type != "custom") return;
    listener_.tool(text_in(tool, "name"), responses_name_chars_max);
    if (member_in(tool, "strict") == true)
      listener_.closed_schema(member_in(tool, "parameters"), true);
  }

  /// Ids tell the kind of their item.
  void check_id(const json& item, const std::string& type) {
    static const std::map<std::string, std::string> prefixes{
        {"message", "msg"},
        {"reasoning", "rs"},
        {"function_call", "fc"},
        {"custom_tool_call", "ctc"},
        {"function_call_output", "fc"},
        {"custom_tool_call_output", "ctc"}};
    const auto id = text_in(item, "id");
    if (id.empty()) return;
    if (!id.starts_with(prefixes.at(type)) || id.size() > id_chars_max)
      listener_.object(fmt::format(
          "Invalid 'input.id': '{}'. Expected an ID that begins with '{}'.", id,
          prefixes.at(type)));
  }

  void turn(const json& item) {
    const auto type = item.contains("type") ? text_in(item, "type") : "message";
    check_id(item, type);
    if (type == "reasoning") return thought(item);
    if (type.ends_with("_output")) return result(item);
    if (type == "message") return message(item);
    listener_.call(text_in(item, "call_id"), text_in(item, "name"));
    if (text_in(item, "call_id").size() > id_chars_max)
      listener_.object("Invalid 'input.call_id': string too long.");
  }

  void result(const json& item) {
    const auto id = text_in(item, "call_id");
    if (!listener_.result(id, text_of(item["output"])))
      listener_.object("No tool call found for function call output with call_id " + id);
    if (item["output"].is_array()) media(item["output"]);
    if (!listener_.waits()) listener_.end_round();
  }

  void thought(const json& item) {
    const auto token = text_in(item, "encrypted_content");
    // Nothing is stored, so a bare id points nowhere.
    if (token.empty()) return listener_.object("reasoning item without encrypted_content");
    if (!is_thought_token(protocol::wire::openai_responses, token))
      return listener_.object("The encrypted content could not be verified.");
    ++listener_.out.signed_thoughts;
  }

  void message(const json& item) {
    const auto role = text_in(item, "role");
    if (role == "developer") return listener_.system(text_of(item["content"]));
    if (role == "assistant") return;
    listener_.begin_order();
    listener_.order(text_of(item["content"]));
    if (item["content"].is_array()) media(item["content"]);
  }

  void media(const json& parts) {
    for (const auto& part : parts) {
      const auto type = text_in(part, "type");
      if (type == "input_image") listener_.url(text_in(part, "image_url"));
      if (type == "input_file")
        listener_.url(text_in(part, part.contains("file_data") ? "file_data" : "file_url"));
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
};

}  // namespace

heard hear_responses(const json& body) { return responses_listener{body}.hear(); }

}  // namespace tidegate::sim
