#include "protocol/thinking_body.hpp"

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <string>

#include "protocol/splice.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/protocol/json_maker.hpp"

namespace tidegate::protocol {
namespace {

using enum thinking_level;
using dialect = thinking_dialect;

constexpr thinking_caps words{.levels = {low, medium, high}};
constexpr thinking_caps budget{.budget_min = 1024, .budget_max = 128'000, .zero_allowed = true};
constexpr thinking_caps both{.budget_min = 1024,
                             .budget_max = 128'000,
                             .zero_allowed = true,
                             .levels = {low, medium, high, max}};
constexpr thinking_caps gemini_both{
    .budget_min = 128, .budget_max = 32'768, .dynamic_allowed = true, .levels = {low, high}};
constexpr thinking_caps switchable{.zero_allowed = true, .levels = {low, high}};
constexpr thinking_caps fixed{};
constexpr std::optional<thinking_caps> unknown = std::nullopt;

std::optional<reasoning_wish> suffix_of(std::string_view value) {
  return suffix_wish("m", "m(" + std::string{value} + ")").value();
}

struct fitting_case {
  wire form;
  dialect to;
  std::optional<thinking_caps> caps;
  std::string body;
  std::string suffix;
  std::string expect;  ///< the body sent, or the code of the refusal
};

std::string sent(const fitting_case& row) {
  const auto head = read_envelope(row.body);
  REQUIRE(head);
  const thinking_target target{
      .dialect = row.to, .model = "m", .caps = row.caps, .max_output = 64'000};
  const auto fitted = fit_body({row.form, row.body, *head}, suffix_of(row.suffix), target);
  if (!fitted) return std::string{to_string(fitted.error().code)};
  splice edits{row.body, *head};
  for (const auto& one : *fitted) edits.apply(one);
  return edits.str();
}

void check_all(const std::vector<fitting_case>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.body, row.suffix);
    CHECK(sent(row) == row.expect);
  }
}

constexpr auto chat = wire::openai_chat;
constexpr auto responses = wire::openai_responses;
constexpr auto messages = wire::anthropic_messages;
constexpr auto gemini = wire::gemini;

}  // namespace

TEST_CASE("a body that asks for what its model takes stays byte for byte") {
  const auto [form, to, caps, body] =
      GENERATE(table<wire, dialect, std::optional<thinking_caps>, std::string>({
          {chat, dialect::chat, words, R"({"a":1, "messages":[]})"},
          {chat, dialect::chat, words, R"({"reasoning_effort" : "low"})"},
          {chat, dialect::chat, unknown, R"({"reasoning_effort":"turbo"})"},
          {responses, dialect::codex, words, R"({"input":"x"})"},
          {responses, dialect::codex, words, R"({"reasoning":{"effort": "high","summary":"auto"}})"},
          {responses, dialect::codex, words, R"({"reasoning":{"summary":"auto"}})"},
          {responses, dialect::codex, words, R"({"reasoning":null})"},
          {messages, dialect::claude, budget, R"({"thinking":{"type":"enabled","budget_tokens":2000}})"},
          {messages, dialect::claude, both, R"({"thinking":{"type":"enabled","budget_tokens":2000}})"},
          {messages, dialect::claude, both, R"({"thinking":{"type":"adaptive"}})"},
          {messages, dialect::claude, budget, R"({"thinking":{"type":"disabled"}})"},
          {messages, dialect::claude, fixed, R"({"output_config":{"effort":"low"}})"},
          {messages, dialect::claude, unknown, R"({"thinking":{"type":"adaptive"}})"},
          {gemini, dialect::gemini, gemini_both, R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}})"},
          {gemini, dialect::gemini, gemini_both, R"({"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}})"},
          {gemini, dialect::gemini, gemini_both, R"({"generation_config":{"temperature":1}})"},
          {gemini, dialect::gemini, gemini_both, R"({"generationConfig":{"thinkingConfig":{"includeThoughts":true}}})"},
          {gemini, dialect::gemini, unknown, R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":999999}}})"},
      }));
  CAPTURE(body);
  CHECK(sent({form, to, caps, body, "", ""}) == body);
}

