#include "http/codex_catalogue.hpp"

#include <algorithm>
#include <tuple>

namespace tidegate::http {
namespace {

using nlohmann::ordered_json;

/// Versions that take their instructions from the catalogue would otherwise have none.
constexpr std::string_view base_instructions =
    "You are a coding agent that works in a terminal on the user's machine, in the user's "
    "workspace.\n"
    "- Work until the task is done. Read the code before you change it, follow its conventions, "
    "and "
    "make the smallest change that solves the problem at its cause.\n"
    "- Use the tools you are given: the shell to look around, build and test; the patch tool, "
    "where "
    "there is one, to edit files; the plan tool for tasks of several steps.\n"
    "- Keep to the sandbox and ask for approval as the environment says. Never undo or overwrite "
    "changes that are not yours. Commit only when asked to.\n"
    "- Check your work with the project's own tests and tools when that is possible, and say what "
    "you could not check.\n"
    "- Answer briefly and in plain words: what you did, where, and what is left. Refer to files by "
    "path and line.\n";

constexpr std::string_view efforts_known[] = {"none", "minimal", "low", "medium", "high", "xhigh"};

std::string_view effort_text(std::string_view effort) {
  if (effort == "none") return "No reasoning";
  if (effort == "minimal") return "Hardly any reasoning, for the fastest answers";
  if (effort == "low") return "Little reasoning, for quick answers";
  if (effort == "medium") return "Reasoning for everyday tasks";
  if (effort == "high") return "More reasoning, for hard problems";
  return "The most reasoning, for the hardest problems";
}

ordered_json levels_of(const model_card& card) {
  auto levels = ordered_json::array();
  for (const auto effort : card.efforts) {
    if (std::ranges::find(efforts_known, effort) == std::end(efforts_known)) continue;
    levels.push_back({{"effort", effort}, {"description", effort_text(effort)}});
  }
  return levels;
}

ordered_json default_level(const ordered_json& levels) {
  for (const auto& one : levels) {
    if (one["effort"] == "medium") return "medium";
  }
  return levels.front()["effort"];
}

/// The client knows text and image only.
ordered_json modalities_of(const model_card& card) {
  const auto& all = card.input_modalities;
  const bool images = all.empty() || std::ranges::find(all, "image") != all.end();
  return images ? ordered_json{"text", "image"} : ordered_json::array({"text"});
}

ordered_json entry_of(const model_card& card, int priority) {
  const bool native = card.provider == provider::kind::codex;
  const auto levels = levels_of(card);
  ordered_json entry{{"slug", card.id}, {"display_name", card.display_name}};
  entry["description"] = "Served by " + card.owned_by;
  if (!levels.empty()) entry["default_reasoning_level"] = default_level(levels);
  entry["supported_reasoning_levels"] = levels;
  entry["shell_type"] = native ? "shell_command" : "default";
  entry["visibility"] = "list";
  entry["supported_in_api"] = true;
  entry["priority"] = priority;
  entry["availability_nux"] = nullptr;
  entry["upgrade"] = nullptr;
  entry["base_instructions"] = base_instructions;
  entry["supports_reasoning_summaries"] = !levels.empty();
  entry["support_verbosity"] = native && card.facts != nullptr;
  entry["default_verbosity"] = nullptr;
  entry["apply_patch_tool_type"] = native ? ordered_json("freeform") : ordered_json();
  entry["truncation_policy"] = {{"mode", "bytes"}, {"limit", 10'000}};
  entry["supports_parallel_tool_calls"] = card.facts != nullptr;
  if (card.context_window > 0) {
    entry["context_window"] = card.context_window;
    entry["max_context_window"] = card.context_window;
  }
  if (card.max_output > 0) entry["max_tokens"] = card.max_output;
  entry["experimental_supported_tools"] = ordered_json::array();
  entry["input_modalities"] = modalities_of(card);
  entry["prefer_websockets"] = false;
  entry["supports_search_tool"] = false;
  return entry;
}

}  // namespace

nlohmann::ordered_json codex_catalogue(std::vector<model_card> cards) {
  const auto rank = [](const model_card& card) {
    const bool known = card.facts != nullptr;
    const int group = !known ? 2 : card.provider == provider::kind::codex ? 0 : 1;
    const auto age = known ? protocol::known_models().data() - card.facts : 0;
    return std::tuple{group, age, std::string_view{card.display_name}, std::string_view{card.id}};
  };
  std::ranges::sort(cards, {}, rank);
  auto list = ordered_json::array();
  for (const auto& card : cards) list.push_back(entry_of(card, static_cast<int>(list.size()) + 1));
  return {{"models", std::move(list)}};
}

}  // namespace tidegate::http
