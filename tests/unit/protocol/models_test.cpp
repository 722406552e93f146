#include "protocol/models.hpp"

#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"

namespace tidegate::protocol {
namespace {

std::string found(std::string_view name) {
  const auto* const model = find_model(name);
  return model == nullptr ? "" : std::string{model->name};
}

}  // namespace

TEST_CASE("a known model is found by its name, whatever release stands behind it") {
  const auto [name, row] = GENERATE(table<std::string, std::string>({
      {"claude-opus-4-5", "claude-opus-4-5"},
      {"claude-opus-4-5-20251101", "claude-opus-4-5"},
      {"claude-opus-4-5@20251101", "claude-opus-4-5"},
      {"Claude-Opus-4-5", "claude-opus-4-5"},
      {"claude-3-5-sonnet-latest", "claude-3-5-sonnet"},
      {"claude-opus-4-20250514", "claude-opus-4"},
      {"gpt-5.4-2026-03-05", "gpt-5.4"},
      {"gpt-5.4-mini", "gpt-5.4-mini"},
      {"gpt-5-chat-latest", "gpt-5-chat"},
      {"models/gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"},
      {"gemini-2.5-flash-lite", "gemini-2.5-flash-lite"},
      {"gemini-2.0-flash-001", "gemini-2.0-flash"},
      {"gemini-3-pro-preview", "gemini-3-pro"},
      {"gemini-2.5-pro-exp-03-25", "gemini-2.5-pro"},
      {"grok-4-0709", "grok-4"},
      {" o3 ", "o3"},
  }));
  CAPTURE(name);
  CHECK(found(name) == row);
}

TEST_CASE("a model that is not in the table is unknown, however close its name is") {
  const auto name =
      GENERATE(as<std::string>{}, "", "claude-x", "claude-opus-4-9", "claude-opus", "gpt-5.9",
               "gpt-5.4-ultra", "gpt-55", "gemini-2.5-flash-image", "gpt-5.4-", "gpt-5.4-2",
               "team/gpt-5.4", "gpt-5.4(high)", "models/");
  CAPTURE(name);
  CHECK(found(name).empty());
}

TEST_CASE("every row of the model table is whole and is found by its own name") {
  for (const auto& row : known_models()) {
    CAPTURE(row.name);
    CHECK(find_model(row.name) == &row);
    CHECK_FALSE(row.display_name.empty());
    CHECK(row.max_output > 0);
    CHECK(row.context_window >= row.max_output);
    CHECK(std::ranges::find(row.input_modalities, "text") != row.input_modalities.end());
    CHECK(std::ranges::find(row.output_modalities, "text") != row.output_modalities.end());
    const auto& thinks = row.thinking;
    CHECK(thinks.budget_min <= thinks.budget_max);
    CHECK((thinks.adjustable() || thinks == thinking_caps{}));
  }
}

TEST_CASE("a set of levels holds what it was made of") {
  constexpr level_set some{thinking_level::low, thinking_level::max};
  CHECK(some.contains(thinking_level::low));
  CHECK(some.contains(thinking_level::max));
  CHECK_FALSE(some.contains(thinking_level::none));
  CHECK(level_set{}.empty());
}

}  // namespace tidegate::protocol
