#include "tests/support/catch.hpp"
#include "tests/unit/protocol/canonical_responses_rig.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tidegate;
using namespace tidegate::protocol;
using tidegate::test::decoded;
using tidegate::test::gpt;

namespace {

using json = nlohmann::json;

encoded_request encode(const canonical_request& what, const target_caps& caps = gpt()) {
  return responses::encode_request(what, "up", caps);
}

/// A request that came in by another protocol.
canonical_request foreign(wire source, std::vector<turn> turns = {}) {
  canonical_request out;
  out.source = source;
  out.turns = std::move(turns);
  return out;
}

text_part said(std::string_view text) {
  return {{text}, {}, {}, {}};
}

bool loses(const encoded_request& done, std::string_view rule) {
  return std::ranges::find(done.lost, rule) != done.lost.end();
}

/// Everything of a request but the views' places.
void check_same(const canonical_request& a, const canonical_request& b) {
  CHECK(a.stream == b.stream);
  CHECK(a.system == b.system);
  CHECK(a.turns == b.turns);
  CHECK(a.tools == b.tools);
  CHECK(a.choice == b.choice);
  CHECK(a.parallel_tool_calls == b.parallel_tool_calls);
  CHECK(a.sampling == b.sampling);
  CHECK(a.max_output_tokens == b.max_output_tokens);
  CHECK(a.reasoning == b.reasoning);
  CHECK(a.format == b.format);
  CHECK(a.cache == b.cache);
  CHECK(a.service_tier == b.service_tier);
  CHECK(a.metadata == b.metadata);
  CHECK(a.end_user == b.end_user);
  CHECK(a.store == b.store);
  CHECK(a.previous_response_id == b.previous_response_id);
}

}  // namespace

TEST_CASE("responses: a small request, to the byte") {
  canonical_request what =
      foreign(wire::openai_chat,
              {{turn_role::user, {said("hi \\\"x\\\"")}},
               {turn_role::assistant,
                {said("ok"),
                 tool_call_part{{"c1"}, {"f"}, {}, tool_kind::function, R"({"a":"\n"})", {}, {}}}},
               {turn_role::tool, {tool_result_part{{"c1"}, {}, {}, {said("r")}, {}, false, {}}}}});
  what.system.push_back({{"sys"}, system_origin::system, {}});
  tool f;
  f.name = {"f"};
  what.tools.push_back(f);
  what.choice.mode = choice_mode::required;
  what.stream = true;
  what.sampling.temperature = "0.50";
  CHECK(encode(what).body ==
        R"({"model":"up","input":[{"type":"message","role":"system","content":[)"
        R"({"type":"input_text","text":"sys"}]},{"type":"message","role":"user","content":[)"
        R"({"type":"input_text","text":"hi \"x\""}]},{"type":"message","role":"assistant",)"
        R"("content":[{"type":"output_text","text":"ok"}]},{"type":"function_call",)"
        R"("call_id":"c1","name":"f","arguments":"{\"a\":\"\\n\"}"},)"
        R"({"type":"function_call_output","call_id":"c1","output":"r"}],)"
        R"("tools":[{"type":"function","name":"f","parameters":{"type":"object",)"
        R"("properties":{}},"strict":false}],"tool_choice":"required","temperature":0.50,)"
        R"("store":false,"stream":true})");
}

