#include "protocol/canonical/gemini/schema.hpp"

#include <nlohmann/json.hpp>

#include "protocol/canonical/gemini/json_scan.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate::protocol::gemini;

namespace {

std::string cleaned(std::string_view schema) {
  return cleaned_schema(schema).json;
}
std::string property(std::string_view schema) {
  const auto whole = cleaned(R"({"type":"object","properties":{"p":)" + std::string{schema} + "}}");
  const std::string head = R"({"type":"object","properties":{"p":)";
  REQUIRE(whole.starts_with(head));
  return whole.substr(head.size(), whole.size() - head.size() - 2);
}

}  // namespace

TEST_CASE("canonical Gemini: a schema of Gemini's own subset stays as it is") {
  const std::string schema =
      R"({"type":"object","properties":{"a":{"type":"string","description":"d"},)"
      R"("b":{"type":"array","items":{"type":"number","minimum":1,"maximum":2.50}}},)"
      R"("required":["a","b"]})";
  const auto clean = cleaned_schema(schema);
  CHECK(clean.json == schema);
  CHECK_FALSE(clean.lossy);
}

TEST_CASE("canonical Gemini: a reader that knows nullable is told what may be null") {
  for (const auto* said :
       {R"({"type":"string","nullable":true})", R"({"type":["string","null"]})",
        R"({"anyOf":[{"type":"string"},{"type":"null"}]})"}) {
    const auto whole = R"({"type":"object","properties":{"p":)" + std::string{said} + "}}";
    const auto made = nlohmann::json::parse(cleaned_nullable_schema(whole).json);
    CHECK(made["properties"]["p"].dump() == R"({"nullable":true,"type":"string"})");
    CHECK(nlohmann::json::parse(cleaned(whole))["properties"]["p"].dump() ==
          R"({"type":"string"})");
  }
  CHECK(cleaned_nullable_schema(R"({"type":["object","null"]})").json == R"({"type":"object"})");
}

TEST_CASE("canonical Gemini: one property's schema toward Gemini") {
  const auto [from, to] = GENERATE(table<std::string, std::string>({
      {R"({"type":"STRING"})", R"({"type":"string"})"},
      {R"({"const":"a"})", R"({"enum":["a"],"type":"string"})"},
      {R"({"type":"integer","enum":[1,2]})",
       R"({"enum":["1","2"],"type":"string","description":"Allowed: 1, 2"})"},
      {R"({"enum":["a"],"type":"string"})", R"({"enum":["a"],"type":"string"})"},
      {R"({"type":"object","properties":{},"additionalProperties":false})",
       R"({"type":"object","properties":{},"description":"No extra properties allowed"})"},
      {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"type":"object"})"},
      {R"({"type":"string","minLength":1,"pattern":"^\"a","description":"d"})",
       R"x({"type":"string","description":"d (minLength: 1) (pattern: ^\"a)"})x"},
      {R"({"type":"array","items":{"type":"string"},"maxItems":3,"default":["x"]})",
       R"({"type":"array","items":{"type":"string"},)"
       R"x("description":"maxItems: 3 (default: [\"x\"])"})x"},
      {R"({"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},
           {"type":"object","properties":{"b":{"type":"string"}},"required":["b","a"]}]})",
       R"({"properties":{"a":{"type":"string"},"b":{"type":"string"}},)"
       R"("required":["a","b"],"type":"object"})"},
      {R"({"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"string"}}}]})",
       R"({"type":"object","properties":{"x":{"type":"string"}},)"
       R"("description":"Accepts: string | object"})"},
      {R"({"description":"d","oneOf":[{"type":"null"},{"type":"array","items":{}}]})",
       R"({"description":"d","type":"array","items":{}})"},
      {R"({"type":["null","string","number"]})",
       R"({"type":"string","description":"Accepts: string | number"})"},
      {R"({"type":"string","$comment":"c","x-odd":1,"title":"t","nullable":true,"deprecated":true})",
       R"({"type":"string"})"},
      {R"({"type":"array","items":[{"type":"string"},{"type":"number"}]})",
       R"({"type":"array","items":{"type":"string"}})"},
      {"true", "{}"},
      {"7", "{}"},
      {R"({"type":"object","required":["gone"],"properties":{"x":{"type":"string"}}})",
       R"({"type":"object","properties":{"x":{"type":"string"}}})"},
      {R"({"$ref":"#/$defs/none"})", R"({"type":"object","description":"See: none"})"},
  }));
  CAPTURE(from);
  CHECK(property(from) == to);
}

