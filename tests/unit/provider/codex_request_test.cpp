#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "protocol/splice.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;

namespace {

/// A request to the ChatGPT backend by key.
client_request to_chatgpt(std::string body) {
  client_request from{kind::codex, std::move(body)};
  from.who.base_url = "https://upstream.example/backend-api/codex";
  return from;
}

}  // namespace

TEST_CASE("sends an account's request to the account endpoint with its account id") {
  client_request from{kind::codex, R"({"model":"gpt-x","input":"hi","stream":true})"};
  from.who.auth = provider::auth_kind::account;
  from.who.base_url = "https://chatgpt.com/backend-api/codex";
  from.who.account_id = "acct-1";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url == "https://chatgpt.com/backend-api/codex/responses");
  CHECK(got->header("authorization") == "Bearer sk-invented-0123456789");
  CHECK(got->header("chatgpt-account-id") == "acct-1");
  CHECK(got->header("accept") == "text/event-stream");
  CHECK(got->header("accept-encoding") == "identity");
  CHECK(got->streams);
  CHECK_FALSE(got->fold);
}

TEST_CASE("sends a key's request to its own base URL without an account id") {
  client_request from{kind::codex, R"({"model":"gpt-x","input":"hi"})"};
  from.who.account_id = "acct-1";
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url == "https://upstream.example/responses");
  CHECK_FALSE(got->header("chatgpt-account-id"));
}

TEST_CASE("the ChatGPT backend gets a text as a list of one message, other endpoints as it is") {
  const auto listed = build(to_chatgpt(R"({"model":"gpt-x","input":"h\"i"})"));
  REQUIRE(listed);
  CHECK(listed->body.find(R"("input":[{"type":"message","role":"user","content":)"
                          R"([{"type":"input_text","text":"h\"i"}]}])") != std::string::npos);
  const auto kept = build({kind::codex, R"({"model":"gpt-x","input":"hi"})"});
  REQUIRE(kept);
  CHECK(kept->body.find(R"("input":"hi")") != std::string::npos);
}

TEST_CASE("folds the ChatGPT backend's stream for a client that did not ask for one") {
  const auto whole = build(to_chatgpt(R"({"model":"gpt-x","input":"hi"})"));
  REQUIRE(whole);
  CHECK(whole->streams);
  CHECK(whole->fold);
  const auto stream = build(to_chatgpt(R"({"model":"gpt-x","input":"hi","stream":true})"));
  REQUIRE(stream);
  CHECK(stream->streams);
  CHECK_FALSE(stream->fold);
}

TEST_CASE("changes nothing but the model for an endpoint that is not the ChatGPT backend") {
  const std::string rest =
      R"("input":[{"role":"system","content":"x"}],"previous_response_id":"r","temperature":0.10,)"
      R"("top_p":1,"max_output_tokens":9,"user":"u","truncation":"auto","service_tier":"flex",)"
      R"("safety_identifier":"s","stream_options":{"include_obfuscation":false},"store":true,)"
      R"("parallel_tool_calls":true,"tool_choice":{"type":"web_search_preview"})";
  for (const auto* base : {"https://api.openai.com/v1", "https://upstream.example",
                           "https://notchatgpt.com/v1", "https://chatgpt.com.example/v1"}) {
    for (const auto* stream : {"", R"(,"stream":false)", R"(,"stream":true)"}) {
      CAPTURE(base, stream);
      client_request from{kind::codex, R"({"model":"a",)" + rest + stream + "}"};
      from.who.base_url = base;
      const bool streams = std::string_view{stream}.ends_with("true");
      const auto got = build(from);
      REQUIRE(got);
      CHECK(got->body == R"({"model":"upstream-model",)" + rest + stream + "}");
      CHECK(got->streams == streams);
      CHECK_FALSE(got->fold);
      CHECK(got->header("accept") == (streams ? "text/event-stream" : "application/json"));

      from.surface = protocol::surface::responses_compact;
      const auto compact = build(from);
      REQUIRE(compact);
      CHECK(compact->url == std::string{base} + "/responses/compact");
      CHECK(compact->body == R"({"model":"upstream-model",)" + rest + "}");
      CHECK_FALSE(compact->streams);
    }
  }
}

TEST_CASE("knows the ChatGPT backend by its account token, its path or its host") {
  client_request from{kind::codex, R"({"model":"a","input":"hi","top_p":1})"};
  const auto edited = [&] {
    const auto got = build(from);
    return got && got->body.find("top_p") == std::string::npos;
  };
  CHECK_FALSE(edited());
  for (const auto* base :
       {"https://chatgpt.com", "https://ChatGPT.com/backend-api", "https://chatgpt.com:443/x",
        "https://proxy.example/backend-api/codex"}) {
    CAPTURE(base);
    from.who.base_url = base;
    CHECK(edited());
  }
  from.who.base_url = "https://proxy.example/v1";
  from.who.auth = provider::auth_kind::account;
  CHECK(edited());
}