TEST_CASE("responses: what Responses can spell survives decoding and encoding") {
  const std::string body =
      R"({"model":"m","instructions":"be\tbrief","stream":true,"store":false,"input":[)"
      R"({"type":"message","role":"developer","content":[{"type":"input_text","text":"d"}]},)"
      R"({"role":"system","content":"s"},{"role":"user","content":[)"
      R"({"type":"input_text","text":"q","cache_control":{"type":"ephemeral"}},)"
      R"({"type":"input_image","image_url":"data:image/png;base64,QQ","detail":"high"},)"
      R"({"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,QQ"},)"
      R"({"type":"input_file","file_id":"file_1"},)"
      R"({"type":"input_audio","input_audio":{"data":"QQ","format":"wav"}},)"
      R"({"type":"input_video","v":[1]}]},)"
      R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"}],)"
      R"("encrypted_content":")" +
      test::gpt_token() +
      R"("},{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"c"}]},)"
      R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"t",)"
      R"("annotations":[{"type":"url_citation","url":"u","title":"w","start_index":1,)"
      R"("end_index":2}]},{"type":"refusal","refusal":"no"}]},)"
      R"({"type":"function_call","call_id":"c1","name":"f","namespace":"ns","arguments":"{\"a\":1}"},)"
      R"({"type":"custom_tool_call","call_id":"c2","name":"g","input":"x\ny"},)"
      R"({"type":"web_search_call","id":"ws_1","action":{"type":"search","query":"q"}},)"
      R"({"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"1"},)"
      R"({"type":"input_image","image_url":"https://h/x"}]},)"
      R"({"type":"custom_tool_call_output","call_id":"c2","output":""},)"
      R"({"type":"function_call_output","call_id":"c3","output":{"a":[1]}},)"
      R"({"role":"developer","content":"later"},{"role":"user","content":""}],)"
      R"("tools":[{"type":"function","name":"f","strict":true,"parameters":{"type":"object"}},)"
      R"({"type":"namespace","name":"ns","tools":[{"type":"function","name":"f"},)"
      R"({"type":"custom","name":"k"}]},{"type":"custom","name":"g","format":{"type":"text"}},)"
      R"({"type":"web_search","filters":{"allowed_domains":["a"]}},{"type":"mcp","x":1}],)"
      R"("tool_choice":{"type":"function","name":"f","namespace":"ns"},)"
      R"("parallel_tool_calls":true,"max_output_tokens":9,"temperature":1.0,"top_p":0.5,)"
      R"("top_logprobs":2,"service_tier":"priority","prompt_cache_key":"k",)"
      R"("prompt_cache_retention":"24h","metadata":{"a":"b"},"user":"u",)"
      R"("previous_response_id":"resp_0","reasoning":{"effort":"low","summary":"detailed"},)"
      R"("include":["reasoning.encrypted_content","message.output_text.logprobs"],)"
      R"("text":{"format":{"type":"json_schema","name":"n","schema":{},"strict":false},)"
      R"("verbosity":"high"}})";
  const decoded first(body);
  REQUIRE(first.what);
  const auto done = encode(*first);
  CHECK(done.lost.empty());
  CHECK(done.names.empty());
  REQUIRE(json::accept(done.body));
  const decoded second(done.body);
  REQUIRE(second.what);
  check_same(*first, *second);
}

TEST_CASE("responses: an unknown part stays in the message that it stood in") {
  const std::string body =
      R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"q"},)"
      R"({"type":"function_call","id":"not a call"}]},{"type":"future_call","id":"f_1"}]})";
  const decoded first(body);
  REQUIRE(first.what);
  const auto made = json::parse(encode(*first).body);
  REQUIRE(made["input"].size() == 2);
  CHECK(made["input"][0]["content"][1]["id"] == "not a call");
  CHECK(made["input"][1]["id"] == "f_1");
}

TEST_CASE("responses: reasoning goes only to who can read it") {
  struct row {
    token_owner owner;
    token_owner target;
    bool kept;
  };
  const auto one = GENERATE(row{token_owner::gpt, token_owner::gpt, true},
                            row{token_owner::claude, token_owner::gpt, false},
                            row{token_owner::gemini, token_owner::gpt, false},
                            row{token_owner::unknown, token_owner::gpt, false},
                            row{token_owner::unknown, token_owner::grok, true},
                            row{token_owner::gpt, token_owner::grok, false});
  reasoning_part thought;
  thought.texts = {{"t"}};
  thought.token = opaque_token{one.owner, {}, {}, {"tok"}};
  target_caps caps;
  caps.owner = one.target;
  const auto done =
      encode(foreign(wire::anthropic_messages, {{turn_role::assistant, {thought}}}), caps);
  const auto input = json::parse(done.body)["input"];
  CHECK(loses(done, responses::lossy::reasoning) != one.kept);
  REQUIRE(input.size() == (one.kept ? 1 : 0));
  if (one.kept) {
    CHECK(input[0] == json::parse(R"({"type":"reasoning","encrypted_content":"tok",)"
                                  R"("summary":[{"type":"summary_text","text":"t"}]})"));
  }
}

