#include <nlohmann/json.hpp>

#include "protocol/canonical/gemini/schema.hpp"
#include "provider/antigravity/answer.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using nlohmann::json;
using protocol::surface;
using provider::kind;

namespace {

client_request asked(std::string body, std::string model = "gemini-3-flash",
                     surface from = surface::gemini_generate) {
  client_request out{kind::antigravity, std::move(body)};
  out.model = std::move(model);
  out.surface = from;
  out.who.auth = provider::auth_kind::account;
  out.who.project_id = "invented-project";
  out.who.base_url = "https://daily-cloudcode-pa.googleapis.com";
  return out;
}

built_request sent(const client_request& from) {
  const auto got = build(from);
  REQUIRE(got);
  return *got;
}

/// The request inside of the envelope, as text.
std::string inside(const built_request& of) {
  constexpr std::string_view mark = R"("request":)";
  const auto at = of.body.find(mark);
  REQUIRE(at != std::string::npos);
  return of.body.substr(at + mark.size(), of.body.size() - at - mark.size() - 1);
}

constexpr const char* hello = R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})";

}  // namespace

TEST_CASE("Antigravity: a method of its own address, and a second one behind it") {
  struct row {
    const char* model;
    surface from;
    const char* path;
    bool streams;
  };
  for (const auto& row : {
           row{"gemini-3-flash", surface::gemini_generate, "generateContent", false},
           row{"gemini-3-flash", surface::gemini_stream_generate, "streamGenerateContent?alt=sse",
               true},
           row{"gemini-3-pro-high", surface::gemini_generate, "streamGenerateContent?alt=sse",
               true},
           row{"claude-sonnet-4-5", surface::gemini_generate, "streamGenerateContent?alt=sse",
               true},
           row{"claude-sonnet-4-5", surface::gemini_count_tokens, "countTokens", false},
       }) {
    CAPTURE(row.model, row.path);
    auto from = asked(hello, row.model, row.from);
    auto got = sent(from);
    const std::string path = std::string{"/v1internal:"} + row.path;
    CHECK(got.url == "https://daily-cloudcode-pa.googleapis.com" + path);
    CHECK(got.other_url == "https://cloudcode-pa.googleapis.com" + path);
    CHECK(got.streams == row.streams);
    CHECK(got.fold == (row.streams && row.from == surface::gemini_generate));
    CHECK(got.header("Authorization") == "Bearer sk-invented-0123456789");
    CHECK(got.header("User-Agent") == "tidegate/0.1.0");
    from.who.base_url = "https://own.example";
    got = sent(from);
    CHECK(got.url == "https://own.example" + path);
    CHECK(got.other_url.empty());
  }
}

TEST_CASE("Antigravity: the body goes into an envelope, byte for byte but for its session") {
  auto from = asked(R"({"contents":[ ],"session_id":"s-1", "n":1.0,"safetySettings":[]})");
  from.sent = {{"X-Client", "blue"}};
  const auto got = sent(from);
  CHECK(inside(got) == R"({"contents":[ ], "n":1.0,"sessionId":"s-1"})");
  const auto envelope = json::parse(got.body);
  CHECK(envelope["model"] == "gemini-3-flash");
  CHECK(envelope["project"] == "invented-project");
  CHECK(envelope["requestType"] == "agent");
  CHECK(envelope["userAgent"] == "tidegate");
  const auto id = envelope["requestId"].get<std::string>();
  CHECK(id.starts_with("agent-"));
  CHECK(id.size() == 6 + 36);
  CHECK(envelope.size() == 6);
  CHECK_FALSE(got.header("X-Client"));
  CHECK(sent(from).body == got.body);

  const auto image = json::parse(sent(asked(hello, "gemini-3-pro-image")).body);
  CHECK(image["requestType"] == "image_gen");
  const auto picture = image["requestId"].get<std::string>();
  CHECK(picture.starts_with("image_gen/1800000000000/"));
  CHECK(picture.ends_with("/12"));
  CHECK(picture.size() == std::string{"image_gen/1800000000000//12"}.size() + 36);
}

TEST_CASE("Antigravity: a session is the body's, else the one that a header names") {
  auto from = asked(hello);
  from.header_session = "h-1";
  CHECK(json::parse(inside(sent(from)))["sessionId"] == "h-1");
  from.body = R"({"contents":[],"session_id":"s-1"})";
  CHECK(json::parse(inside(sent(from)))["sessionId"] == "s-1");
}