TEST_CASE("a body in an OpenAI protocol is fitted by its effort") {
  check_all({
      {chat, dialect::chat, words, R"({"reasoning_effort":"xhigh"})", "", "LEVEL_NOT_SUPPORTED"},
      {chat, dialect::chat, words, R"({"reasoning_effort":"turbo"})", "", "UNKNOWN_LEVEL"},
      {chat, dialect::chat, words, R"({"reasoning_effort":"none","n":1})", "",
       R"({"reasoning_effort":"low","n":1})"},
      {chat, dialect::chat, words, R"({"n":1})", "high", R"({"n":1,"reasoning_effort":"high"})"},
      {chat, dialect::chat, words, R"({"reasoning_effort":"low"})", "8192",
       R"({"reasoning_effort":"medium"})"},
      {chat, dialect::chat, words, R"({"reasoning":{"effort":"low","exclude":true}})", "high",
       R"({"reasoning":{"exclude":true},"reasoning_effort":"high"})"},
      {chat, dialect::chat, fixed, R"({"reasoning_effort":"low","thinking":{},"n":1})", "",
       R"({"n":1})"},
      {chat, dialect::chat, fixed, R"({"n":1})", "high", R"({"n":1})"},
      {chat, dialect::chat, unknown, R"({"n":1})", "auto", R"({"n":1,"reasoning_effort":"auto"})"},
      {chat, dialect::chat, unknown, R"({"n":1})", "64000",
       R"({"n":1,"reasoning_effort":"xhigh"})"},
      {responses, dialect::codex, words, R"({"reasoning":{"effort":"xhigh"}})", "",
       "LEVEL_NOT_SUPPORTED"},
      {responses, dialect::codex, words, R"({"input":"x"})", "none",
       R"({"input":"x","reasoning":{"effort":"low"}})"},
      {responses, dialect::codex, words, R"({"reasoning":{"summary":"auto", "effort":"low"}})",
       "high", R"({"reasoning":{"summary":"auto", "effort":"high"}})"},
      {responses, dialect::codex, fixed, R"({"reasoning":{"effort":"low"},"input":"x"})", "",
       R"({"input":"x"})"},
  });
}

TEST_CASE("a Kimi body is switched on and off, and its own words win") {
  check_all({
      {chat, dialect::kimi, switchable, R"({"thinking":{"effort":"high"},"reasoning_effort":"low"})",
       "", R"({"thinking":{"effort":"high"},"reasoning_effort":"low"})"},
      {chat, dialect::kimi, switchable,
       R"({"thinking":{"keep":1,"effort":"medium"},"reasoning_effort":"high"})", "",
       R"({"thinking":{"keep":1,"effort":"low","type":"enabled"}})"},
      {chat, dialect::kimi, switchable, R"({"reasoning_effort":"low"})", "high",
       R"({"thinking":{"type":"enabled","effort":"high"}})"},
      {chat, dialect::kimi, switchable, R"({"thinking":{"effort":"low"}})", "none",
       R"({"thinking":{"type":"disabled"}})"},
      {chat, dialect::kimi, words, R"({"n":1})", "none",
       R"({"n":1,"thinking":{"type":"enabled","effort":"low"}})"},
      {chat, dialect::kimi, words, R"({"n":1})", "auto",
       R"({"n":1,"thinking":{"type":"enabled","effort":"medium"}})"},
  });
}

TEST_CASE("a Messages body is fitted by budget or effort") {
  check_all({
      {messages, dialect::claude, budget,
       R"({"thinking":{"type":"enabled","budget_tokens":200000}})", "", "BUDGET_OUT_OF_RANGE"},
      {messages, dialect::claude, words,
       R"({"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}})", "",
       "LEVEL_NOT_SUPPORTED"},
      {messages, dialect::claude, budget, R"({"max_tokens":300000})", "200000",
       R"({"max_tokens":300000,"thinking":{"type":"enabled","budget_tokens":128000}})"},
      {messages, dialect::claude, budget, R"({"max_tokens":9000})", "high",
       R"({"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":8999}})"},
      {messages, dialect::claude, budget, R"({"a":1})", "max",
       R"({"a":1,"max_tokens":64000,"thinking":{"type":"enabled","budget_tokens":63999}})"},
      {messages, dialect::claude, budget,
       R"({"thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"low"},)"
       R"("max_tokens":9000})",
       "",
       R"({"thinking":{"type":"enabled","display":"omitted","budget_tokens":1024},)"
       R"("output_config":{},"max_tokens":9000})"},
      {messages, dialect::claude, words, R"({"thinking":{"type":"enabled","budget_tokens":8192}})",
       "", R"({"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"}})"},
      {messages, dialect::claude, both, R"({"thinking":{"type":"enabled","budget_tokens":2000}})",
       "max", R"({"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}})"},
      {messages, dialect::claude, both,
       R"({"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low","format":{}}})",
       "none", R"({"thinking":{"type":"disabled"},"output_config":{"format":{}}})"},
      {messages, dialect::claude, fixed, R"({"thinking":{"type":"enabled","budget_tokens":2000}})",
       "", R"({})"},
  });
}