TEST_CASE("responses: thinking without a token is for targets that nobody signs for") {
  reasoning_part thought;
  thought.texts = {{"t"}};
  const auto what = foreign(wire::openai_chat, {{turn_role::assistant, {thought}}});
  CHECK(json::parse(encode(what).body)["input"].empty());
  CHECK(json::parse(encode(what, {}).body)["input"].size() == 1);
}

TEST_CASE("responses: system text of other protocols") {
  auto what = foreign(wire::anthropic_messages,
                      {{turn_role::user, {said("q")}}, {turn_role::inline_system, {said("r")}}});
  what.system = {{{"x-anthropic-billing-header: cc=1"}, system_origin::system, {}},
                 {{"a"}, system_origin::system, std::string_view{R"({"type":"ephemeral"})"}},
                 {{"b"}, system_origin::system, {}}};
  const auto done = encode(what);
  CHECK(loses(done, responses::lossy::billing_line));
  CHECK(loses(done, responses::lossy::cache_control));
  const auto input = json::parse(done.body)["input"];
  REQUIRE(input.size() == 3);
  CHECK(input[0]["role"] == "developer");
  CHECK(input[0]["content"].size() == 2);
  CHECK(input[2]["role"] == "user");
  CHECK(input[2]["content"][0]["text"] == "<system-reminder>\nr\n</system-reminder>");
  what.source = wire::openai_chat;
  CHECK(json::parse(encode(what).body)["input"][2]["role"] == "developer");
}

TEST_CASE("responses: results and parts of one turn keep their order; free-form stays free-form") {
  tool_call_part custom{{"c2"}, {"g"}, {}, tool_kind::custom, "x\\ny", {}, {}};
  tool_call_part function{{"c3"}, {"f"}, {}, tool_kind::function, "{}", {}, {}};
  tool_result_part result{{"c2"}, {}, {}, {said("a"), said("b")}, {}, true, {}};
  tool_result_part object{{"c3"}, {}, {}, {}, R"({"a":"\"b"})", false, {}};
  const auto done = encode(
      foreign(wire::anthropic_messages,
              {{turn_role::assistant, {said(""), custom, function}},
               {turn_role::user, {result, object, said("then"), media_part{}, said("more")}}}));
  CHECK(loses(done, responses::lossy::tool_error));
  const auto input = json::parse(done.body)["input"];
  REQUIRE(input.size() == 5);
  CHECK(input[0] ==
        json::parse(R"({"type":"custom_tool_call","call_id":"c2","name":"g","input":"x\ny"})"));
  CHECK(input[2]["type"] == "custom_tool_call_output");
  CHECK(input[2]["output"].size() == 2);
  CHECK(input[3]["output"] == R"({"a":"\"b"})");
  CHECK(input[4]["content"].size() == 3);
}

TEST_CASE("responses: a call has one result, the last one; a result without a call is dropped") {
  const tool_call_part call{{"c"}, {"f"}, {}, tool_kind::function, "{}", {}, {}};
  const auto result = [](std::string_view id, std::string_view text) {
    return tool_result_part{{id}, {}, {}, {said(text)}, {}, false, {}};
  };
  auto what = foreign(wire::openai_chat,
                      {{turn_role::assistant, {call}},
                       {turn_role::tool, {result("c", "1"), result("x", "2"), result("c", "3")}},
                       {turn_role::assistant, {call}},
                       {turn_role::tool, {result("c", "4")}}});
  const auto done = encode(what);
  CHECK(loses(done, responses::lossy::duplicate_result));
  CHECK(loses(done, responses::lossy::orphan_result));
  const auto input = json::parse(done.body)["input"];
  REQUIRE(input.size() == 4);
  CHECK(input[1]["output"] == "3");
  CHECK(input[3]["output"] == "4");
  // The provider may keep the call with its answer.
  what.previous_response_id = {"resp_1"};
  CHECK(json::parse(encode(what).body)["input"].size() == 5);
}