TEST_CASE("Antigravity: turns of one conversation have one session") {
  const auto session = [](const std::string& body) {
    return json::parse(inside(sent(asked(body))))["sessionId"].get<std::string>();
  };
  const auto first = session(hello);
  CHECK(first.starts_with("-"));
  CHECK(first.find_first_not_of("-0123456789") == std::string::npos);
  CHECK(session(R"({"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model",)"
                R"("parts":[{"text":"yes?"}]},{"role":"user","parts":[{"text":"more"}]}]})") ==
        first);
  CHECK(session(R"({"contents":[{"parts":[{"text":"bye"}]}]})") != first);
  CHECK(session(R"({"contents":7})").starts_with("-"));
}

TEST_CASE("Antigravity: the session of a translated call is that of its user's words") {
  const auto session = [](const char* words, const std::string& body) {
    protocol::canonical_request call;
    call.turns.resize(2);
    call.turns[0].role = protocol::turn_role::assistant;
    call.turns[0].parts.emplace_back(protocol::text_part{{"Welcome"}, {}, {}, {}});
    call.turns[1].parts.emplace_back(protocol::text_part{{words}, {}, {}, {}});
    auto from = asked(body);
    from.call = &call;
    return json::parse(inside(sent(from)))["sessionId"].get<std::string>();
  };
  const auto begun = [](const std::string& words) {
    return R"({"contents":[{"role":"user","parts":[{"text":"."}]},{"role":"model","parts":)"
           R"([{"text":"Welcome"}]},{"role":"user","parts":[{"text":")" +
           words + R"("}]}]})";
  };
  CHECK(session("a", begun("a")) != session("b", begun("b")));
  CHECK(session("a", begun("a")) == session("a", begun("a")));
  const auto own = json::parse(inside(sent(asked(hello))))["sessionId"].get<std::string>();
  CHECK(session("hi", begun("hi")) == own);
  CHECK(json::parse(inside(sent(asked(R"({"contents":[{"role":"user","parts":[{"text":""},)"
                                      R"({"text":"hi"}]}]})"))))["sessionId"] == own);
}

TEST_CASE("Antigravity: a translated call's schemas are cleaned once, of what the client wrote") {
  const std::string declared =
      R"({"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},)"
      R"("b":{"type":["string","null"]}}})";
  const std::string clean = protocol::gemini::cleaned_schema(declared).json;
  protocol::canonical_request call;
  call.source = protocol::wire::openai_chat;
  auto& tool = call.tools.emplace_back();
  tool.name = {"f"};
  tool.schema = declared;
  const auto taken = [&](const char* name) {
    auto from = asked(R"({"session_id":"s","tools":[{"functionDeclarations":[{"name":")" +
                      std::string{name} + R"(","parametersJsonSchema":)" + clean + "}]}]}");
    from.call = &call;
    const auto body = json::parse(inside(sent(from)));
    return body["tools"][0]["functionDeclarations"][0]["parameters"]["properties"];
  };
  CHECK(taken("f")["a"]["description"] == "Allowed: x, y");
  CHECK_FALSE(taken("f")["a"].contains("enum"));
  CHECK(taken("f")["b"].dump() == R"({"nullable":true,"type":"string"})");
  CHECK(taken("renamed")["a"]["description"] == "Allowed: x, y");
  CHECK(taken("renamed")["b"].dump() == R"({"type":"string"})");
  tool.schema = R"({"type":"object"})";
  CHECK(taken("f")["a"]["description"] == "Allowed: x, y");
}

TEST_CASE("Antigravity: functions are declared with parameters") {
  CHECK(
      inside(sent(asked(
          R"({"session_id":"s","tools":[{"functionDeclarations":[{"name":"f",)"
          R"("parametersJsonSchema":{"type":"object"}},{"name":"parametersJsonSchema"}]},)"
          R"({"function_declarations":[{"parameters_json_schema":{}}]},{"googleSearch":{}}]})"))) ==
      R"({"tools":[{"functionDeclarations":[{"name":"f",)"
      R"("parameters":{"type":"object"}},{"name":"parametersJsonSchema"}]},)"
      R"({"function_declarations":[{"parameters":{"type":"object"}}]},{"googleSearch":{}}],)"
      R"("sessionId":"s"})");
}

