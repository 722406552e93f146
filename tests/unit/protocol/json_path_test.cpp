#include "protocol/json_path.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

std::string query_text(const element_query& query) {
  using enum element_query::test;
  std::string out;
  for (const auto& key : query.keys) out += (out.empty() ? "" : ">") + key;
  switch (query.how) {
    case exists:
      return out;
    case equal:
      return out + " is " + query.text;
    case differs:
      return out + " is not " + query.text;
    case like:
      return out + " like " + query.text;
    case unlike:
      return out + " unlike " + query.text;
  }
  return out;
}

/// Keys in quotes, indexes behind them, selections in words.
std::string steps_text(std::string_view path) {
  const auto parsed = parse_json_path(path);
  if (!parsed) return parsed.error().detail;
  std::string out;
  for (const auto& step : parsed->steps) {
    if (!out.empty()) out += ' ';
    switch (step.what) {
      case path_step::kind::name:
        out += "'" + step.key + "'";
        break;
      case path_step::kind::append:
        out += "append";
        break;
      case path_step::kind::every:
        out += "every";
        break;
      case path_step::kind::first_of:
        out += "first(" + query_text(step.query) + ")";
        break;
      case path_step::kind::each_of:
        out += "each(" + query_text(step.query) + ")";
        break;
    }
    if (step.index) out += "@" + std::to_string(*step.index);
  }
  return out;
}

}  // namespace

TEST_CASE("a path is read in both spellings") {
  const auto [path, steps] = GENERATE(table<std::string, std::string>({
      {"/max_tokens", "'max_tokens'"},
      {"/tools/0/name", "'tools' '0'@0 'name'"},
      {"/stop/-", "'stop' append"},
      {"/a~1b/m~0n", "'a/b' 'm~n'"},
      {"/a.b/#", "'a.b' '#'"},
      {"/a/01", "'a' '01'"},
      {"max_tokens", "'max_tokens'"},
      {"generationConfig.thinkingConfig.thinkingBudget",
       "'generationConfig' 'thinkingConfig' 'thinkingBudget'"},
      {"tools.0.name", "'tools' '0'@0 'name'"},
      {"stop.-1", "'stop' append"},
      {"metadata.a\\.b", "'metadata' 'a.b'"},
      {"metadata.\\#.\\*", "'metadata' '#' '*'"},
      {"metadata.:7", "'metadata' '7'"},
      {"metadata.:x", "'metadata' ':x'"},
      {"messages.#.name", "'messages' every 'name'"},
      {"tools.#", "'tools' every"},
      {R"(tools.#(type=="web_search").name)", "'tools' first(type is web_search) 'name'"},
      {R"(tools.#(type=="web_search")#)", "'tools' each(type is web_search)"},
      {"tools.#(type==web_search)#.name", "'tools' each(type is web_search) 'name'"},
      {"tools.#(type = x)", "'tools' first(type is x)"},
      {R"(t.#(function.name!="a)b\".c"))", "'t' first(function>name is not a)b\".c)"},
      {R"(t.#(name%"mcp_*")#)", "'t' each(name like mcp_*)"},
      {R"(t.#(name!%"mcp_*"))", "'t' first(name unlike mcp_*)"},
      {R"(stop.#(=="END"))", "'stop' first( is END)"},
      {"t.#(strict)#", "'t' each(strict)"},
      {"t.#(n==1.5)", "'t' first(n is 1.5)"},
  }));
  CAPTURE(path);
  CHECK(steps_text(path) == steps);
}

TEST_CASE("a path that is broken or not supported says why") {
  const auto [path, why] = GENERATE(table<std::string, std::string>({
      {"", "is empty"},
      {"/", "empty key"},
      {"/a//b", "empty key"},
      {"/a~2", "~0 nor ~1"},
      {"/a~", "~0 nor ~1"},
      {".a", "empty key"},
      {"a.", "empty key"},
      {"a..b", "empty key"},
      {"a\\", "backslash"},
      {"a\"b", "quotes"},
      {"a*.b", "wildcard"},
      {"a.b?", "wildcard"},
      {"a|b", "pipe"},
      {"a.@reverse", "modifier"},
      {"a.[b,c]", "several results"},
      {"a.{b,c}", "several results"},
      {"a#b", "# inside a key"},
      {"#.a", "begin with a key"},
      {"#(a==1)", "begin with a key"},
      {"a.#x", "behind a selection"},
      {"a.#(b==1)x", "behind a selection"},
      {"a.#(b==1", "closing parenthesis"},
      {"a.#()", "empty query"},
      {"a.#(b>1)", "another operator"},
      {"a.#(b<=1)", "another operator"},
      {"a.#(b==~true)", "plain or quoted"},
      {"a.#(b==)", "plain or quoted"},
      {"a.#(b==\"x)", "closing parenthesis"},
      {"a.#(b==\"\\x\")", "JSON string"},
      {"a.#(b.#(c==1)#)", "more than plain keys"},
      {std::string(path_bytes_max + 1, 'a'), "longer than"},
      {"a" +
           [] {
             std::string deep;
             for (std::size_t i = 0; i < path_steps_max; ++i) deep += ".a";
             return deep;
           }(),
       "steps"},
  }));
  CAPTURE(path);
  const auto parsed = parse_json_path(path);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == errc::invalid_input);
  CHECK_THAT(parsed.error().detail, ContainsSubstring(why));
}

TEST_CASE("any bytes are a path or an error") {
  REQUIRE(rc::check("parse_json_path ends on any bytes", [] {
    const auto bytes = *rc::gen::container<std::string>(rc::gen::element(
        'a', '.', '#', '(', ')', '=', '!', '%', '"', '\\', '/', '~', '0', ':', '-'));
    const auto parsed = parse_json_path(bytes);
    if (parsed) RC_ASSERT(!parsed->steps.empty() && parsed->text == bytes);
  }));
}