TEST_CASE("canonical Gemini: a property that is named like a keyword is a property") {
  const std::string schema =
      R"({"type":"object","properties":{"type":{"type":"string"},"pattern":{"type":"string"},)"
      R"("$ref":{"type":"string"},"title":{"type":"string"},"required":{"type":"boolean"},)"
      R"("properties":{"type":"object","properties":{"enum":{"type":"string"}}}},)"
      R"("required":["type","$ref","properties"]})";
  CHECK(cleaned(schema) == schema);
}

TEST_CASE("canonical Gemini: references are put in place, and circles become a hint") {
  CHECK(cleaned(R"({"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"mine"}},
      "$defs":{"A":{"type":"string","description":"A"}}})") ==
        R"({"type":"object","properties":{"a":{"description":"mine","type":"string"}}})");
  CHECK(cleaned(R"({"$ref":"#/definitions/N","definitions":{"N":{"type":"object","properties":
      {"next":{"$ref":"#/definitions/N"},"v":{"type":"string"}}}}})") ==
        R"({"type":"object","properties":{"next":{"type":"object","description":"See: N"},)"
        R"("v":{"type":"string"}}})");
}

TEST_CASE("canonical Gemini: properties that may be null are not required") {
  CHECK(cleaned(R"({"type":"object","properties":{"a":{"type":["string","null"]},
      "b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{"type":"string"}},
      "required":["a","b","c"]})") ==
        R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},)"
        R"("c":{"type":"string"}},"required":["c"]})");
}

TEST_CASE(
    "canonical Gemini: a bare map of properties becomes an object, and required flags move up") {
  CHECK(cleaned(R"({"a":{"type":"string","required":true},"b":{"type":"number"}})") ==
        R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},)"
        R"("required":["a"]})");
}

TEST_CASE("canonical Gemini: the root is an object, whatever it was") {
  const auto from = GENERATE(as<std::string>{}, "", "[]", "7", "{", R"({"a":01})", "nul");
  CAPTURE(from);
  CHECK(cleaned(from) == R"({"type":"object","properties":{}})");
  CHECK(cleaned(R"({"type":"string"})") == R"({"type":"object"})");
  CHECK(cleaned("{}") == R"({"type":"object"})");
}

TEST_CASE("canonical Gemini: references that double at every step stay bounded") {
  std::string defs = R"("d0":{"type":"string"})";
  for (int i = 1; i < 30; ++i) {
    const std::string ref = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + "\"}";
    defs += R"(,"d)" + std::to_string(i) + R"(":{"type":"object","properties":{"a":)" + ref +
            R"(,"b":)" + ref + "}}";
  }
  const auto clean = cleaned(R"({"$ref":"#/$defs/d29","$defs":{)" + defs + "}}");
  CHECK(clean.size() < 4'000'000);
  CHECK(nlohmann::json::accept(clean));
}

TEST_CASE("canonical Gemini: every cut or changed schema still gives an object in JSON") {
  const std::string whole =
      R"({"type":["object","null"],"properties":{"a":{"$ref":"#/$defs/A"},"b":{"enum":[1,"x"]}},)"
      R"("allOf":[{"anyOf":[{"type":"string"}]}],"required":["a"],"$defs":{"A":{"const":null}}})";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char c : std::string_view{"\"{}[],:x"}) {
      std::string changed = whole;
      changed[at] = c;
      const auto clean = nlohmann::json::parse(cleaned(changed), nullptr, false);
      CAPTURE(changed);
      REQUIRE(clean.is_object());
      REQUIRE(clean["type"] == "object");
    }
  }
}

TEST_CASE("canonical Gemini: the strict scanner agrees with a full parser") {
  const auto text =
      GENERATE(as<std::string>{}, "{}", " [1, 2] ", "-0.5e+7", "01", "1.", "-", "\"\\u12\"",
               "\"\\q\"", "\"\\u00e9\\n\"", "tru", "true", "[1,]", "{\"a\":1,}", "{\"a\"}",
               "{\"a\":1}{}", "\"\n\"", "[[[]]]", "1e", "{'a':1}", "");
  CAPTURE(text);
  CHECK(is_json(text) == nlohmann::json::accept(text));
}