TEST_CASE("refuses previous_response_id where no response is stored, and drops its null") {
  for (const auto surface : {protocol::surface::responses, protocol::surface::responses_compact}) {
    auto from = to_chatgpt(R"({"model":"a","input":"hi","previous_response_id":"resp_1"})");
    from.surface = surface;
    const auto refused = build(from);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::not_found);
    CHECK_THAT(refused.error().detail, ContainsSubstring("previous_response_id"));
    from.body = R"({"model":"a","input":"hi","previous_response_id":null})";
    const auto got = build(from);
    REQUIRE(got);
    CHECK_THAT(got->body, !ContainsSubstring("previous_response_id"));
  }
}

TEST_CASE("changes only the named members for the ChatGPT backend, byte for byte") {
  struct body_row {
    const char* what;
    std::string sent;
    std::string expected;
  };
  const std::vector<body_row> rows{
      {"missing members are appended", R"({"model":"a","input":[]})",
       R"({"model":"upstream-model","input":[],"instructions":"","stream":true,"store":false,)"
       R"("include":["reasoning.encrypted_content"]})"},
      {"nothing to do but the model",
       R"({ "model" : "a", "x-new":{"k": 1.50e2},  "input":[ ], "instructions":"Be","stream":)"
       R"(true,"store":false,"include":["reasoning.encrypted_content"] })",
       R"({ "model" : "upstream-model", "x-new":{"k": 1.50e2},  "input":[ ], "instructions":)"
       R"("Be","stream":true,"store":false,"include":["reasoning.encrypted_content"] })"},
      {"values are replaced in place",
       R"({"store":true,"instructions":null,"model":"upstream-model","stream":false,"include":[ )"
       R"("x" ],"n":1})",
       R"({"store":false,"instructions":"","model":"upstream-model","stream":true,"include":[ )"
       R"("x" ,"reasoning.encrypted_content"],"n":1})"},
      {"refused members go",
       R"({"model":"upstream-model","previous_response_id":null,"temperature":0.1,"top_p":1,)"
       R"("user":"u","max_output_tokens":9,"truncation":"auto","context_management":[],)"
       R"("service_tier":"flex","safety_identifier":"s","prompt_cache_retention":"24h",)"
       R"("stream_options":{"a":1},"parallel_tool_calls":true,"instructions":"","stream":true,)"
       R"("store":false,"include":["reasoning.encrypted_content"]})",
       R"({"model":"upstream-model","instructions":"","stream":true,"store":false,"include":)"
       R"(["reasoning.encrypted_content"]})"},
      {"priority tier, tools and the reasoning delivery stay",
       R"({"model":"upstream-model","service_tier":"priority","tools":[{"type":"function"}],)"
       R"("parallel_tool_calls":false,"stream_options":{"include_obfuscation":false,)"
       R"("reasoning_summary_delivery":"x"},"instructions":"","stream":true,"store":false,)"
       R"("include":["reasoning.encrypted_content"]})",
       R"({"model":"upstream-model","service_tier":"priority","tools":[{"type":"function"}],)"
       R"("parallel_tool_calls":false,"stream_options":{"reasoning_summary_delivery":"x"},)"
       R"("instructions":"","stream":true,"store":false,"include":)"
       R"(["reasoning.encrypted_content"]})"},
      {"an include list of an unknown shape is the provider's to judge",
       R"({"model":"upstream-model","include":"all","instructions":"","stream":true,"store":)"
       R"(false})",
       R"({"model":"upstream-model","include":"all","instructions":"","stream":true,"store":)"
       R"(false})"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto got = build(to_chatgpt(row.sent));
    REQUIRE(got);
    CHECK(got->body == row.expected);
  }
}

TEST_CASE("renames legacy roles and tool types where they stand") {
  constexpr auto tail = R"(,"instructions":"","stream":true,"store":false,"include":)"
                        R"(["reasoning.encrypted_content"]})";
  const auto row = GENERATE(table<std::string, std::string>({
      {R"("input":[{"role" : "system" ,"content":"a \"system\" b"},{"role":"user","content":[{)"
       R"("role":"system"}]},5])",
       R"("input":[{"role" : "developer" ,"content":"a \"system\" b"},{"role":"user","content":)"
       R"([{"role":"system"}]},5])"},
      {R"("input":"role \"system\"")",
       R"("input":[{"type":"message","role":"user","content":[{"type":"input_text","text":)"
       R"("role \"system\""}]}])"},
      {R"("tools":[{"name":"n","type":"web_search_preview"},{"type":)"
       R"("web_search_preview_2025_03_11"},{"type":"web_search"}])",
       R"("tools":[{"name":"n","type":"web_search"},{"type":"web_search"},{"type":"web_search"}])"},
      {R"("tool_choice":{"type":"web_search_preview"})", R"("tool_choice":{"type":"web_search"})"},
      {R"("tool_choice":"web_search_preview")", R"("tool_choice":"web_search_preview")"},
  }));
  const auto got = build(to_chatgpt(R"({"model":"upstream-model",)" + std::get<0>(row) + tail));
  REQUIRE(got);
  CHECK(got->body == R"({"model":"upstream-model",)" + std::get<1>(row) + tail);
}