TEST_CASE("a suffix thinks only where a budget has room") {
  const std::string loop =
      R"({"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"q"}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"q"}]}],"max_tokens":9000)";
  const std::string thought = R"({"messages":[{"role":"assistant","content":[{"type":"thinking"},)"
                              R"({"type":"tool_use","id":"q"}]},{"role":"user","content":)"
                              R"([{"type":"tool_result","tool_use_id":"q"}]}],"max_tokens":9000)";
  const std::string budgeted = R"(,"thinking":{"type":"enabled","budget_tokens":8192}})";
  check_all({
      {messages, dialect::claude, budget, R"({"max_tokens":1024})", "high",
       R"({"max_tokens":1024})"},
      {messages, dialect::claude, budget, R"({"max_tokens":1025})", "high",
       R"({"max_tokens":1025,"thinking":{"type":"enabled","budget_tokens":1024}})"},
      {messages, dialect::claude, unknown, R"({"max_tokens":9})", "8192", R"({"max_tokens":9})"},
      {messages, dialect::claude, budget, loop + "}", "8192", loop + "}"},
      {messages, dialect::claude, budget, thought + "}", "8192", thought + budgeted},
      {messages, dialect::claude, both, loop + "}", "high",
       loop + R"(,"output_config":{"effort":"high"},"thinking":{"type":"adaptive"}})"},
  });
}

TEST_CASE("a suffix leaves out what thinking excludes, a body's own wish leaves it alone") {
  check_all({
      {messages, dialect::claude, budget,
       R"({"max_tokens":9000,"temperature":0.5,"top_p":0.9,"top_k":3})", "2000",
       R"({"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":2000}})"},
      {messages, dialect::claude, budget, R"({"max_tokens":9000,"temperature":1,"top_p":0.95})",
       "2000",
       R"({"max_tokens":9000,"temperature":1,"top_p":0.95,)"
       R"("thinking":{"type":"enabled","budget_tokens":2000}})"},
      {messages, dialect::claude, budget, R"({"max_tokens":9000,"temperature":0.5})", "none",
       R"({"max_tokens":9000,"temperature":0.5,"thinking":{"type":"disabled"}})"},
      {messages, dialect::claude, budget,
       R"({"temperature":0.5,"thinking":{"type":"enabled","budget_tokens":2000}})", "",
       R"({"temperature":0.5,"thinking":{"type":"enabled","budget_tokens":2000}})"},
  });
}

TEST_CASE("a tool that must be called excludes thinking in Messages") {
  const std::string choice = R"("tool_choice":{"type":"any"})";
  check_all({
      {messages, dialect::claude, both, "{" + choice + R"(,"thinking":{"type":"adaptive"}})", "",
       "{" + choice + "}"},
      {messages, dialect::claude, unknown,
       "{" + choice + R"(,"thinking":{"type":"enabled","budget_tokens":2000}})", "",
       "{" + choice + "}"},
      {messages, dialect::claude, both, "{" + choice + "}", "high", "{" + choice + "}"},
      {messages, dialect::claude, both, "{" + choice + R"(,"thinking":{"type":"disabled"}})", "",
       "{" + choice + R"(,"thinking":{"type":"disabled"}})"},
  });
}

TEST_CASE("a budget of thinking has no place beside results of calls made without a thought") {
  const std::string call = R"({"type":"tool_use","id":"c","name":"f","input":{}})";
  const std::string thought = R"({"type":"thinking","thinking":"t","signature":"s"})";
  const std::string hidden = R"({"type":"redacted_thinking","data":"d"})";
  const std::string result = R"({"type":"tool_result","tool_use_id":"c","content":"r"})";
  const auto said = [](const std::string& role, const std::string& blocks) {
    return R"({"role":")" + role + R"(","content":[)" + blocks + "]}";
  };
  const auto lacks = [&](const std::string& kind, const std::string& history) {
    const std::string body = R"({"thinking":)" + kind +
                             R"(,"messages":[{"role":"user","content":"x"},)" + history + "]}";
    const auto head = read_envelope(body);
    REQUIRE(head);
    return lacks_thinking_in_loop({messages, body, *head});
  };
  const std::string on = R"({"type":"enabled","budget_tokens":2000})";
  const auto answered = ',' + said("user", result);
  CHECK(lacks(on, said("assistant", call) + answered));
  CHECK(lacks(on, said("assistant", call) + ',' + said("user", result + R"(,{"type":"text"})")));
  CHECK_FALSE(lacks(on, said("assistant", thought + ',' + call) + answered));
  CHECK_FALSE(lacks(on, said("assistant", hidden + ',' + call) + answered));
  CHECK_FALSE(lacks(on, said("assistant", thought) + ',' + said("assistant", call) + answered));
  CHECK_FALSE(lacks(on, said("assistant", call) + answered + ',' + said("assistant", call)));
  CHECK_FALSE(lacks(R"({"type":"adaptive"})", said("assistant", call) + answered));
  CHECK_FALSE(lacks(R"({"type":"disabled"})", said("assistant", call) + answered));
  CHECK_FALSE(lacks(on, said("assistant", R"({"type":"text","text":"y"})")));
}

