#pragma once
/// What the providers refuse, as far as a request shows it by itself: a check of every golden
/// request. Sources: the providers' API references, translation.md 2 and 4.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/surface.hpp"

namespace tidegate::golden {

class provider_rules {
 public:
  using json = nlohmann::json;

  /// What the provider would refuse; empty = nothing.
  static std::vector<std::string> faults(protocol::wire form, const json& request) {
    provider_rules rules;
    switch (form) {
      case protocol::wire::openai_chat:
        rules.chat(request);
        break;
      case protocol::wire::openai_responses:
        rules.responses(request);
        break;
      case protocol::wire::anthropic_messages:
        rules.messages(request);
        break;
      case protocol::wire::gemini:
        rules.gemini(request);
        break;
    }
    return std::move(rules.faults_);
  }

 private:
  void require(bool holds, const std::string& otherwise) {
    if (!holds) faults_.push_back(otherwise);
  }
  void name(const json& of, const char* pattern) {
    const std::string text = of.value("name", "");
    require(std::regex_match(text, std::regex{pattern}), "name " + text);
  }
  void new_tool(const std::string& name) {
    require(tools_.insert(name).second, "tool twice: " + name);
  }
  void need_tools(const json& request, std::initializer_list<const char*> members) {
    if (request.contains("tools") && !request["tools"].empty()) return;
    for (const char* const member : members) {
      require(!request.contains(member), std::string{member} + " without tools");
    }
  }

  void chat(const json& request) {
    require(request.contains("messages") && !request["messages"].empty(), "no messages");
    for (const json& one : request.value("messages", json::array())) chat_message(one);
    require(waiting_.empty(), "calls without results at the end");
    for (const json& one : request.value("tools", json::array())) {
      const std::string type = one.value("type", "");
      if (!one.contains(type)) continue;
      name(one[type], "[A-Za-z0-9_-]{1,64}");
      new_tool(one[type].value("name", ""));
    }
    need_tools(request, {"tool_choice", "parallel_tool_calls"});
  }

  void chat_message(const json& one) {
    const std::string role = one.value("role", "");
    if (role == "tool") {
      const std::string id = one.value("tool_call_id", "");
      require(waiting_.erase(id) == 1, "a result without its call: " + id);
      return;
    }
    require(waiting_.empty(), "a message between calls and their results");
    const bool has_content = one.contains("content") && !one["content"].is_null();
    if (role == "assistant") {
      require(has_content || one.contains("tool_calls") || one.contains("refusal"),
              "an assistant without content");
      for (const json& call : one.value("tool_calls", json::array())) {
        require(waiting_.insert(call.value("id", "")).second, "a call id twice");
        if (call.contains("function")) name(call["function"], "[A-Za-z0-9_-]{1,64}");
      }
    } else {
      require(role == "system" || role == "developer" || role == "user", "role " + role);
      require(has_content, "a message without content");
    }
    if (has_content && one["content"].is_array()) require(!one["content"].empty(), "no parts");
  }

  void responses(const json& request) {
    require(request.contains("input"), "no input");
    std::multiset<std::string> answered;
    for (const json& one : request["input"]) {
      const std::string type = one.value("type", "message");
      if (type == "reasoning") require(one.contains("summary"), "reasoning without summary");
      if (type == "message") responses_message(one);
      if (type.ends_with("_call_output")) answered.insert(one.value("call_id", ""));
      if (type.ends_with("tool_call") || type == "function_call") {
        const std::string id = one.value("call_id", "");
        require(!id.empty() && id.size() <= 64, "call id " + id);
        require(waiting_.insert(id).second, "a call id twice: " + id);
        name(one, "[A-Za-z0-9_-]{1,64}");
      }
    }
    for (const auto& id : waiting_) require(answered.count(id) == 1, "not one output for " + id);
    for (const auto& id : answered) require(waiting_.contains(id), "an output without call: " + id);
    responses_tools(request.value("tools", json::array()));
    need_tools(request, {"tool_choice"});
  }

