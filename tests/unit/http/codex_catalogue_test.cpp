#include "http/codex_catalogue.hpp"

#include <set>

#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

using json = nlohmann::json;
using provider::kind;

model_card card(kind of, const std::string& model, const std::string& id = {}) {
  provider::listed_model one;
  one.id = id.empty() ? model : id;
  one.owned_by = provider::to_string(of);
  one.provider = of;
  one.behind.name = model;
  return card_of(one);
}

json catalogue(std::vector<model_card> cards) {
  return json::parse(codex_catalogue(std::move(cards)).dump())["models"];
}

bool is_one_of(const json& value, const std::set<std::string>& words) {
  return value.is_string() && words.contains(value.get<std::string>());
}

/// What the client's reader insists on, in any of its versions.
void check_readable(const json& one) {
  CAPTURE(one.dump());
  const std::set<std::string> efforts{"none", "minimal", "low", "medium", "high", "xhigh"};
  for (const auto* const text : {"slug", "display_name", "base_instructions"}) {
    CHECK(one.at(text).is_string());
  }
  for (const auto* const flag :
       {"supported_in_api", "supports_reasoning_summaries", "support_verbosity",
        "supports_parallel_tool_calls", "supports_search_tool", "prefer_websockets"}) {
    CHECK(one.at(flag).is_boolean());
  }
  CHECK(one.at("priority").is_number_integer());
  CHECK(is_one_of(one.at("shell_type"),
                  {"default", "local", "unified_exec", "disabled", "shell_command"}));
  CHECK(is_one_of(one.at("visibility"), {"list", "hide", "none"}));
  CHECK(is_one_of(one.at("truncation_policy").at("mode"), {"bytes", "tokens"}));
  CHECK(one.at("truncation_policy").at("limit").is_number_integer());
  CHECK(one.at("experimental_supported_tools").is_array());
  CHECK((one.at("apply_patch_tool_type").is_null() || one["apply_patch_tool_type"] == "freeform"));
  for (const auto& level : one.at("supported_reasoning_levels")) {
    CHECK(is_one_of(level.at("effort"), efforts));
    CHECK(level.at("description").is_string());
  }
  if (one.contains("default_reasoning_level")) {
    CHECK(is_one_of(one["default_reasoning_level"], efforts));
  }
  for (const auto& modality : one.at("input_modalities"))
    CHECK(is_one_of(modality, {"text", "image"}));
  for (const auto* const number : {"context_window", "max_context_window", "max_tokens"}) {
    if (one.contains(number)) CHECK(one[number].is_number_integer());
  }
}

}  // namespace

TEST_CASE("every entry of the Codex catalogue is one that the client can read") {
  std::vector<model_card> cards;
  for (const auto& row : protocol::known_models()) {
    cards.push_back(card(kind::codex, std::string{row.name}));
    cards.push_back(
        card(kind::openai_compatibility, std::string{row.name}, "x/" + std::string{row.name}));
  }
  cards.push_back(card(kind::openai_compatibility, "nobody-knows"));
  const auto all = catalogue(std::move(cards));
  CHECK(all.size() == 2 * protocol::known_models().size() + 1);
  for (const auto& one : all) check_readable(one);
  CHECK(catalogue({}) == json::array());
}

TEST_CASE("OpenAI's models come first, newest first, and unknown ones last") {
  const auto all = catalogue({card(kind::openai_compatibility, "zz"), card(kind::codex, "gpt-5"),
                              card(kind::claude, "claude-opus-4-6"), card(kind::codex, "gpt-5.4"),
                              card(kind::openai_compatibility, "aa")});
  std::vector<std::string> slugs;
  for (const auto& one : all) {
    slugs.push_back(one["slug"]);
    CHECK(one["priority"] == static_cast<int>(slugs.size()));
  }
  CHECK(slugs == std::vector<std::string>{"gpt-5.4", "gpt-5", "claude-opus-4-6", "aa", "zz"});
}

TEST_CASE("a catalogue entry tells what is known of its model") {
  const auto claude = catalogue({card(kind::claude, "claude-opus-4-6", "team/opus")})[0];
  CHECK(claude["slug"] == "team/opus");
  CHECK(claude["display_name"] == "team/opus");
  CHECK(claude["context_window"] == 1'000'000);
  CHECK(claude["max_tokens"] == 128'000);
  CHECK(claude["default_reasoning_level"] == "medium");
  CHECK(claude["supported_reasoning_levels"].size() == 3);  // the client has no word for max
  const auto unknown = catalogue({card(kind::openai_compatibility, "m")})[0];
  CHECK_FALSE(unknown.contains("context_window"));
  CHECK_FALSE(unknown.contains("default_reasoning_level"));
  CHECK(unknown["supported_reasoning_levels"].empty());
  CHECK(unknown["input_modalities"] == json{"text", "image"});
}

TEST_CASE("the operator's words win over the table's") {
  provider::listed_model one;
  one.id = "fast";
  one.behind.name = "gpt-5.4";
  one.behind.display_name = "Fast One";
  one.behind.context_window = 1000;
  one.behind.input_modalities = {"text"};
  one.behind.thinking = provider::model_thinking{{"high", "low", "auto"}, 0, 0, false, false};
  const auto entry = catalogue({card_of(one)})[0];
  CHECK(entry["display_name"] == "Fast One");
  CHECK(entry["context_window"] == 1000);
  REQUIRE(entry["supported_reasoning_levels"].size() == 2);
  CHECK(entry["default_reasoning_level"] == "low");
  CHECK(entry["input_modalities"] == json::array({"text"}));
}

}  // namespace tidegate::http
