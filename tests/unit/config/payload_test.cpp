#include <nlohmann/json.hpp>

#include "config/print.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/config_support.hpp"

using namespace tidegate;
using namespace tidegate::config;
using namespace tidegate::config::test;
using protocol::wire;

namespace {

constexpr std::string_view every_feature = R"(requests:
  payload:
    default:
      - models:
          - name: Gemini-*
            protocol: gemini
            from-protocol: responses
            headers: {X-Client-Tier: tenant-*}
            match: [{metadata.client: codex}, {metadata.n: 2}]
            not-match: [{metadata.mode: "dev"}]
            exist: ['tools.#(type=="web_search").type']
            not-exist: [metadata.disable]
        params:
          generationConfig.thinkingConfig.thinkingBudget: 32768
          /a/b: {x: [1.50, yes, true, null, "2"], y: "z\n"}
    default-raw:
      - models: [{name: "*"}]
        params: {format: '{"type": "object"}', list: [1]}
    override:
      - models: [{name: gpt-5.4-fast, protocol: codex}, {name: gpt-5.5-fast}]
        params: {service_tier: priority, note: ""}
    override-raw:
      - models: [{name: m, from-protocol: openai-response}]
        params: {a: "5"}
    filter:
      - models: [{name: m}]
        params: [stop, 'tools.#(type=="x")#']
)";

std::string one_rule(const std::string& kind, const std::string& params,
                     const std::string& models = "[{name: m}]") {
  return "payload: {" + kind + ": [{models: " + models + ", params: " + params + "}]}";
}

}  // namespace

TEST_CASE("payload rules are read with all their parts") {
  const auto r = load(every_feature);
  CHECK(findings(r).empty());
  REQUIRE(r.snapshot);
  const auto& rules = r.snapshot->requests.payload;
  REQUIRE(rules.fill.size() == 1);
  const auto& of = rules.fill[0].models[0];
  CHECK(of.name == "gemini-*");
  CHECK(of.protocol == wire::gemini);
  CHECK(of.from == wire::openai_responses);
  CHECK(of.headers[0].second == "tenant-*");
  CHECK(of.match[0].path.text == "metadata.client");
  CHECK(of.match[0].raw == "\"codex\"");
  CHECK(of.match[1].raw == "2");
  CHECK(of.not_match[0].raw == "\"dev\"");
  CHECK(of.exist[0].steps.size() == 3);
  CHECK(of.not_exist[0].text == "metadata.disable");
  CHECK(rules.fill[0].params[0].raw == "32768");
  CHECK(rules.fill[0].params[1].raw == R"({"x":[1.50,"yes",true,null,"2"],"y":"z\n"})");
  CHECK(rules.fill_raw[0].params[0].raw == R"({"type": "object"})");
  CHECK(rules.fill_raw[0].params[1].raw == "[1]");
  CHECK(rules.override_all[0].models.size() == 2);
  CHECK(rules.override_all[0].models[0].protocol == wire::openai_responses);
  CHECK(rules.override_all[0].params[0].raw == "\"priority\"");
  CHECK(rules.override_all[0].params[1].raw == "\"\"");
  CHECK(rules.override_raw[0].models[0].from == wire::openai_responses);
  CHECK(rules.override_raw[0].params[0].raw == "5");
  CHECK(rules.filter[0].params[1].path.steps.size() == 2);
  CHECK_FALSE(rules.empty());
  CHECK(load("port: 1").snapshot->requests.payload.empty());
}

TEST_CASE("printed payload rules read back as they were") {
  const auto first = load(every_feature);
  REQUIRE(first.snapshot);
  const auto again = load(print_config(*first.snapshot, visibility::revealed));
  CHECK(findings(again).empty());
  REQUIRE(again.snapshot);
  CHECK(again.snapshot->requests.payload == first.snapshot->requests.payload);
}

TEST_CASE("the older place is read too") {
  const auto r = load(one_rule("override", "{a: 1}"));
  CHECK(findings(r).empty());
  CHECK(r.snapshot->requests.payload.override_all.size() == 1);
}

TEST_CASE("what a payload rule cannot do is an error that names it") {
  const auto [yaml, finding] = GENERATE(table<std::string, std::string>({
      {one_rule("override", "{'a|b': 1}"), "the path \"a|b\" uses a pipe"},
      {one_rule("filter", "['a.*']"), "the path \"a.*\" uses a wildcard"},
      {one_rule("override", "{model: x}"), "the path \"model\" cannot be set"},
      {one_rule("filter", "[/stream]"), "the path \"/stream\" cannot be set"},
      {one_rule("override-raw", "{a: '{x'}"),
       "error: payload.override-raw[0].params.a: is not a JSON"},
      {one_rule("override", "{a: 0x10}"), "neither a JSON number nor quoted"},
      {one_rule("override", "{a: +1}"), "neither a JSON number nor quoted"},
      {one_rule("override", "[a]"), "expected a mapping from paths to values"},
      {one_rule("filter", "{a: 1}"), "expected a list of paths"},
      {one_rule("override", "{a: 1}", "[{protocol: codex}]"), "needs the name of a model"},
      {one_rule("override", "{a: 1}", "[{name: m, protocol: cobol}]"), "unknown value \"cobol\""},
      {one_rule("override", "{a: 1}", "[{name: m, nmae: x}]"), "did you mean name?"},
      {one_rule("override", "{a: 1}", "[{name: m, match: [{a.#x: 1}]}]"), "the path \"a.#x\""},
      {one_rule("override", "{a: 1}", "[{name: m, match: [{a: [1]}]}]"), "only single values"},
      {one_rule("override", "{a: 1}", "[{name: m, exist: ['']}]"), "is empty"},
  }));
  CAPTURE(yaml);
  const auto r = load(yaml);
  CHECK_FALSE(r.snapshot);
  CHECK_THAT(findings(r), ContainsSubstring(finding));
}

TEST_CASE("a rule without anything to do is dropped with a warning") {
  for (const auto& yaml : {one_rule("override", "{}"), one_rule("override", "{a: 1}", "[]"),
                           one_rule("override", "{a: 1}", "[{name: m, protocol: antigravity}]")}) {
    CAPTURE(yaml);
    const auto r = load(yaml);
    REQUIRE(r.snapshot);
    CHECK(r.snapshot->requests.payload.empty());
    CHECK_THAT(findings(r), ContainsSubstring("dropped"));
  }
}