TEST_CASE("responses: names and call ids that are too long are cut alike everywhere") {
  const std::string name = "mcp__server__" + std::string(60, 'n') + "__tool";
  const std::string id(100, 'i');
  auto what = foreign(
      wire::anthropic_messages,
      {{turn_role::assistant, {tool_call_part{{id}, {name}, {}, tool_kind::function, "", {}, {}}}},
       {turn_role::tool, {tool_result_part{{id}, {}, {}, {said("r")}, {}, false, {}}}}});
  tool one;
  one.name = {name};
  what.tools = {one};
  what.choice.mode = choice_mode::specific;
  what.choice.names = {{name}};
  const auto done = encode(what);
  const auto body = json::parse(done.body);
  CHECK(body["tools"][0]["name"] == "mcp__tool");
  CHECK(body["tool_choice"]["name"] == "mcp__tool");
  CHECK(body["input"][0]["name"] == "mcp__tool");
  CHECK(body["input"][0]["arguments"] == "{}");
  const auto cut = body["input"][0]["call_id"].get<std::string>();
  CHECK(cut.size() == 64);
  CHECK(body["input"][1]["call_id"] == cut);
  REQUIRE(done.names.size() == 1);
  CHECK(done.names[0] == tool_name{"mcp__tool", name, "", tool_kind::function});
}

TEST_CASE("responses: server tools of other protocols") {
  const auto built_in = [](wire source, server_tool kind, std::string_view text) {
    auto what = foreign(source);
    tool one;
    one.kind = tool_kind::server;
    one.server = kind;
    one.json = text;
    what.tools = {one};
    return encode(what);
  };
  CHECK_THAT(built_in(wire::anthropic_messages, server_tool::web_search,
                      R"({"type":"web_search_20250305","max_uses":3,"allowed_domains":["a"],)"
                      R"("user_location":{"type":"approximate"}})")
                 .body,
             ContainsSubstring(R"("tools":[{"type":"web_search","filters":{"allowed_domains":)"
                               R"(["a"]},"user_location":{"type":"approximate"}}])"));
  const auto blocks = built_in(wire::anthropic_messages, server_tool::web_search,
                               R"({"allowed_domains":[ ],"blocked_domains":["z"]})");
  CHECK_THAT(blocks.body, ContainsSubstring(R"("tools":[{"type":"web_search"}])"));
  CHECK(loses(blocks, responses::lossy::blocked_domains));
  CHECK_FALSE(loses(built_in(wire::anthropic_messages, server_tool::web_search,
                             R"({"blocked_domains":[]})"),
                    responses::lossy::blocked_domains));
  CHECK_THAT(built_in(wire::openai_chat, server_tool::web_search,
                      R"({"type":"web_search","search_context_size":"low"})")
                 .body,
             ContainsSubstring(R"([{"type":"web_search","search_context_size":"low"}])"));
  CHECK_THAT(built_in(wire::gemini, server_tool::web_search, R"({"googleSearch":{}})").body,
             ContainsSubstring(R"([{"type":"web_search"}])"));
  CHECK(
      loses(built_in(wire::gemini, server_tool::url_context, "{}"), responses::lossy::server_tool));
}

TEST_CASE("responses: thinking wishes as effort") {
  struct row {
    reasoning_mode mode;
    std::string_view level;
    std::int64_t budget;
    std::string effort;
  };
  const auto one = GENERATE(
      row{reasoning_mode::off, "", 0, "none"}, row{reasoning_mode::automatic, "", 0, "medium"},
      row{reasoning_mode::level, "xhigh", 0, "xhigh"}, row{reasoning_mode::budget, "", 0, "none"},
      row{reasoning_mode::budget, "", 1024, "low"}, row{reasoning_mode::budget, "", 24576, "high"},
      row{reasoning_mode::budget, "", 32000, "xhigh"});
  auto what = foreign(wire::anthropic_messages);
  what.reasoning = {one.mode, one.level, one.budget, {}, false, true};
  const auto body = json::parse(encode(what).body);
  CHECK(body["reasoning"] == json{{"effort", one.effort}, {"summary", "auto"}});
  CHECK(body.contains("include") == (one.mode != reasoning_mode::off));
}