  void responses_message(const json& one) {
    const std::string role = one.value("role", "");
    require(one.contains("content"), "a message without content");
    if (!one["content"].is_array()) return;
    require(!one["content"].empty(), "no parts");
    for (const json& part : one["content"]) {
      const std::string type = part.value("type", "");
      const bool output = type == "output_text" || type == "refusal";
      require(output == (role == "assistant"), type + " of " + role);
    }
  }

  void responses_tools(const json& tools) {
    for (const json& one : tools) {
      const std::string type = one.value("type", "");
      if (type == "function" || type == "custom") name(one, "[A-Za-z0-9_-]{1,64}");
      if (type == "function") require(one.contains("parameters"), "no parameters");
    }
  }

  void messages(const json& request) {
    require(request.value("max_tokens", 0) > 0, "no max_tokens");
    require(!request.contains("temperature") || !request.contains("top_p"),
            "temperature and top_p");
    std::string before = "assistant";
    for (const json& one : request["messages"]) {
      const std::string role = one.value("role", "");
      require(role == "system" || role != before, "roles do not alternate");
      if (role != "system") before = role;
      messages_message(one, role);
    }
    require(!request["messages"].empty(), "no messages");
    require(waiting_.empty(), "calls without results at the end");
    for (const json& one : request.value("system", json::array())) text_block(one);
    for (const json& one : request.value("tools", json::array())) {
      new_tool(one.value("name", ""));
      name(one, "[A-Za-z0-9_-]{1,128}");
      if (one.contains("type")) continue;
      require(one.contains("input_schema") && one["input_schema"].value("type", "") == "object",
              "a schema that is no object");
    }
    need_tools(request, {"tool_choice"});
    if (request.contains("thinking") && request["thinking"].contains("budget_tokens")) {
      const auto budget = request["thinking"]["budget_tokens"].get<int>();
      require(budget >= 1024 && budget < request.value("max_tokens", 0), "budget");
    }
  }

  void text_block(const json& one) {
    if (one.value("type", "") != "text") return;
    require(one["text"].get<std::string>().find_first_not_of(" \t\r\n") != std::string::npos,
            "an empty text block");
  }

  void messages_message(const json& one, const std::string& role) {
    const json content = one["content"].is_array() ? one["content"] : json::array();
    require(!content.empty(), "a message without content");
    bool others = false;
    for (const json& block : content) {
      const std::string type = block.value("type", "");
      text_block(block);
      if (type == "tool_result") {
        require(role == "user" && !others, "results come first");
        require(waiting_.erase(block.value("tool_use_id", "")) == 1, "a result without its call");
      } else {
        others = true;
      }
      if (type == "tool_use") {
        const std::string id = block.value("id", "");
        require(std::regex_match(id, std::regex{"[A-Za-z0-9_-]+"}), "id " + id);
        require(ids_.insert(id).second, "a call id twice: " + id);
        waiting_.insert(id);
        require(block["input"].is_object(), "an input that is no object");
      }
      if (type == "thinking") require(!block.value("signature", "").empty(), "no signature");
    }
    if (role == "user") require(waiting_.empty(), "calls without results");
  }

  void gemini(const json& request) {
    require(request.contains("contents") && !request["contents"].empty(), "no contents");
    std::size_t calls = 0;
    bool first = true;
    for (const json& one : request["contents"]) {
      const std::string role = one.value("role", "");
      require(!first || role == "user", "the first turn is not the user's");
      first = false;
      require(one.contains("parts") && !one["parts"].empty(), "no parts");
      const auto count = [&one](const char* kind) {
        return static_cast<std::size_t>(std::ranges::count_if(
            one["parts"], [kind](const json& part) { return part.contains(kind); }));
      };
      require(count("functionResponse") == calls, "not as many results as calls");
      calls = count("functionCall");
    }
    require(calls == 0, "calls without results at the end");
    for (const json& one : request.value("tools", json::array())) {
      for (const json& declared : one.value("functionDeclarations", json::array())) {
        name(declared, "[A-Za-z_][A-Za-z0-9_.:-]{0,63}");
        new_tool(declared.value("name", ""));
      }
    }
  }

  std::vector<std::string> faults_;
  std::set<std::string> tools_;
  std::set<std::string> waiting_;  ///< calls that have no result yet
  std::set<std::string> ids_;
};

}  // namespace tidegate::golden