TEST_CASE("Antigravity: a Gemini client's schemas are cleaned") {
  const auto schema = [](const std::string& given, const std::string& model) {
    const auto body = inside(sent(
        asked(R"({"session_id":"s","tools":[{"functionDeclarations":[{"name":"f","parameters":)" +
                  given + "}]}]}",
              model)));
    return json::parse(body)["tools"][0]["functionDeclarations"][0]["parameters"].dump();
  };
  const std::string flash = "gemini-3-flash";
  const std::string claude = "claude-sonnet-4-5";
  CHECK(schema(R"({"type":"OBJECT","$schema":"x","properties":{"a":{"type":"STRING",)"
               R"("enum":["x","y"]},"enum":{"type":"string"}},"required":["a","gone"]})",
               flash) ==
        R"({"properties":{"a":{"description":"Allowed: x, y","type":"string"},)"
        R"("enum":{"type":"string"}},"required":["a"],"type":"object"})");
  CHECK(schema(R"({"type":"object","properties":{"a":{"type":"string","nullable":true}}})", flash) ==
        R"({"properties":{"a":{"nullable":true,"type":"string"}},"type":"object"})");
  const std::string nested = R"({"type":"object","properties":{"bare":{"type":"object"},)"
                             R"("loose":{"type":"object","properties":{"a":{"type":"string"}}},)"
                             R"("list":{"type":"array","items":{"type":"object","properties":)"
                             R"({"b":{"type":"string"}},"required":["b"]}}}})";
  CHECK(json::parse(schema(nested, flash)) == json::parse(nested));
  const auto checked = json::parse(schema(nested, claude));
  CHECK(checked["properties"]["bare"].dump() ==
        R"({"properties":{"reason":{"type":"string"}},"required":["reason"],"type":"object"})");
  CHECK(checked["properties"]["loose"]["required"] == json::array({"_"}));
  CHECK(checked["properties"]["list"] == json::parse(nested)["properties"]["list"]);
  CHECK_FALSE(checked.contains("required"));
}

TEST_CASE("Antigravity: Anthropic's search alone is a request of its own") {
  protocol::canonical_request call;
  call.source = protocol::wire::anthropic_messages;
  auto& tool = call.tools.emplace_back();
  tool.kind = protocol::tool_kind::server;
  tool.server = protocol::server_tool::web_search;
  tool.json = R"({"type":"web_search_20250305","max_uses":3,"allowed_domains":["a.example"]})";
  const std::string body =
      R"({"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"googleSearch":{}}]})";
  auto from = asked(body);
  from.call = &call;
  auto got = sent(from);
  CHECK(json::parse(got.body)["requestType"] == "web_search");
  CHECK_FALSE(json::parse(got.body).contains("requestId"));
  CHECK(inside(got) ==
        R"({"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"googleSearch":)"
        R"({"enhancedContent":{"imageSearch":{"maxResultCount":3}},)"
        R"("includedDomains":["a.example"]}}]})");
  tool.json = R"({"type":"web_search_20250305","max_uses":-1,"allowed_domains":[]})";
  CHECK_THAT(inside(sent(from)), ContainsSubstring(
                                     R"([{"googleSearch":{"enhancedContent":{"imageSearch":)"
                                     R"({"maxResultCount":5}}}}])"));

  const auto is_agent = [&] { return json::parse(sent(from).body)["requestType"] == "agent"; };
  from.model = "claude-sonnet-4-5";
  CHECK(is_agent());
  from.model = "gemini-3-flash";
  call.choice.mode = protocol::choice_mode::none;
  CHECK(is_agent());
  call.choice.mode = protocol::choice_mode::automatic;
  CHECK_FALSE(is_agent());
  call.tools.emplace_back();
  CHECK(is_agent());
  call.tools.pop_back();
  call.source = protocol::wire::openai_chat;
  CHECK(is_agent());
  from.call = nullptr;
  CHECK(is_agent());
}

TEST_CASE("Antigravity: the user begins, but with Claude's models") {
  const std::string body =
      R"({"session_id":"s","contents":[ {"parts":[{"text":"a"}],"role":"model"}]})";
  CHECK(inside(sent(asked(body))) ==
        R"({"contents":[ {"role":"user","parts":[{"text":""}]},{"parts":[{"text":"a"}],)"
        R"("role":"model"}],"sessionId":"s"})");
  CHECK(inside(sent(asked(body, "claude-sonnet-4-5"))) ==
        R"({"contents":[ {"parts":[{"text":"a"}],"role":"model"}],"sessionId":"s"})");
}