TEST_CASE("mends the ids of items") {
  const std::string long_tail(80, 'a');
  const auto item = [](const std::string& type, const std::string& id, const char* more = "") {
    return R"({"type":")" + type + R"(","id":")" + id + '"' + more + "}";
  };
  struct row {
    const char* what;
    std::string given;
    std::string expected;  ///< its beginning where the id is cut
  };
  const auto each = GENERATE_COPY(
      row{"as they are", item("message", "msg_1") + "," + item("reasoning", "rs_1"),
          item("message", "msg_1") + "," + item("reasoning", "rs_1")},
      row{"message", item("message", "x"), item("message", "msg_x")},
      row{"without a type", R"({"role":"user","id":"x"})", R"({"role":"user","id":"msg_x"})"},
      row{"call", item("function_call", "call_1"), item("function_call", "fc_call_1")},
      row{"free-form", item("custom_tool_call", "fc_1"), item("custom_tool_call", "ctc_fc_1")},
      row{"its result", item("custom_tool_call_output", "1"),
          item("custom_tool_call_output", "ctco_1")},
      row{"another kind", item("web_search_call", "x"), item("web_search_call", "x")},
      row{"empty", item("message", "") + "," + item("web_search_call", ""),
          R"({"type":"message"},{"type":"web_search_call"})"},
      row{"no text", R"({"type":"message","id":7},{"role":"user","id":{}})",
          R"({"type":"message"},{"role":"user"})"},
      row{"what only names an item", item("item_reference", ""), item("item_reference", "")},
      row{"a role beside it", R"({"role":"system","id":"x"})",
          R"({"role":"developer","id":"msg_x"})"},
      row{"sealed and too long",
          item("reasoning", "rs_" + long_tail, R"(,"encrypted_content":"gAAAAt")") + "," +
              item("message", "msg_1"),
          item("message", "msg_1")},
      row{"marks of the API's cache",
          R"({"role":"user","content":[{"text":"a","prompt_cache_breakpoint":{}},7]})",
          R"({"role":"user","content":[{"text":"a"},7]})"});
  CAPTURE(each.what);
  const auto got = build(to_chatgpt(R"({"model":"upstream-model","input":[)" + each.given + "]}"));
  REQUIRE(got);
  CHECK(got->body.starts_with(R"({"model":"upstream-model","input":[)" + each.expected + "]"));
}

TEST_CASE("the ChatGPT backend gets no thinking that is sealed by others") {
  const auto sent = [](const std::string& items) {
    const auto got = build(to_chatgpt(R"({"model":"upstream-model","input":[)" + items + "]}"));
    REQUIRE(got);
    constexpr std::size_t begin = std::string_view{R"({"model":"upstream-model","input":[)"}.size();
    return got->body.substr(begin, got->body.find(R"(],"instructions")", begin) - begin);
  };
  const std::string said = R"({"role":"user","content":"a"})";
  for (const std::string token : {"zz", "c29tZSBib3Jyb3dlZCBieXRlcw==", "gAAA", " gAAAAx"}) {
    CAPTURE(token);
    CHECK(sent(R"({"type":"reasoning","summary":[],"encrypted_content" : ")" + token + R"("},)" +
               said) == said);
  }
  for (const auto& same :
       {R"({"type":"reasoning","summary":[],"encrypted_content":"gAAAAx"},)" + said,
        R"({"type":"reasoning","summary":[],"encrypted_content":null},)" + said,
        R"({"type":"compaction","encrypted_content":"zz"},)" + said,
        std::string{R"({"role":"user","content":"\"encrypted_content\":\"zz\""})"}}) {
    CHECK(sent(same) == same);
  }
}