TEST_CASE("a Gemini body keeps one spelling of its amount") {
  check_all({
      {gemini, dialect::gemini, gemini_both,
       R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":64000}}})", "",
       "BUDGET_OUT_OF_RANGE"},
      {gemini, dialect::gemini, gemini_both,
       R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":-7}}})", "",
       "BUDGET_OUT_OF_RANGE"},
      {gemini, dialect::gemini, gemini_both,
       R"({"generationConfig":{"thinkingConfig":{"thinkingLevel":"medium"}}})", "",
       "LEVEL_NOT_SUPPORTED"},
      {gemini, dialect::gemini, gemini_both, R"({"contents":[]})", "64000",
       R"({"contents":[],"generationConfig":{"thinkingConfig":{"thinkingBudget":32768}}})"},
      {gemini, dialect::gemini, gemini_both,
       R"({"generation_config":{"thinking_config":{"thinking_budget":5,"include_thoughts":true},"topP":1}})",
       "high",
       R"({"generation_config":{"topP":1,"thinkingConfig":{"thinkingLevel":"high","includeThoughts":true}}})"},
      {gemini, dialect::gemini, gemini_both,
       R"({"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0}}})", "",
       R"({"generationConfig":{"thinkingConfig":{"thinkingLevel":"low","includeThoughts":false}}})"},
      {gemini, dialect::gemini, gemini_both, R"({"contents":[]})", "auto",
       R"({"contents":[],"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}})"},
      {gemini, dialect::gemini, switchable,
       R"({"generationConfig":{"topP":1,"thinkingConfig":{"thinkingLevel":"low"}}})", "none",
       R"({"generationConfig":{"topP":1}})"},
      {gemini, dialect::gemini, fixed, R"({"contents":[]})", "high", R"({"contents":[]})"},
      {gemini, dialect::gemini, budget, R"({"generationConfig":null})", "none",
       R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}})"},
  });
}

TEST_CASE("members of a wrong type are the provider's to judge") {
  const auto [form, to, body] = GENERATE(table<wire, dialect, std::string>({
      {chat, dialect::chat, R"({"reasoning_effort":7})"},
      {responses, dialect::codex, R"({"reasoning":"high"})"},
      {responses, dialect::codex, R"({"reasoning":{"effort":{}}})"},
      {messages, dialect::claude, R"({"thinking":[1]})"},
      {messages, dialect::claude, R"({"thinking":{"type":"enabled","budget_tokens":"2000"}})"},
      {gemini, dialect::gemini, R"({"generationConfig":[]})"},
      {gemini, dialect::gemini, R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":1.5}}})"},
  }));
  CAPTURE(body);
  CHECK(sent({form, to, both, body, "", ""}) == body);
}

TEST_CASE("whatever members mean thinking, the edited body is JSON") {
  REQUIRE(rc::check("fit_body", [](std::uint64_t seed) {
    test::json_maker make{seed};
    const std::string body =
        make.object(3, {"thinking", "reasoning", "reasoning_effort", "output_config", "max_tokens",
                        "tool_choice", "generationConfig", "generation_config"});
    const auto head = read_envelope(body);
    RC_ASSERT(head.has_value());
    const auto form = *rc::gen::element(chat, responses, messages, gemini);
    const auto to = *rc::gen::element(dialect::chat, dialect::codex, dialect::claude,
                                      dialect::gemini, dialect::kimi);
    const auto caps = *rc::gen::element(words, budget, both, fixed);
    const auto suffix = *rc::gen::element<std::string>("", "none", "auto", "high", "5000");
    const auto fitted = fit_body({form, body, *head}, suffix_of(suffix),
                                 {.dialect = to, .model = "m", .caps = caps});
    if (!fitted) return;
    splice edits{body, *head};
    for (const auto& one : *fitted) edits.apply(one);
    RC_ASSERT(nlohmann::json::accept(edits.str()));
  }));
}

}  // namespace tidegate::protocol
