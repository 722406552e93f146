#include "protocol/canonical/logprobs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/json_object.hpp"

namespace tidegate::protocol {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view key = R"({"l":)";

/// nullptr for what is no JSON, or is nested too deeply.
json parsed(std::string_view text) {
  const std::string wrapped = std::string{key}.append(text).append("}");
  if (!read_object(wrapped, wrapped.size())) return nullptr;
  json whole = json::parse(wrapped, nullptr, false);
  return whole.is_object() ? std::move(whole["l"]) : json{};
}

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string inside_of_list(const json& list) {
  const auto text = text_of(list);
  return text.substr(1, text.size() - 2);
}

const json& list_in(const json& object, const char* name) {
  static const json none = json::array();
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : none;
}

/// `{token, logProbability}` as `{token, logprob, bytes}`.
json chat_token(const json& from) {
  json out = json::object();
  if (!from.is_object()) return out;
  out["token"] = from.value("token", json{""});
  out["logprob"] = from.value("logProbability", json{0});
  out["bytes"] = nullptr;
  return out;
}

json gemini_token(const json& from) {
  json out = json::object();
  if (!from.is_object()) return out;
  out["token"] = from.value("token", json{""});
  out["logProbability"] = from.value("logprob", json{0});
  return out;
}

}  // namespace

std::string logprobs_of_list(std::string_view array) {
  const json list = parsed(array);
  if (!list.is_array()) return {};
  const bool objects = std::ranges::all_of(list, [](const json& one) { return one.is_object(); });
  return objects ? inside_of_list(list) : std::string{};
}

std::string logprobs_of_gemini(std::string_view result) {
  const json found = parsed(result);
  const json& others = list_in(found, "topCandidates");
  json out = json::array();
  for (const json& chosen : list_in(found, "chosenCandidates")) {
    json token = chat_token(chosen);
    json& top = token["top_logprobs"] = json::array();
    if (out.size() < others.size()) {
      for (const json& one : list_in(others[out.size()], "candidates")) {
        top.push_back(chat_token(one));
      }
    }
    out.push_back(std::move(token));
  }
  return inside_of_list(out);
}

std::string gemini_logprobs(std::string_view tokens) {
  json top = json::array();
  json chosen = json::array();
  for (const json& one : parsed("[" + std::string{tokens} + "]")) {
    chosen.push_back(gemini_token(one));
    json& others = top.emplace_back(json::object())["candidates"] = json::array();
    for (const json& other : list_in(one, "top_logprobs")) others.push_back(gemini_token(other));
  }
  return text_of(json{{"topCandidates", std::move(top)}, {"chosenCandidates", std::move(chosen)}});
}

}  // namespace tidegate::protocol
