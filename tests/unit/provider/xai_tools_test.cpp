/// What xAI takes of tools, choices and history that other endpoints of its protocol take.

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;

namespace {

constexpr const char* any_object =
    R"({"type":"object","properties":{},"additionalProperties":true})";
constexpr const char* one_input =
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],)"
    R"("additionalProperties":false})";
constexpr const char* schema = R"({"type":"object","properties":{}})";

/// A body of these members as it goes out, without what all have.
std::string sent(const std::string& members) {
  const std::string begin = R"({"model":"grok-4.5","stream":true)";
  const auto got = build({kind::xai, begin + "," + members + "}", "grok-4.5"});
  REQUIRE(got);
  REQUIRE(got->body.starts_with(begin));
  return got->body.substr(begin.size(), got->body.size() - begin.size() - 1);
}

std::string function(const std::string& name, const std::string& parameters = schema) {
  return R"({"type":"function","name":")" + name + R"(","parameters":)" + parameters + "}";
}

const std::string ns_tools =
    R"("tools":[{"type":"namespace","name":"mcp","tools":[)" + function("read") + "]}]";
const std::string ns_sent = R"(,"tools":[)" + function("mcp__read") + "]";

}  // namespace

TEST_CASE("xAI: free-form tools become functions with one input") {
  CHECK(sent(R"("tools":[{"type":"custom","name":"run","description":"Runs it",)"
             R"("format":{"type":"grammar","syntax":"lark","definition":"x"}}])") ==
        std::string{R"(,"tools":[{"type":"function","name":"run","description":"Runs it",)"
                    R"("parameters":)"} +
            one_input +
            R"(}])");
}

TEST_CASE("xAI: tools of a namespace are flat and keep their place") {
  CHECK(sent(ns_tools) == ns_sent);
  CHECK(sent(R"("tools":[)" + function("a") + R"(,{"type":"namespace","name":"n","tools":[)" +
             function("b") + R"(,{"type":"tool_search"},{"type":"custom","name":"c"}]},)" +
             function("d") + "]") ==
        R"(,"tools":[)" + function("a") + "," + function("n__b") + "," +
            function("n__c", one_input) + "," + function("d") + "]");
}

TEST_CASE("xAI: apply_patch in its free form is not sent, its choice neither") {
  const std::string patch = R"({"type":"custom","name":"apply_patch"})";
  CHECK(sent(R"("tools":[)" + patch + R"(],"tool_choice":)" + patch) == "");
  CHECK(sent(R"("tools":[)" + patch + "," + function("f") + R"(],"tool_choice":)" + patch) ==
        R"(,"tools":[)" + function("f") + "]");
  CHECK(sent(R"("tools":[)" + function("apply_patch") + "]") ==
        R"(,"tools":[)" + function("apply_patch") + "]");
}

TEST_CASE("xAI: tools that stand in the history move to the tools") {
  const std::string hello = R"({"role":"user","content":"hi"})";
  const std::string more = R"({"type":"additional_tools","tools":[)" + function("g") + "]}";
  CHECK(sent(R"("tools":[)" + function("f") + R"(],"input":[)" + more + "," + hello + "]") ==
        R"(,"tools":[)" + function("f") + "," + function("g") + R"(],"input":[)" + hello + "]");
  CHECK(sent(R"("tool_choice":"auto","input":[)" + hello + "," + more + "]") ==
        R"(,"tool_choice":"auto","input":[)" + hello + R"(],"tools":[)" + function("g") + "]");
}

TEST_CASE("xAI: choices name tools as they are sent") {
  struct row {
    const char* what;
    std::string choice;
    std::string expected;  ///< empty: it goes
  };
  const std::string tools = R"("tools":[{"type":"namespace","name":"mcp","tools":[)" +
                            function("read") + R"(]},{"type":"custom","name":"run"},)" +
                            R"({"type":"tool_search"},{"type":"x_search"}])";
  const auto each = GENERATE_COPY(
      row{"of a namespace", R"({"type":"function","name":"read","namespace":"mcp"})",
          R"({"type":"function","name":"mcp__read"})"},
      row{"free-form", R"({"type":"custom","name":"run"})", R"({"type":"function","name":"run"})"},
      row{"hosted", R"({"type":"x_search"})",
          R"({"type":"allowed_tools","mode":"required","tools":[{"type":"x_search"}]})"},
      row{"gone", R"({"type":"tool_search"})", ""},
      row{"some of a list",
          R"({"type":"allowed_tools","mode":"auto","tools":[{"type":"tool_search"},)"
          R"({"type":"custom","name":"run"},{"type":"x_search"}]})",
          R"({"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"run"},)"
          R"({"type":"x_search"}]})"},
      row{"all of a list",
          R"({"type":"allowed_tools","mode":"auto","tools":[{"type":"tool_search"}]})", ""},
      row{"a list as it is",
          R"({"type":"allowed_tools","mode":"auto","tools":[ {"type":"x_search"} ]})",
          R"({"type":"allowed_tools","mode":"auto","tools":[ {"type":"x_search"} ]})"});
  CAPTURE(each.what);
  const auto got = sent(R"("tool_choice":)" + each.choice + "," + tools);
  const auto list = got.find(R"(,"tools":[{"type":"function","name":"mcp__read")");
  REQUIRE(list != std::string::npos);
  CHECK(got.substr(0, list) ==
        (each.expected.empty() ? "" : R"(,"tool_choice":)" + each.expected));
}

