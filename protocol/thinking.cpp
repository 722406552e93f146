#include "protocol/thinking.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

using enum thinking_level;


struct level_row {
  thinking_level level;
  std::string_view word;
  std::int64_t budget;
};
/// In the order of the enumeration.
constexpr std::array levels{level_row{none, "none", 0},         level_row{minimal, "minimal", 512},
                            level_row{low, "low", 1024},        level_row{medium, "medium", 8192},
                            level_row{high, "high", 24'576},    level_row{xhigh, "xhigh", 32'768},
                            level_row{max, "max", 128'000}};

const level_row& row_of(thinking_level level) {
  return levels.at(static_cast<std::size_t>(level));
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

reasoning_wish automatic_wish() {
  return {.mode = reasoning_mode::automatic, .from_suffix = true};
}

reasoning_wish level_wish(thinking_level level) {
  if (level == none) return {.mode = reasoning_mode::off, .from_suffix = true};
  return {.mode = reasoning_mode::level, .level = to_string(level), .from_suffix = true};
}

thinking_result<std::optional<reasoning_wish>> budget_wish(const suffixed_model& name) {
  std::int64_t tokens = 0;
  const auto* const end = name.value.data() + name.value.size();
  if (std::from_chars(name.value.data(), end, tokens).ec != std::errc{}) {
    return std::unexpected{thinking_refusal{
        thinking_code::invalid_suffix,
        "the suffix (" + std::string{utf8_prefix(name.value, quoted_characters_max)} +
            ") of model " + std::string{name.base} + " is no number of tokens that can be served"}};
  }
  if (tokens == 0) return level_wish(none);
  return reasoning_wish{
      .mode = reasoning_mode::budget, .budget = tokens, .from_suffix = true};
}

}  // namespace

std::string_view to_string(thinking_level level) {
  return row_of(level).word;
}

std::optional<thinking_level> level_from_string(std::string_view word) {
  const auto found = std::ranges::find_if(
      levels, [&](const level_row& row) { return equal_ignoring_case(row.word, word); });
  return found == levels.end() ? std::nullopt : std::optional{found->level};
}

std::int64_t budget_of(thinking_level level) {
  return row_of(level).budget;
}

thinking_level level_of(std::int64_t budget) {
  for (const auto level : {none, minimal, low, medium, high}) {
    if (budget <= budget_of(level)) return level;
  }
  return xhigh;
}

suffixed_model split_suffix(std::string_view name) {
  const auto whole = trimmed(name);
  const auto open = whole.ends_with(')') ? whole.rfind('(') : std::string_view::npos;
  if (open == std::string_view::npos) return {whole, {}};
  const auto base = trimmed(whole.substr(0, open));
  if (base.empty()) return {whole, {}};
  return {base, trimmed(whole.substr(open + 1, whole.size() - open - 2))};
}

std::string_view to_string(thinking_code code) {
  switch (code) {
    case thinking_code::invalid_suffix: return "INVALID_SUFFIX";
    case thinking_code::unknown_level: return "UNKNOWN_LEVEL";
    case thinking_code::level_not_supported: return "LEVEL_NOT_SUPPORTED";
    case thinking_code::budget_out_of_range: return "BUDGET_OUT_OF_RANGE";
  }
  return {};
}

thinking_result<std::optional<reasoning_wish>> suffix_wish(std::string_view upstream,
                                                           std::string_view requested) {
  auto name = split_suffix(upstream);
  if (name.value.empty()) name = split_suffix(requested);
  if (const auto level = level_from_string(name.value)) return level_wish(*level);
  if (equal_ignoring_case(name.value, "auto") || name.value == "-1") return automatic_wish();
  if (is_all_digits(name.value)) return budget_wish(name);
  return std::nullopt;
}

reasoning_wish under_suffix(reasoning_wish body, const reasoning_wish& suffix) {
  body.mode = suffix.mode;
  body.level = suffix.level;
  body.budget = suffix.budget;
  body.from_suffix = true;
  return body;
}

thinking_target target_of(thinking_dialect dialect, std::string_view upstream_model) {
  thinking_target target{.dialect = dialect, .model = upstream_model};
  if (const auto* const known = find_model(upstream_model)) {
    target.caps = known->thinking;
    target.max_output = known->max_output;
  }
  return target;
}

bool thinks(const reasoning_wish& wish) {
  return wish.mode != reasoning_mode::unset && wish.mode != reasoning_mode::off;
}

std::string_view effort_word(const reasoning_wish& wish, thinking_dialect dialect) {
  switch (wish.mode) {
    case reasoning_mode::unset: return {};
    case reasoning_mode::off: return to_string(none);
    case reasoning_mode::automatic:
      return dialect == thinking_dialect::chat ? std::string_view{"auto"} : to_string(medium);
    case reasoning_mode::level: return wish.level;
    case reasoning_mode::budget: return to_string(level_of(wish.budget));
  }
  return {};
}

}  // namespace tidegate::protocol