TEST_CASE("Antigravity: Claude keeps its limit and checks calls, the others do neither") {
  const std::string body =
      R"({"session_id":"s","generationConfig":{"topP":1,"maxOutputTokens":9},)"
      R"("tools":[{"functionDeclarations":[]}],"toolConfig":{"functionCallingConfig":)"
      R"({"mode":"AUTO"}}})";
  CHECK(inside(sent(asked(body))) ==
        R"({"generationConfig":{"topP":1},"tools":[{"functionDeclarations":[]}],)"
        R"("toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},"sessionId":"s"})");
  CHECK(inside(sent(asked(body, "claude-sonnet-4-5"))) ==
        R"({"generationConfig":{"topP":1,"maxOutputTokens":9},)"
        R"("tools":[{"functionDeclarations":[]}],"toolConfig":{"functionCallingConfig":)"
        R"({"mode":"VALIDATED"}},"sessionId":"s"})");
  CHECK(inside(sent(asked(R"({"session_id":"s","tools":[{}]})", "claude-sonnet-4-5"))) ==
        R"({"tools":[{}],"sessionId":"s",)"
        R"("toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}}})");
  const auto capped = sent(asked(
      R"({"session_id":"s","generationConfig":{"maxOutputTokens":999999}})", "claude-sonnet-4-5"));
  CHECK_THAT(inside(capped), ContainsSubstring(R"("maxOutputTokens":64000)"));
  const std::string none =
      R"("tools":[{}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"}},"sessionId":"s"})";
  CHECK(inside(sent(asked(R"({"session_id":"s",)" + none, "claude-sonnet-4-5"))) == "{" + none);
}

TEST_CASE("Antigravity: counting takes the contents and the model alone") {
  const auto got = sent(asked(hello, "gemini-3-flash", surface::gemini_count_tokens));
  const std::string expected = R"({"request":{"contents":[{"role":"user","parts":)"
                               R"([{"text":"hi"}]}],"model":"models/gemini-3-flash"}})";
  CHECK(got.body == expected);
  const auto more = sent(asked(R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}],)"
                               R"("tools":[],"safetySettings":[],"generationConfig":{}})",
                               "gemini-3-flash", surface::gemini_count_tokens));
  CHECK(more.body == expected);
}

TEST_CASE("Antigravity: an account without a project cannot be asked") {
  auto from = asked(hello);
  from.who.project_id.clear();
  const auto got = build(from);
  REQUIRE_FALSE(got);
  CHECK(got.error().code == errc::invalid_input);
  CHECK(got.error().detail == "antigravity auth missing project_id");
}

TEST_CASE("Antigravity: a whole answer of a model that only streams is asked for like a stream") {
  const auto& one = provider::descriptor_of(kind::antigravity);
  CHECK(provider::serves_natively(one, surface::gemini_generate, "claude-sonnet-4-5"));
  auto whole = asked(hello);
  whole.surface = surface::gemini_generate;
  whole.model = "claude-sonnet-4-5";
  auto stream = whole;
  stream.surface = surface::gemini_stream_generate;
  const auto asked_whole = sent(whole);
  const auto asked_stream = sent(stream);
  CHECK(asked_whole.url == asked_stream.url);
  CHECK(asked_whole.body == asked_stream.body);
  CHECK(asked_whole.streams);
  CHECK(asked_whole.fold);
  CHECK_FALSE(asked_stream.fold);
  whole.model = "gemini-3-flash";
  CHECK_FALSE(sent(whole).fold);
  CHECK(one.speaks(surface::messages, "claude-x").owner == protocol::token_owner::claude);
  CHECK(one.speaks(surface::messages, "gemini-x").owner == protocol::token_owner::gemini);
}

TEST_CASE("Antigravity: the answer is taken out of its envelope") {
  using provider::antigravity::payload_of;
  CHECK(payload_of(R"({"response": {"candidates":[ ]} ,"traceId":"t"})") ==
        R"({"candidates":[ ]})");
  CHECK(payload_of(R"({"traceId":"t","response":{}})") == "{}");
  for (const char* whole :
       {R"({"error":{"code":429}})", R"({"response":"text"})", R"({"a":{"response":{}}})",
        R"([{"response":{}}])", "", "[DONE]", R"({"response":)", "{"}) {
    CHECK(payload_of(whole) == whole);
  }
}
