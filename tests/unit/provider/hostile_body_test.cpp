#include <rapidcheck.h>

#include <array>
#include <nlohmann/json.hpp>

#include "provider/antigravity/answer.hpp"
#include "provider/kimi/history.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using nlohmann::json;
using protocol::surface;
using provider::kind;

namespace {

/// Values that stand where something else is expected.
rc::Gen<std::string> odd_value() {
  return rc::gen::element<std::string>(
      "null", "7", "true", "\"\"", "\"x\"", "[]", "{}", "[[]]", "[null,1,\"a\"]",
      R"([{"type":7,"role":[],"parts":{"text":1}}])", R"({"type":"web_search","mode":[]})",
      R"([{"role":"assistant","tool_calls":{"id":1}},{"role":"tool","call_id":"c\"d"}])",
      R"([{"role":"assistant","content":[{"text":"a\\"}],"tool_calls":[{"id":"\u0061"},7]}])",
      R"([{"functionDeclarations":[{"parametersJsonSchema":null},7]},{"functionDeclarations":1}])",
      R"([{"type":"function","parameters":[]},{"type":"image_generation"},{"type":null}])",
      R"({"functionCallingConfig":7})", R"({"maxOutputTokens":{},"max_output_tokens":[1]})");
}

/// Members that some provider looks into.
rc::Gen<std::string> body() {
  static constexpr std::array keys{"messages",   "contents",         "tools",
                                   "toolConfig", "tool_choice",      "thinking",
                                   "input",      "generationConfig", "reasoning_effort",
                                   "session_id", "stream_options"};
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(keys.size(), odd_value()),
                      [](const std::vector<std::string>& values) {
                        std::string out = R"({"model":"m")";
                        for (std::size_t i = 0; i < keys.size(); ++i) {
                          out.append(",\"").append(keys.at(i)).append("\":").append(values[i]);
                        }
                        return out + "}";
                      });
}

}  // namespace

TEST_CASE("whatever a body holds, what goes out is one JSON object or a refusal") {
  REQUIRE(rc::check("arbitrary members", [] {
    const auto text = *body();
    for (const auto& one : provider::registry()) {
      for (const char* model : {"m", "claude-x", "a/b-maas", "grok-5", "kimi-k2.6"}) {
        client_request from{one.id, text};
        from.model = model;
        from.surface = *rc::gen::element(own_surface(one.id), surface::messages,
                                         surface::chat_completions, surface::gemini_count_tokens);
        from.who.auth = provider::auth_kind::account;
        from.who.project_id = "invented";
        const auto got = build(from);
        if (!got) continue;
        RC_ASSERT(json::accept(got->body));
        RC_ASSERT(json::parse(got->body).is_object());
      }
    }
  }));
}

TEST_CASE("a mended history is a list, and needs no second mending") {
  REQUIRE(rc::check("arbitrary histories", [] {
    const auto once = provider::kimi::mended_history(*odd_value());
    if (!once) return;
    RC_ASSERT(json::parse(*once).is_array());
    RC_ASSERT(!provider::kimi::mended_history(*once));
  }));
}

TEST_CASE("an envelope is opened or left alone, whatever it is") {
  using provider::antigravity::payload_of;
  REQUIRE(rc::check("arbitrary texts", [](const std::string& noise) {
    for (const auto& text : {noise, R"({"response":{)" + noise, R"({"response":)" + noise + "}"}) {
      const auto inside = payload_of(text);
      RC_ASSERT(inside.data() >= text.data());
      RC_ASSERT(inside.data() + inside.size() <= text.data() + text.size());
    }
  }));
}

TEST_CASE("what an edit makes of an answer is JSON again") {
  REQUIRE(rc::check("arbitrary events", [] {
    const auto got = build({kind::xai,
                            R"({"model":"grok-4.5","input":"x","tools":[{"type":"x_search"},)"
                            R"({"type":"custom","name":"run"}]})",
                            "grok-4.5"});
    RC_ASSERT(got.has_value());
    for (int i = 0; i < 8; ++i) {
      const auto type = *rc::gen::element<std::string>(
          "output_item.added", "output_item.done", "reasoning_text.delta", "reasoning_text.done",
          "content_part.added", "function_call_arguments.done", "completed");
      const auto data = R"({"type":"response.)" + type + R"(","output_index":)" + *odd_value() +
                        R"(,"item":{"type":"function_call","name":"run","arguments":)" +
                        *odd_value() + R"(},"part":)" + *odd_value() + R"(,"arguments":)" +
                        *odd_value() + R"(,"content_index":)" + *odd_value() + "}";
      for (const auto& one : got->answer->frames({data, {}, data})) {
        RC_ASSERT(json::accept(one.data));
      }
    }
  }));
}