TEST_CASE("a call and its result are cut alike where their id is too long") {
  const std::string id(90, 'c');
  const std::string rest = R"(,"call_id":")" + id + R"("})";
  const auto got = build(to_chatgpt(R"({"model":"upstream-model","input":[)"
                                    R"({"type":"function_call","name":"f","arguments":"{}")" +
                                    rest + R"(,{"type":"function_call_output","output":"")" + rest +
                                    "]}"));
  REQUIRE(got);
  const auto input = nlohmann::json::parse(got->body)["input"];
  CHECK(input[0]["call_id"] == input[1]["call_id"]);
  CHECK(input[0]["call_id"].get<std::string>().size() == 64);
  CHECK(input[0]["call_id"].get<std::string>().starts_with("cccc"));
  const std::string kept = R"({"type":"function_call","call_id":")" + std::string(64, 'c') + "\"}";
  const auto same = build(to_chatgpt(R"({"model":"upstream-model","input":[)" + kept + "]}"));
  REQUIRE(same);
  CHECK(same->body.find(kept) != std::string::npos);
}

TEST_CASE("cuts ids that are too long to ones of their own") {
  const auto id = [](const std::string& given) {
    const auto got = build(to_chatgpt(R"({"model":"upstream-model","input":[{"type":"message",)"
                                      R"("id":")" + given + R"("}]})"));
    REQUIRE(got);
    const auto at = got->body.find(R"("id":")") + 6;
    return got->body.substr(at, got->body.find('"', at) - at);
  };
  const std::string begin = "msg_" + std::string(80, 'a');
  CHECK(id(begin + "1").size() == 64);
  CHECK(id(begin + "1").starts_with("msg_aaa"));
  CHECK(id(begin + "1") != id(begin + "2"));
  CHECK(id(begin + "1") == id(begin + "1"));
  CHECK(id(std::string(64, 'x')).size() == 64);
}

TEST_CASE("sends a compact request without the members of a stream") {
  auto from = to_chatgpt(R"({"model":"a","input":[],"stream":false,"store":true,"include":[]})");
  from.surface = protocol::surface::responses_compact;
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->url == "https://upstream.example/backend-api/codex/responses/compact");
  CHECK(got->body == R"({"model":"upstream-model","input":[],"instructions":""})");
  CHECK(got->header("accept") == "application/json");
  CHECK_FALSE(got->streams);
  CHECK_FALSE(got->fold);
}

TEST_CASE("passes the named client headers on and no other") {
  auto from = to_chatgpt(R"({"model":"a","prompt_cache_key":"conversation-7"})");
  from.sent = {{"user-agent", "some-client/1.0"},
               {"originator", "some-client"},
               {"Authorization", "Bearer gateway-key"},
               {"Cookie", "c=1"},
               {"x-client-request-id", "r-1"},
               {"X-Codex-Window-Id", "w-1"},
               {"Thread-Id", "t-1"},
               {"OpenAI-Beta", "x"}};
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->header("User-Agent") == "tidegate/0.1.0");
  CHECK(got->header("Originator") == "some-client");
  CHECK(got->header("X-Client-Request-Id") == "r-1");
  CHECK(got->header("X-Codex-Window-Id") == "w-1");
  CHECK(got->header("Thread-Id") == "t-1");
  CHECK(got->header("Session-Id") == "conversation-7");
  CHECK(got->header("Authorization") == "Bearer sk-invented-0123456789");
  CHECK_FALSE(got->header("Cookie"));
  CHECK_FALSE(got->header("OpenAI-Beta"));

  from.sent = {{"Session-Id", "own"}};
  const auto own = build(from);
  REQUIRE(own);
  CHECK(own->header("Session-Id") == "own");
  CHECK_FALSE(own->header("Originator"));
}

TEST_CASE("knows its model family") {
  const auto& codex = provider::descriptor_of(kind::codex);
  for (const char* name : {"gpt-5.5", "GPT-x", "o3", "o4-mini", "codex-mini"}) {
    CHECK(codex.is_family(name));
  }
  for (const char* name : {"", "o", "omni", "claude-x", "gemini-x", "xgpt-5"}) {
    CHECK_FALSE(codex.is_family(name));
  }
}

TEST_CASE("keeps an untouched member's bytes whatever they are") {
  REQUIRE(rc::check("member text survives", [](const std::string& text) {
    const auto quoted = protocol::json_quote(text);
    RC_PRE(text.find("system") == std::string::npos);
    const auto body = "{\"model\":\"a\",\"extra\" : " + quoted +
                      " , \"input\":[{\"role\":\"system\",\"t\":" + quoted + "}]}";
    const auto got = build(to_chatgpt(body));
    if (!got) return;  // the envelope refuses bytes that are not UTF-8
    RC_ASSERT(got->body.find("\"extra\" : " + quoted +
                             " , \"input\":[{\"role\":\"developer\",\"t\":" + quoted + "}]") !=
              std::string::npos);
  }));
}
