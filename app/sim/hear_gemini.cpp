#include <fmt/format.h>

#include <array>

#include "app/sim/listener.hpp"
#include "app/sim/thought_token.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t gemini_name_chars_max = 64;
constexpr std::size_t gemini_stops_max = 5;
constexpr std::array skip_tokens{"skip_thought_signature_validator",
                                 "context_engineering_is_the_way_to_go"};

class gemini_listener {
 public:
  explicit gemini_listener(const json& body) : body_(body) {}

  heard hear() {
    settings();
    const auto& contents = body_["contents"];
    if (contents.empty()) listener_.object("contents is not specified");
    for (std::size_t i = 0; i < contents.size(); ++i) turn(contents[i], i);
    if (listener_.waits()) miscounted();
    if (!contents.empty() && text_in(contents.back(), "role") != "user")
      listener_.object("Please ensure that multiturn requests end with a user role.");
    return listener_.done();
  }

 private:
  void settings() {
    for (const auto& part : member_in(member_in(body_, "systemInstruction"), "parts"))
      listener_.system(text_in(part, "text"));
    for (const auto& tool : member_in(body_, "tools"))
      for (const auto& function : member_in(tool, "functionDeclarations")) declare(function);
    const auto& calling = member_in(member_in(body_, "toolConfig"), "functionCallingConfig");
    const auto mode = text_in(calling, "mode");
    if (calling.contains("allowedFunctionNames") && mode != "ANY" && mode != "VALIDATED")
      listener_.object("allowed_function_names should only be set when mode is ANY or VALIDATED.");
    const auto& config = member_in(body_, "generationConfig");
    if (member_in(config, "stopSequences").size() > gemini_stops_max)
      listener_.object("The number of stop sequences must not exceed 5.");
    format(config);
    const auto& thinking = member_in(config, "thinkingConfig");
    if (thinking.contains("thinkingBudget") && thinking.contains("thinkingLevel"))
      listener_.object("You can only set only one of thinking budget and thinking level.");
    listener_.out.thinks = thinking.is_object() && member_in(thinking, "thinkingBudget") != 0;
    listener_.out.shows_thinking = member_in(thinking, "includeThoughts") == true;
    listener_.out.wants_token = true;
  }

  void declare(const json& function) {
    listener_.tool(text_in(function, "name"), gemini_name_chars_max);
    if (function.contains("parameters") && function.contains("parametersJsonSchema"))
      listener_.object("parameters and parameters_json_schema must not both be set.");
  }

  void format(const json& config) {
    const char* key =
        config.contains("responseJsonSchema") ? "responseJsonSchema" : "responseSchema";
    if (!config.contains(key)) return;
    if (text_in(config, "responseMimeType") != "application/json")
      listener_.object("response_schema needs response_mime_type application/json.");
    listener_.out.schema = config[key];
  }

  void miscounted() {
    listener_.object("Please ensure that the number of function response parts is equal to the "
                     "number of function call parts of the function call turn.");
  }

  void turn(const json& content, std::size_t index) {
    const auto& parts = content["parts"];
    const bool model = text_in(content, "role") == "model";
    if (index == 0 && model)
      listener_.object("Please ensure that the first content has the user role.");
    if (parts.empty()) listener_.object(fmt::format("contents[{}].parts must not be empty", index));
    for (const auto& part : parts) check_part(part, index);
    model ? answer(parts) : ask(parts);
    goes_on_ = model;
  }

  /// A part holds exactly one kind of data.
  void check_part(const json& part, std::size_t index) {
    int kinds = 0;
    for (const auto* key : {"text", "inlineData", "fileData", "functionCall", "functionResponse"})
      kinds += part.contains(key) ? 1 : 0;
    if (kinds != 1)
      listener_.object(fmt::format("contents[{}].parts: required oneof field 'data' must have one "
                                   "initialized field", index));
    const auto token = text_in(part, "thoughtSignature");
    if (token.empty()) return;
    for (const std::string_view skip : skip_tokens)
      if (token == skip) return;
    if (!is_thought_token(protocol::wire::gemini, token))
      return listener_.object("Thought signature is not valid.");
    ++listener_.out.signed_thoughts;
  }

  void ask(const json& parts) {
    if (parts.empty()) return;
    if (parts[0].contains("functionResponse")) return results(parts);
    if (listener_.waits()) return miscounted();
    listener_.begin_order();
    if (parts.size() == 1 && member_in(parts[0], "text") == "")
      listener_.object("text parameter is empty");
    for (const auto& part : parts) {
      if (part.contains("functionResponse")) return miscounted();
      listener_.order(text_in(part, "text"));
      show(part);
    }
  }

  void show(const json& part) {
    const auto& blob = member_in(part, "inlineData");
    if (blob.is_object()) listener_.base64(text_in(blob, "mimeType"), text_in(blob, "data"));
    if (part.contains("fileData")) listener_.url(text_in(part["fileData"], "fileUri"));
  }

  void results(const json& parts) {
    for (const auto& part : parts) {
      if (!part.contains("functionResponse")) {
        show(part);
        continue;
      }
      const auto& response = part["functionResponse"];
      const auto id = text_in(response, "id");
      const auto name = text_in(response, "name");
      const auto text = response["response"].dump();
      if (!(id.empty() ? listener_.result_of(name, text) : listener_.result(id, text)))
        miscounted();
      if (response.contains("parts"))
        for (const auto& inner : response["parts"]) show(inner);
    }
    if (listener_.waits()) return miscounted();
    listener_.end_round();
  }

  /// Contents of the model one after another are one turn: a stream's chunks. Calls follow a turn
  /// of the user; the first of a turn has to be signed.
  void answer(const json& parts) {
    if (listener_.waits() && !goes_on_) return miscounted();
    if (!goes_on_) calls_ = false;
    for (const auto& part : parts) {
      if (!part.contains("functionCall")) continue;
      if (!calls_ && text_in(part, "thoughtSignature").empty())
        listener_.object("Function call is missing a thought_signature in functionCall parts.");
      calls_ = true;
      const auto& call = part["functionCall"];
      listener_.call(text_in(call, "id"), text_in(call, "name"));
    }
  }

  const json& body_;
  listener listener_;
  bool goes_on_ = false;  ///< the content before was the model's, too
  bool calls_ = false;    ///< the turn has a call already
};

}  // namespace

heard hear_gemini(const json& body) { return gemini_listener{body}.hear(); }

}  // namespace tidegate::sim