TEST_CASE("responses: what cannot be spelled is noted by its rule, once") {
  auto what =
      foreign(wire::gemini, {{turn_role::user, {media_part{media_kind::video, {}, {}, {}, {}, {}}}},
                             {turn_role::assistant, {media_part{}, media_part{}}}});
  what.sampling = {{}, {}, "5", "2", "0.1", {}, "7", {}, {}};
  what.stop = {{"END"}};
  what.out_modalities = {{"TEXT"}, {"IMAGE"}};
  what.choice.mode = choice_mode::required;
  CHECK(encode(what).lost == lossy_notes{responses::lossy::video, responses::lossy::assistant_media,
                                         responses::lossy::tool_choice, responses::lossy::top_k,
                                         responses::lossy::n, responses::lossy::penalties,
                                         responses::lossy::seed, responses::lossy::stop,
                                         responses::lossy::modalities});
  target_caps blind = gpt();
  blind.images = false;
  blind.structured_output = false;
  auto image = foreign(wire::openai_chat, {{turn_role::user, {media_part{}}}});
  image.format.kind = format_kind::json_object;
  CHECK(encode(image, blind).lost ==
        lossy_notes{responses::lossy::images, responses::lossy::structured_output});
}

TEST_CASE("responses: a source without a place in the text stands at its beginning") {
  text_part cited = said("a");
  cited.citations.push_back({{"https://x"}, {"t"}, {}, {}});
  const auto done = encode(foreign(wire::anthropic_messages, {{turn_role::assistant, {cited}}}));
  const auto source = json::parse(done.body)["input"][0]["content"][0]["annotations"][0];
  CHECK(source["start_index"] == 0);
  CHECK(source["end_index"] == 0);
}

TEST_CASE("responses: media that only another provider can fetch are lost") {
  const auto done_with = [](wire source, media_source from) {
    media_part media;
    media.source = from;
    return encode(foreign(source, {{turn_role::user, {said("q"), media}}}));
  };
  const media_source id{{}, {}, {}, {"file_1"}};
  CHECK(loses(done_with(wire::anthropic_messages, id), responses::lossy::media_source));
  CHECK(loses(done_with(wire::gemini, {{}, {}, {"gs://b/a.png"}, {}}),
              responses::lossy::media_source));
  CHECK(done_with(wire::openai_chat, id).lost.empty());
  CHECK(done_with(wire::gemini, {{}, {}, {"https://x/a.png"}, {}}).lost.empty());
}

TEST_CASE("responses: signatures of texts and calls, and Google's caches, are lost") {
  text_part text = said("a");
  text.signature = opaque_token{token_owner::gemini, {}, {}, {"t"}};
  tool_call_part call{{"c"}, {"f"}, {}, tool_kind::function, "{}", text.signature, {}};
  auto what = foreign(wire::gemini, {{turn_role::assistant, {text}}});
  CHECK(loses(encode(what), responses::lossy::signature));
  what.turns = {{turn_role::assistant, {call}}};
  CHECK(loses(encode(what), responses::lossy::signature));
  what.cache.key = {"cachedContents/a"};
  CHECK(loses(encode(what), responses::lossy::cached_content));
  CHECK_FALSE(json::parse(encode(what).body).contains("prompt_cache_key"));
}

TEST_CASE("responses: parameters have properties, and system text is not empty") {
  auto what = foreign(wire::anthropic_messages, {{turn_role::user, {said("q")}}});
  tool bare;
  bare.name = {"f"};
  bare.schema = R"({"type":"object"})";
  what.tools.push_back(bare);
  what.system.push_back({{""}, system_origin::system, {}});
  const auto body = json::parse(encode(what).body);
  CHECK(body["tools"][0]["parameters"] == json::parse(R"({"type":"object","properties":{}})"));
  CHECK(body["input"].size() == 1);
}
