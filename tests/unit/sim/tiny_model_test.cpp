/// The model of a reply that follows its request: orders, rounds and schemas.

#include "app/sim/tiny_model.hpp"

#include "app/sim/schema_instance.hpp"
#include "app/sim/shape.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

answer answer_in_round(const std::string& order, int rounds) {
  conversation what;
  what.order = order;
  what.rounds = rounds;
  for (int i = 0; i < rounds; ++i) what.results.push_back({"f", "result"});
  return answer_to(what, protocol::wire::openai_chat, {});
}

}  // namespace

TEST_CASE("each round does what stands between its thens") {
  const std::string order = "call f {\"a\":1}\ncall g\nthen\nsay half\nsay way\nthen\nreport";
  const auto first = answer_in_round(order, 0);
  REQUIRE(first.tool_calls.size() == 2);
  CHECK(first.tool_calls[0].name == "f");
  CHECK(first.tool_calls[0].arguments == "{\"a\":1}");
  CHECK(first.tool_calls[1].arguments == "{}");
  CHECK(first.text.empty());
  CHECK(answer_in_round(order, 1).text == "halfway");
  CHECK(answer_in_round(order, 2).text == "f is result. f is result. ");
}

TEST_CASE("a request without orders is told what was heard") {
  CHECK(answer_in_round("hello", 0).text == "heard: hello");
  CHECK(answer_in_round("hello", 1).text == "f is result. ");
}

TEST_CASE("thinking is shown when it was asked for") {
  conversation what;
  what.order = "say x";
  what.thinks = what.wants_token = true;
  const auto hidden = answer_to(what, protocol::wire::openai_responses, {});
  CHECK(hidden.thinks);
  CHECK(hidden.reasoning.empty());
  CHECK_FALSE(hidden.token.empty());
  what.shows_thinking = true;
  CHECK_FALSE(answer_to(what, protocol::wire::openai_responses, {}).reasoning.empty());
}

TEST_CASE("a schema's instance has every property once") {
  const auto schema = json::parse(R"({"type":"object","properties":{"a":{"type":"string"},
    "b":{"type":"array","items":{"type":"integer"}},"c":{"enum":["x","y"]},
    "d":{"type":["boolean","null"]},"e":{"anyOf":[{"type":"NUMBER"}]}}})");
  CHECK(json_text_of_instance(schema) == R"({"a":"word","b":[7],"c":"x","d":true,"e":7})");
}

TEST_CASE("a schema that never ends has an instance that does") {
  auto schema = json::parse(R"({"type":"array"})");
  for (int i = 0; i < 2 * instance_depth_max; ++i) {
    schema = json{{"type", "array"}, {"items", schema}};
  }
  CHECK(json_text_of_instance(schema).size() < 4 * instance_depth_max);
}

TEST_CASE("a shape names the place that does not fit") {
  const shape_table table{R"({"request": {"a!": "string|@list", "b": {"$each": "integer"},
    "c": {"$by": "kind", "x": {"kind": "'x'", "n!": "number"}, "$else": {}}},
    "list": ["string"]})"};
  const std::vector<std::pair<std::string, std::string>> rows{
      {R"({"a":"t","b":{"q":1},"c":{"kind":"x","n":1.5}})", ""},
      {R"({"a":["t"],"c":{}})", ""},
      {R"({})", "a: is required"},
      {R"({"a":["t",1]})", "a.1: must be string"},
      {R"({"a":1})", "a: must be string|@list"},
      {R"({"a":"","d":1})", "d: is not known here"},
      {R"({"a":"","b":{"q":"1"}})", "b.q: must be integer"},
      {R"({"a":"","c":{"kind":"y"}})", "c.kind: 'y' is not supported here"},
      {R"({"a":"","c":{"kind":"x"}})", "c.n: is required"},
      {R"([])", "must be an object"}};
  for (const auto& [value, objection] : rows) {
    CAPTURE(value);
    CHECK(table.objection(json::parse(value)).value_or("") == objection);
  }
}

}  // namespace tidegate::sim