TEST_CASE("xAI: the root of a schema is an object") {
  struct row {
    const char* what;
    std::string tool;
    std::string expected;
  };
  const std::string objects = R"({"anyOf":[{"type":"object"},{"properties":{"a":{}}}]})";
  const std::string mixed = R"({"oneOf":[{"type":"object"},{"type":"string"}]})";
  const auto each = GENERATE_COPY(
      row{"a union of objects", function("f", objects), function("f", objects)},
      row{"a union of others", function("f", mixed), function("f", any_object)},
      row{"strict", R"({"type":"function","name":"f","strict":true,"parameters":)" + mixed + "}",
          std::string{R"({"type":"function","name":"f","strict":false,"parameters":)"} +
              any_object + "}"},
      row{"the one that is never read", function("automation_update", schema),
          function("automation_update", any_object)});
  CAPTURE(each.what);
  CHECK(sent(R"("tools":[)" + each.tool + "]") == R"(,"tools":[)" + each.expected + "]");
}

TEST_CASE("xAI: calls of the history are those of the functions that were declared") {
  struct row {
    const char* what;
    std::string given;
    std::string expected;
  };
  const auto each = GENERATE(
      row{"of a namespace",
          R"({"type":"function_call","call_id":"c","namespace":"mcp","name":"read",)"
          R"("arguments":"{}"})",
          R"({"type":"function_call","call_id":"c","name":"mcp__read","arguments":"{}"})"},
      row{"plain", R"({"type":"function_call","call_id":"c","name":"f","arguments":"{ }"})",
          R"({"type":"function_call","call_id":"c","name":"f","arguments":"{ }"})"},
      row{"free-form",
          R"({"type":"custom_tool_call","call_id":"c","name":"run","input":"say \"x\"\n"})",
          R"({"type":"function_call","call_id":"c","name":"run",)"
          R"("arguments":"{\"input\":\"say \\\"x\\\"\\n\"}"})"},
      row{"free-form without input", R"({"type":"custom_tool_call","call_id":"c","name":"run"})",
          R"({"type":"function_call","call_id":"c","name":"run","arguments":"{\"input\":\"\"}"})"},
      row{"its result", R"({"type":"custom_tool_call_output","call_id":"c","output":"done"})",
          R"({"type":"function_call_output","call_id":"c","output":"done"})"});
  CAPTURE(each.what);
  CHECK(sent(ns_tools + R"(,"input":[)" + each.given + "]") ==
        ns_sent + R"(,"input":[)" + each.expected + "]");
}

TEST_CASE("xAI: reasoning that was cut in two goes out in one piece") {
  struct row {
    const char* what;
    std::string given;
    std::string expected;
  };
  const auto text = [](const std::string& word) {
    return R"({"type":"summary_text","text":")" + word + R"("})";
  };
  const auto piece = [&](const std::string& id, const std::string& texts, const char* more = "") {
    return R"({"type":"reasoning","id":")" + id + R"(","summary":[)" + texts + "]" + more + "}";
  };
  const char* token = R"(,"encrypted_content":"t")";
  const auto each = GENERATE_COPY(
      row{"three", piece("a", text("1")) + "," + piece("b", text("2")) + "," + piece("c", text("3")),
          piece("a", text("1") + "," + text("2") + "," + text("3"))},
      row{"the token stays with its own",
          piece("a", text("1")) + "," + piece("b", text("2"), token),
          piece("b", text("1") + "," + text("2"), token)},
      row{"two tokens", piece("a", text("1"), token) + "," + piece("b", text("2"), token),
          piece("a", text("1"), token) + "," + piece("b", text("2"), token)},
      row{"empty", piece("a", "") + "," + piece("b", text("2")), piece("a", text("2"))},
      row{"apart", piece("a", text("1")) + R"(,{"role":"user","content":"x"},)" + piece("b", ""),
          piece("a", text("1")) + R"(,{"role":"user","content":"x"},)" + piece("b", "")},
      row{"nulls", piece("a", text("1"), R"(,"content":null,"encrypted_content":null)"),
          piece("a", text("1"))},
      row{"content", piece("a", text("1"), R"(,"content":[{}])") + "," + piece("b", text("2")),
          piece("a", text("1"), R"(,"content":[{}])") + "," + piece("b", text("2"))});
  CAPTURE(each.what);
  CHECK(sent(R"("input":[)" + each.given + "]") == R"(,"input":[)" + each.expected + "]");
}

TEST_CASE("xAI: a call with too many tools goes out as it is") {
  std::string tools;
  for (int i = 0; i < 4100; ++i) tools.append(i == 0 ? "" : ",").append(R"({"type":"tool_search"})");
  CHECK(sent(R"("tools":[)" + tools + "]") == "");
  std::string kept;
  for (int i = 0; i < 4100; ++i) kept.append(i == 0 ? "" : ",").append(R"({"type":"custom",)"
                                                                       R"("name":"c"})");
  CHECK(sent(R"("tools":[)" + kept + "]") == R"(,"tools":[)" + kept + "]");
}
