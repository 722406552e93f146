#include "protocol/thinking.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace tidegate::protocol {
namespace {

using enum thinking_level;
using dialect = thinking_dialect;

// The kinds of models that the vectors speak of.
constexpr thinking_caps kind_l{.levels = {minimal, low, medium, high}};
constexpr thinking_caps kind_s{.levels = {low, high}};
constexpr thinking_caps kind_b{.budget_min = 128, .budget_max = 20'000, .dynamic_allowed = true};
constexpr thinking_caps kind_m{
    .budget_min = 128, .budget_max = 32'768, .dynamic_allowed = true, .levels = {low, high}};
constexpr thinking_caps kind_c{.budget_min = 1024, .budget_max = 128'000, .zero_allowed = true};
constexpr thinking_caps kind_a{
    .budget_min = 128, .budget_max = 20'000, .zero_allowed = true, .dynamic_allowed = true};
constexpr thinking_caps kind_k{.zero_allowed = true, .levels = {low, medium, high}};
constexpr thinking_caps kind_kt{.levels = {low, medium, high}};
constexpr thinking_caps kind_x{.zero_allowed = true, .levels = {none, low, medium, high}};
constexpr thinking_caps kind_n{};
constexpr thinking_caps claude_high{.zero_allowed = true, .levels = {low, medium, high}};
constexpr thinking_caps claude_max{.zero_allowed = true, .levels = {low, medium, high, max}};
constexpr std::optional<thinking_caps> kind_u = std::nullopt;

/// `nothing`, a word or a number, as a body or, in brackets, as a suffix says it.
reasoning_wish asked(std::string_view text) {
  if (text == "nothing") return {};
  const bool suffix = text.starts_with('(');
  const std::string name = suffix ? "m" + std::string{text} : "m(" + std::string{text} + ")";
  auto wish = suffix_wish("m", name).value().value();
  wish.from_suffix = suffix;
  return wish;
}

/// `nothing`, `off`, `auto`, a level, a number of tokens, or the code of a refusal.
std::string said(const thinking_result<reasoning_wish>& fitted) {
  if (!fitted) return std::string{to_string(fitted.error().code)};
  switch (fitted->mode) {
    case reasoning_mode::unset: return "nothing";
    case reasoning_mode::off: return "off";
    case reasoning_mode::automatic: return "auto";
    case reasoning_mode::level: return std::string{fitted->level};
    case reasoning_mode::budget: return std::to_string(fitted->budget);
  }
  return {};
}

constexpr auto chat = wire::openai_chat;
constexpr auto responses = wire::openai_responses;
constexpr auto messages = wire::anthropic_messages;
constexpr auto gemini = wire::gemini;
constexpr std::string_view no_level = "LEVEL_NOT_SUPPORTED";
constexpr std::string_view no_budget = "BUDGET_OUT_OF_RANGE";

struct vector_row {
  wire from;
  dialect to;
  std::optional<thinking_caps> kind;
  std::string_view ask;
  std::string_view expect;
};

const std::vector<vector_row> vectors{
    {chat, dialect::codex, kind_l, "nothing", "medium"},
    {chat, dialect::codex, kind_l, "xhigh", no_level},
    {chat, dialect::codex, kind_l, "none", "minimal"},
    {chat, dialect::codex, kind_l, "auto", "medium"},
    {gemini, dialect::codex, kind_l, "8192", "medium"},
    {gemini, dialect::codex, kind_l, "64000", "high"},
    {gemini, dialect::codex, kind_l, "0", "minimal"},
    {gemini, dialect::codex, kind_l, "-1", "medium"},
    {messages, dialect::chat, kind_l, "nothing", "nothing"},
    {messages, dialect::chat, kind_l, "8192", "medium"},
    {messages, dialect::chat, kind_l, "64000", "high"},
    {messages, dialect::chat, kind_l, "0", "minimal"},
    {messages, dialect::chat, kind_l, "(-1)", "medium"},
    {gemini, dialect::chat, kind_s, "8192", "low"},
    {messages, dialect::gemini, kind_s, "1", "low"},
    {chat, dialect::codex, kind_s, "auto", "low"},
    {chat, dialect::gemini, kind_b, "medium", "8192"},
    {chat, dialect::gemini, kind_b, "xhigh", "20000"},
    {chat, dialect::gemini, kind_b, "none", "128"},
    {chat, dialect::gemini, kind_b, "auto", "auto"},
    {messages, dialect::gemini, kind_b, "64000", "20000"},
    {messages, dialect::gemini, kind_b, "0", "128"},
    {messages, dialect::gemini, kind_b, "(-1)", "auto"},
    {chat, dialect::gemini, kind_m, "high", "high"},
    {chat, dialect::gemini, kind_m, "xhigh", "high"},
    {chat, dialect::gemini, kind_m, "none", "low"},
    {chat, dialect::gemini, kind_m, "auto", "auto"},
    {messages, dialect::gemini, kind_m, "8192", "8192"},
    {messages, dialect::gemini, kind_m, "64000", "32768"},
    {messages, dialect::gemini, kind_m, "0", "low"},
    {chat, dialect::claude, kind_c, "medium", "8192"},
    {chat, dialect::claude, kind_c, "xhigh", "32768"},
    {chat, dialect::claude, kind_c, "none", "off"},
    {chat, dialect::claude, kind_c, "auto", "64512"},
    {gemini, dialect::claude, kind_c, "200000", "128000"},
    {gemini, dialect::claude, kind_c, "0", "off"},
    {gemini, dialect::claude, kind_c, "-1", "64512"},
    {gemini, dialect::antigravity, kind_a, "medium", "8192"},
    {gemini, dialect::antigravity, kind_a, "xhigh", "20000"},
    {gemini, dialect::antigravity, kind_a, "none", "off"},
    {gemini, dialect::antigravity, kind_a, "auto", "auto"},
    {chat, dialect::chat, kind_n, "high", "nothing"},
    {messages, dialect::chat, kind_n, "8192", "nothing"},
    {gemini, dialect::chat, kind_n, "-1", "nothing"},
    {responses, dialect::chat, kind_n, "(64000)", "nothing"},
    {chat, dialect::claude, kind_u, "(8192)", "8192"},
    {chat, dialect::chat, kind_l, "xhigh", no_level},
    {chat, dialect::chat, kind_l, "(xhigh)", no_level},
    {responses, dialect::codex, kind_l, "xhigh", no_level},
    {gemini, dialect::gemini, kind_b, "(64000)", "20000"},
    {gemini, dialect::gemini, kind_b, "64000", no_budget},
    {messages, dialect::claude, kind_c, "(200000)", "128000"},
    {messages, dialect::claude, kind_c, "200000", no_budget},
    {gemini, dialect::antigravity, kind_b, "64000", no_budget},
    {chat, dialect::kimi, kind_k, "high", "high"},
    {chat, dialect::kimi, kind_k, "none", "off"},
    {chat, dialect::kimi, kind_k, "auto", "medium"},
    {chat, dialect::kimi, kind_kt, "none", "low"},
    {chat, dialect::xai, kind_x, "xhigh", "high"},
    {responses, dialect::xai, kind_x, "minimal", "low"},
    {messages, dialect::xai, kind_x, "0", "off"},
    {chat, dialect::claude, claude_high, "xhigh", "high"},
    {chat, dialect::claude, claude_high, "max", "high"},
    {chat, dialect::claude, claude_max, "xhigh", "max"},
    {chat, dialect::claude, claude_max, "max", "max"},
    {gemini, dialect::claude, claude_high, "0", "off"},
    {gemini, dialect::claude, claude_high, "-1", "high"},
    {messages, dialect::gemini, kind_b, "auto", "20000"},
    {messages, dialect::claude, claude_high, "xhigh", no_level},
    {messages, dialect::claude, claude_high, "max", no_level},
};

}  // namespace

TEST_CASE("a wish is fitted as the vectors say") {
  for (const auto& row : vectors) {
    CAPTURE(static_cast<int>(row.from), static_cast<int>(row.to), row.ask, row.expect);
    const thinking_target target{.dialect = row.to, .model = "m", .caps = row.kind};
    CHECK(said(fit_thinking(asked(row.ask), row.from, target)) == row.expect);
  }
}

TEST_CASE("an unknown model gets the wish in the words of its protocol") {
  const auto [ask, effort] = GENERATE(table<std::string, std::string>({
      {"8192", "medium"}, {"64000", "xhigh"}, {"0", "none"}, {"-1", "auto"}, {"turbo", "turbo"}}));
  reasoning_wish wish{.mode = reasoning_mode::level, .level = "turbo"};
  if (ask != "turbo") wish = asked(ask);
  const auto fitted = fit_thinking(wish, gemini, {.dialect = dialect::chat, .model = "m"});
  REQUIRE(fitted);
  CHECK(effort_word(*fitted, dialect::chat) == effort);
}

TEST_CASE("an unknown model of Claude or Gemini gets no word that its API never had") {
  const auto fitted = [](dialect to, std::string_view level) {
    return said(fit_thinking(asked(level), chat, {.dialect = to, .model = "m"}));
  };
  CHECK(fitted(dialect::claude, "minimal") == "low");
  CHECK(fitted(dialect::claude, "xhigh") == "max");
  CHECK(fitted(dialect::gemini, "minimal") == "minimal");
  CHECK(fitted(dialect::gemini, "max") == "high");
}

TEST_CASE("a model of both kinds keeps a native budget and gets an effort from others") {
  constexpr thinking_caps both{.budget_min = 1024,
                               .budget_max = 128'000,
                               .zero_allowed = true,
                               .levels = {low, medium, high, max}};
  const thinking_target target{.dialect = dialect::claude, .model = "m", .caps = both};
  CHECK(said(fit_thinking(asked("8192"), messages, target)) == "8192");
  CHECK(said(fit_thinking(asked("(8192)"), messages, target)) == "medium");
  CHECK(said(fit_thinking(asked("8192"), gemini, target)) == "medium");
  CHECK(said(fit_thinking(asked("auto"), messages, target)) == "auto");
}

TEST_CASE("switching off a model of levels that thinks by default leaves nothing of its config") {
  auto caps = kind_m;
  caps.zero_allowed = true;
  auto wish = asked("none");
  wish.summary = "auto";
  wish.show_thoughts = true;
  const auto fitted =
      fit_thinking(wish, chat, {.dialect = dialect::gemini, .model = "m", .caps = caps});
  CHECK(fitted == reasoning_wish{});
}

TEST_CASE("thoughts stay hidden where thinking could only be made small") {
  auto wish = asked("none");
  wish.summary = "auto";
  const thinking_target target{.dialect = dialect::gemini, .model = "m", .caps = kind_b};
  CHECK(fit_thinking(wish, chat, target)->summary == "none");
  wish.from_suffix = true;
  CHECK(fit_thinking(wish, chat, target)->summary.empty());
}

TEST_CASE("a refusal names the model, what was asked and what the model takes") {
  const auto refused = [](std::string_view ask, wire from, dialect to, const thinking_caps& caps) {
    return fit_thinking(asked(ask), from, {.dialect = to, .model = "tide-1", .caps = caps})
        .error()
        .message;
  };
  CHECK(refused("xhigh", chat, dialect::codex, kind_s) ==
        "model tide-1 does not take the level \"xhigh\"; it takes: low, high");
  CHECK(refused("64000", gemini, dialect::gemini, kind_a) ==
        "model tide-1 does not take a budget of 64000 tokens; it takes: 128 to 20000 tokens, "
        "0 for off, -1 to let it decide");
  const reasoning_wish turbo{.mode = reasoning_mode::level, .level = "turbo"};
  const auto unknown =
      fit_thinking(turbo, chat, {.dialect = dialect::claude, .model = "tide-1", .caps = kind_c});
  CHECK(unknown.error().code == thinking_code::unknown_level);
}

TEST_CASE("a suffix is the last bracket at the end of a name") {
  const auto [name, base, value] = GENERATE(table<std::string, std::string, std::string>({
      {"gpt-5", "gpt-5", ""},
      {"gpt-5(high)", "gpt-5", "high"},
      {" gpt-5 ( 8192 ) ", "gpt-5", "8192"},
      {"gpt-5(a)(b)", "gpt-5(a)", "b"},
      {"gpt-5()", "gpt-5", ""},
      {"gpt-5(high", "gpt-5(high", ""},
      {"gpt-5)", "gpt-5)", ""},
      {"(high)", "(high)", ""},
      {"", "", ""},
  }));
  CAPTURE(name);
  const auto split = split_suffix(name);
  CHECK(split.base == base);
  CHECK(split.value == value);
}

TEST_CASE("a suffix is off, automatic, a level or a budget, and otherwise passed over") {
  const auto [value, expect] = GENERATE(table<std::string, std::string>({
      {"none", "off"},      {"NONE", "off"},   {"0", "off"},      {"000", "off"},
      {"auto", "auto"},     {"-1", "auto"},    {"Auto", "auto"},  {"minimal", "minimal"},
      {"XHigh", "xhigh"},   {"max", "max"},    {"8192", "8192"},  {"0008192", "8192"},
      {"beta", "passed"},   {"-5", "passed"},  {"", "passed"},    {"1.5", "passed"},
      {"+8", "passed"},     {"8k", "passed"},  {"high ", "high"},
      {"9223372036854775808", "INVALID_SUFFIX"},
      {"99999999999999999999999", "INVALID_SUFFIX"},
  }));
  CAPTURE(value);
  const auto wish = suffix_wish("m", "m(" + value + ")");
  if (wish && !*wish) {
    CHECK(expect == "passed");
  } else {
    CHECK(said(wish ? thinking_result<reasoning_wish>{**wish}
                    : std::unexpected{wish.error()}) == expect);
  }
}

TEST_CASE("the suffix of a configured name wins over that of the request") {
  const auto level = [](std::string_view upstream, std::string_view requested) {
    const auto wish = suffix_wish(upstream, requested).value();
    return wish ? std::string{wish->level} : "none at all";
  };
  CHECK(level("big-1", "big(high)") == "high");
  CHECK(level("big-1(low)", "big(high)") == "low");
  CHECK(level("big-1(low)", "big") == "low");
  CHECK(level("big-1(beta)", "big(high)") == "none at all");
  CHECK(level("big-1", "big") == "none at all");
}

TEST_CASE("a suffix wins over the amount of the body and leaves the rest") {
  reasoning_wish body{.mode = reasoning_mode::level, .level = "low", .summary = "detailed"};
  const auto wish = under_suffix(body, asked("(8192)"));
  CHECK(wish.mode == reasoning_mode::budget);
  CHECK(wish.budget == 8192);
  CHECK(wish.level.empty());
  CHECK(wish.summary == "detailed");
  CHECK(wish.from_suffix);
}

TEST_CASE("levels and budgets stand for each other") {
  for (const auto level : {none, minimal, low, medium, high, xhigh, max}) {
    CHECK(level_from_string(to_string(level)) == level);
    if (level != max) CHECK(level_of(budget_of(level)) == level);
  }
  CHECK(level_of(513) == low);
  CHECK(level_of(24'577) == xhigh);
  CHECK(level_of(128'000) == xhigh);
  CHECK_FALSE(level_from_string("auto"));
}

TEST_CASE("what was fitted is what the model takes, and fits again as it is") {
  REQUIRE(rc::check("fit", [] {
    const auto number = [](std::int64_t from, std::int64_t to) { return *rc::gen::inRange(from, to); };
    thinking_caps caps{.zero_allowed = *rc::gen::arbitrary<bool>(),
                       .dynamic_allowed = *rc::gen::arbitrary<bool>()};
    if (*rc::gen::arbitrary<bool>()) {
      caps.budget_min = number(0, 2000);
      caps.budget_max = caps.budget_min + number(1, 200'000);
    }
    if (*rc::gen::arbitrary<bool>()) {
      caps.levels = *rc::gen::element(level_set{low, high}, level_set{none, low, medium, high},
                                      level_set{minimal}, level_set{low, medium, high, max});
    }
    const auto ask = *rc::gen::element<std::string>("none", "auto", "minimal", "medium", "xhigh",
                                                    "max", "1", "9000", "500000", "(high)",
                                                    "(77777)", "(none)", "(auto)");
    const auto from = *rc::gen::element(chat, responses, messages, gemini);
    const auto to = *rc::gen::element(dialect::codex, dialect::xai, dialect::claude,
                                      dialect::gemini, dialect::antigravity, dialect::kimi);
    const thinking_target target{.dialect = to, .model = "m", .caps = caps};
    const auto fitted = fit_thinking(asked(ask), from, target);
    if (!fitted || !caps.adjustable()) return;
    if (fitted->mode == reasoning_mode::level && caps.takes_levels()) {
      RC_ASSERT(caps.levels.contains(*level_from_string(fitted->level)));
    }
    if (fitted->mode == reasoning_mode::budget && caps.takes_budget()) {
      const bool words = to != dialect::claude && to != dialect::gemini && to != dialect::antigravity;
      RC_ASSERT(words || (fitted->budget >= caps.budget_min && fitted->budget <= caps.budget_max));
    }
    if (fitted->mode == reasoning_mode::unset) return;
    const auto again = fit_thinking(*fitted, from, target);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->mode == fitted->mode);
    RC_ASSERT(again->level == fitted->level);
  }));
}

}  // namespace tidegate::protocol
