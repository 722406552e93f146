#include "protocol/canonical/chat/chat.hpp"

#include <algorithm>
#include <deque>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace lossy = tidegate::protocol::chat::lossy;

namespace {

const target_caps openai{.owner = token_owner::gpt};

/// The views of what was decoded point into the body.
canonical_request decoded(std::string json) {
  static std::deque<std::string> bodies;
  const std::string& body = bodies.emplace_back(std::move(json));
  auto out = chat_codec.decode_request(body, "m");
  CAPTURE(body, out ? "" : out.error().detail);
  REQUIRE(out);
  return std::move(*out);
}

std::string again(const std::string& body, const target_caps& caps) {
  return chat_codec.encode_request(decoded(body), "m", caps).body;
}

turn said(turn_role role, std::vector<part> parts) {
  return {role, std::move(parts)};
}

part text(std::string_view value) {
  return text_part{.text = {value}, .citations = {}, .cache = {}, .signature = {}};
}

part call(std::string_view id, std::string_view name, std::string_view arguments) {
  tool_call_part out;
  out.id = {id};
  out.name = {name};
  out.arguments = arguments;
  return out;
}

part answer(std::string_view id, std::string_view value) {
  tool_result_part out;
  out.call_id = {id};
  out.content.emplace_back(std::get<text_part>(text(value)));
  return out;
}

part thought(std::string_view value, std::optional<token_owner> owner) {
  reasoning_part out;
  out.texts.push_back({value});
  if (owner) out.token = opaque_token{*owner, token_bind::standalone, token_target::any, {"t"}};
  return out;
}

tool declared(std::string_view name) {
  tool out;
  out.name = {name};
  out.schema = R"({"type":"object","properties":{}})";
  return out;
}

std::string messages_of(const canonical_request& what, const target_caps& caps) {
  const auto out = chat_codec.encode_request(what, "m", caps).body;
  constexpr std::string_view head = R"({"model":"m","messages":[)";
  REQUIRE(out.starts_with(head));
  REQUIRE(out.ends_with("]}"));
  return out.substr(head.size(), out.size() - head.size() - 2);
}

std::string messages_of(std::vector<turn> turns, wire source) {
  canonical_request what;
  what.source = source;
  what.turns = std::move(turns);
  return messages_of(what, {});
}

}  // namespace

TEST_CASE("a Chat request as it is sent") {
  CHECK(
      again(
          R"({"model":"x","messages":[{"role":"system","content":"s"},)"
          R"({"role":"user","content":[{"type":"text","text":"a\u00e9"},)"
          R"({"type":"image_url","image_url":{"url":"data:image/png;base64,QQ==","detail":)"
          R"("low"}}]},)"
          R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",)"
          R"("function":{"name":"f","arguments":"{\"a\": \"\\n\"}"}}]},)"
          R"({"role":"tool","tool_call_id":"c","content":"r"}],)"
          R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],)"
          R"("tool_choice":{"type":"function","function":{"name":"f"}},)"
          R"("parallel_tool_calls":false,"temperature":0.50,"max_tokens":5,"stop":"z",)"
          R"("reasoning_effort":"low","stream":true,"user":"u"})",
          openai) ==
      R"({"model":"m","stream":true,"stream_options":{"include_usage":true},)"
      R"("messages":[{"role":"system","content":"s"},)"
      R"({"role":"user","content":[{"type":"text","text":"a\u00e9"},)"
      R"({"type":"image_url","image_url":{"url":"data:image/png;base64,QQ==","detail":"low"}}]},)"
      R"({"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function",)"
      R"("function":{"name":"f","arguments":"{\"a\": \"\\n\"}"}}]},)"
      R"({"role":"tool","tool_call_id":"c","content":"r"}],)"
      R"("tools":[{"type":"function","function":{"name":"f",)"
      R"("parameters":{"properties":{},"type":"object"}}}],)"
      R"("tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false,)"
      R"("reasoning_effort":"low","temperature":0.50,"max_completion_tokens":5,"stop":["z"],)"
      R"("user":"u"})");
}

TEST_CASE("what Chat can spell comes back from its own spelling") {
  const std::string body =
      R"({"model":"x","stream":true,"stream_options":{"include_usage":true},"messages":[)"
      R"({"role":"system","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},)"
      R"({"role":"user","content":[{"type":"text","text":"c"},)"
      R"({"type":"image_url","image_url":{"url":"https://x/y"}},)"
      R"({"type":"file","file":{"file_id":"f"}},)"
      R"({"type":"file","file":{"filename":"n.pdf","file_data":)"
      R"("data:application/pdf;base64,QQ=="}},)"
      R"({"type":"input_audio","input_audio":{"data":"QQ==","format":"wav"}},)"
      R"({"type":"video_url","video_url":{"url":"https://x/z"}},{"type":"odd","x":1}]},)"
      R"({"role":"assistant","content":"d","reasoning_content":"t","refusal":"r"},)"
      R"({"role":"system","content":"later"},)"
      R"({"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":)"
      R"("{\"a\":1}"}},)"
      R"({"id":"2","type":"custom","custom":{"name":"g","input":"in\"put"}}]},)"
      R"({"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"e"},)"
      R"({"type":"image_url","image_url":{"url":"data:image/png;base64,QQ=="}}]},)"
      R"({"role":"tool","tool_call_id":"2","content":"f"}],)"
      R"("tools":[{"type":"function","function":{"name":"f","description":"d","strict":false,)"
      R"("parameters":{"type":"object","properties":{"a":{}}}}},)"
      R"({"type":"custom","custom":{"name":"g","format":{"type":"grammar","grammar":)"
      R"({"syntax":"lark","definition":"x"}}}},{"type":"web_search"}],)"
      R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[)"
      R"({"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"g"}}]}},)"
      R"("parallel_tool_calls":true,"reasoning_effort":"high","verbosity":"low",)"
      R"("response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{},)"
      R"("strict":true}},)"
      R"("temperature":1,"top_p":0.5,"seed":3,"logprobs":true,"top_logprobs":2,)"
      R"("max_completion_tokens":9,"stop":["q"],"modalities":["text"],"prompt_cache_key":"k",)"
      R"("service_tier":"flex","user":"u","metadata":{"a":"b"},"store":true})";
  const auto first = decoded(body);
  const auto encoded = chat_codec.encode_request(first, "x", openai);
  CHECK(encoded.lost.empty());
  CHECK(encoded.names.empty());
  const auto second = decoded(encoded.body);
  CHECK(first.model == second.model);
  CHECK(first.stream == second.stream);
  CHECK(first.stream_usage == second.stream_usage);
  CHECK(first.system == second.system);
  CHECK(first.turns == second.turns);
  CHECK(first.tools == second.tools);
  CHECK(first.choice.mode == second.choice.mode);
  CHECK(first.choice.names == second.choice.names);
  CHECK(first.parallel_tool_calls == second.parallel_tool_calls);
  CHECK(first.sampling == second.sampling);
  CHECK(first.max_output_tokens == second.max_output_tokens);
  CHECK(first.stop == second.stop);
  CHECK(first.reasoning == second.reasoning);
  CHECK(first.format == second.format);
  CHECK(first.cache == second.cache);
  CHECK(first.service_tier == second.service_tier);
  CHECK(first.metadata == second.metadata);
  CHECK(first.end_user == second.end_user);
  CHECK(first.out_modalities == second.out_modalities);
  CHECK(first.store == second.store);
  CHECK(chat_codec.encode_request(second, "x", openai).body == encoded.body);
}

TEST_CASE("results follow their calls, and what stood between follows them") {
  CHECK(messages_of(
            {said(turn_role::assistant, {text("a")}),
             said(turn_role::assistant, {call("1", "f", "{}")}),
             said(turn_role::assistant, {call("2", "f", "{}")}), said(turn_role::user, {text("b")}),
             said(turn_role::tool, {answer("2", "r2")}), said(turn_role::tool, {answer("1", "r1")}),
             said(turn_role::assistant, {text("c")})},
            wire::openai_responses) ==
        R"({"role":"assistant","content":"a","tool_calls":[)"
        R"({"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},)"
        R"({"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":"2","content":"r2"},)"
        R"({"role":"tool","tool_call_id":"1","content":"r1"},)"
        R"({"role":"user","content":"b"},{"role":"assistant","content":"c"})");
}

TEST_CASE("results inside a user's turn come before the rest of it") {
  CHECK(messages_of({said(turn_role::assistant, {call("1", "f", "")}),
                     said(turn_role::user, {text("b"), answer("1", "r")})},
                    wire::anthropic_messages) ==
        R"({"role":"assistant","content":"","tool_calls":[)"
        R"({"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":"1","content":"r"},{"role":"user","content":"b"})");
}

TEST_CASE("a text stands for a tool's picture where the model sees none") {
  media_part picture;
  picture.source.url = {"https://x.example/a.png"};
  auto result = std::get<tool_result_part>(answer("1", "r"));
  result.content.emplace_back(picture);
  canonical_request what;
  what.turns = {said(turn_role::assistant, {call("1", "f", "{}")}),
                said(turn_role::tool, {result}), said(turn_role::user, {picture})};
  target_caps blind;
  blind.images = false;
  CHECK_THAT(messages_of(what, blind),
             ContainsSubstring(R"("content":"r\n\n[image omitted: unsupported by upstream]"})") &&
                 ContainsSubstring("https://x.example/a.png"));
  CHECK(chat_codec.encode_request(what, "m", blind).lost == lossy_notes{lossy::images});
  CHECK_THAT(messages_of(what, {}), !ContainsSubstring("omitted"));
}

TEST_CASE("a call's id that is used again belongs to its last call") {
  const auto out = messages_of({said(turn_role::assistant, {call("1", "f", "{}")}),
                                said(turn_role::tool, {answer("1", "x")}),
                                said(turn_role::assistant, {call("1", "f", "{}")}),
                                said(turn_role::tool, {answer("1", "y")})},
                               wire::openai_chat);
  CHECK(out.find(R"("content":"x")") < out.rfind("tool_calls"));
  CHECK(out.find(R"("content":"y")") > out.rfind("tool_calls"));
}

TEST_CASE("thinking goes only to a server that may read it") {
  struct row {
    wire source;
    std::optional<token_owner> token;
    token_owner target;
    bool kept;
  };
  const std::vector<row> rows{
      {wire::openai_chat, {}, token_owner::unknown, true},
      {wire::openai_responses, {}, token_owner::unknown, true},
      {wire::openai_responses, token_owner::gpt, token_owner::unknown, true},
      {wire::anthropic_messages, {}, token_owner::unknown, false},
      {wire::anthropic_messages, {}, token_owner::kimi, true},
      {wire::anthropic_messages, token_owner::claude, token_owner::unknown, false},
      {wire::anthropic_messages, token_owner::claude, token_owner::claude, true},
      {wire::anthropic_messages, token_owner::gpt, token_owner::gpt, true},
      {wire::gemini, token_owner::gemini, token_owner::gpt, false},
      {wire::gemini, token_owner::unknown, token_owner::unknown, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.source, row.target);
    canonical_request what;
    what.source = row.source;
    what.turns = {said(turn_role::assistant, {thought("hm", row.token), text("a")}),
                  said(turn_role::assistant, {thought("alone", row.token)})};
    const auto out = chat_codec.encode_request(what, "m", {.owner = row.target});
    CHECK((out.body.find("hm") != std::string::npos) == row.kept);
    CHECK((out.body.find("alone") != std::string::npos) == row.kept);
    const bool lost = std::ranges::find(out.lost, lossy::reasoning) != out.lost.end();
    CHECK(lost != row.kept);
    CHECK(out.body.find(R"("content":"a")") != std::string::npos);
  }
}

TEST_CASE("hidden reasoning before calls has a stand-in") {
  reasoning_part hidden;
  hidden.token = opaque_token{token_owner::gpt, token_bind::standalone, token_target::any, {"t"}};
  CHECK(messages_of({said(turn_role::assistant, {hidden}),
                     said(turn_role::assistant, {call("1", "f", "{}")})},
                    wire::openai_responses)
            .starts_with(R"({"role":"assistant","reasoning_content":"[reasoning unavailable]")"));
}

TEST_CASE("system text of Messages inside a conversation is a reminder from the user") {
  const std::vector<turn> turns{said(turn_role::inline_system, {text("x")})};
  CHECK(messages_of(turns, wire::anthropic_messages) ==
        R"({"role":"user","content":"<system-reminder>\nx\n</system-reminder>"})");
  CHECK(messages_of(turns, wire::openai_responses) == R"({"role":"system","content":"x"})");
}

TEST_CASE("Claude Code's billing line and cache marks reach only Claude") {
  canonical_request what;
  what.system = {{{"x-anthropic-billing-header: cc_version=1"}, system_origin::system, {}},
                 {{"s"}, system_origin::system, R"({"type":"ephemeral"})"}};
  const auto other = chat_codec.encode_request(what, "m", {});
  CHECK(other.body == R"({"model":"m","messages":[{"role":"system","content":"s"}]})");
  CHECK(other.lost == lossy_notes{lossy::billing_line, lossy::cache_control});
  const auto claude = chat_codec.encode_request(what, "m", {.owner = token_owner::claude});
  CHECK(claude.lost.empty());
  CHECK(claude.body.find(R"("text":"s","cache_control":{"type":"ephemeral"}})") !=
        std::string::npos);
}

TEST_CASE("a free-form tool is a function with one input where the server knows no other") {
  canonical_request what;
  tool custom;
  custom.kind = tool_kind::custom;
  custom.name = {"apply"};
  custom.format = R"({"type":"text"})";
  what.tools = {custom};
  what.choice.mode = choice_mode::specific;
  what.choice.kind = tool_kind::custom;
  what.choice.names = {{"apply"}};
  auto used = std::get<tool_call_part>(call("1", "apply", R"(a\n\"b\")"));
  used.kind = tool_kind::custom;
  what.turns = {said(turn_role::assistant, {used})};
  const auto out = chat_codec.encode_request(what, "m", {});
  CHECK(out.body ==
        R"({"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[)"
        R"({"id":"1","type":"function","function":{"name":"apply",)"
        R"("arguments":"{\"input\":\"a\\n\\\"b\\\"\"}"}}]}],)"
        R"("tools":[{"type":"function","function":{"name":"apply","parameters":)"
        R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],)"
        R"("additionalProperties":false}}}],)"
        R"("tool_choice":{"type":"function","function":{"name":"apply"}}})");
  CHECK(out.lost == lossy_notes{lossy::custom_tool});
  CHECK(out.names == tool_names{{"apply", "apply", "", tool_kind::custom}});
}

TEST_CASE("namespaced and long names have a spelling and a way back") {
  canonical_request what;
  tool spaced = declared("read");
  spaced.name_space = {"files"};
  const std::string name = "mcp__server__" + std::string(70, 'x');
  what.tools = {spaced, declared(name), declared("with.dot")};
  what.choice.mode = choice_mode::specific;
  what.choice.names = {{"read"}};
  const auto out = chat_codec.encode_request(what, "m", {});
  CHECK(out.body.find(R"("tool_choice":{"type":"function","function":{"name":"files__read"}})") !=
        std::string::npos);
  REQUIRE(find_tool(out.names, "files__read") != nullptr);
  CHECK(find_tool(out.names, "files__read")->name == "read");
  REQUIRE(find_tool(out.names, "with_dot") != nullptr);
  CHECK(out.names.size() == 3);
  for (const auto& known : out.names) CHECK(known.wire.size() <= 64);
}

TEST_CASE("tool settings are left out without tools") {
  canonical_request what;
  what.choice.mode = choice_mode::required;
  what.parallel_tool_calls = false;
  tool server;
  server.kind = tool_kind::server;
  server.server = server_tool::web_search;
  server.json = R"({"type":"web_search"})";
  what.tools = {server};
  what.source = wire::openai_responses;
  const auto out = chat_codec.encode_request(what, "m", {});
  CHECK(out.body == R"({"model":"m","messages":[]})");
  CHECK(out.lost == lossy_notes{lossy::server_tool});
}

TEST_CASE("a subset of tools is declared alone where the server knows no subsets") {
  canonical_request what;
  what.tools = {declared("a"), declared("b"), declared("c")};
  what.choice.mode = choice_mode::subset;
  what.choice.names = {{"a"}, {"c"}};
  what.choice.subset_required = true;
  const auto out = chat_codec.encode_request(what, "m", {});
  CHECK(out.lost == lossy_notes{lossy::allowed_tools});
  CHECK(out.body.find(R"("name":"b")") == std::string::npos);
  CHECK(out.body.find(R"("name":"c")") != std::string::npos);
  CHECK(out.body.find(R"("tool_choice":"required")") != std::string::npos);
}

TEST_CASE("what Chat cannot say is lost by a named rule") {
  struct row {
    std::string_view rule;
    void (*change)(canonical_request& what);
  };
  const auto media = [](media_kind kind, media_source source) {
    media_part out;
    out.kind = kind;
    out.source = source;
    return out;
  };
  static const part file_url = media(media_kind::file, {{}, {}, {"https://x"}, {}});
  static const part image_id = media(media_kind::image, {{}, {}, {}, {"f"}});
  static const part file_id = media(media_kind::file, {{}, {}, {}, {"f"}});
  const std::vector<row> rows{
      {lossy::n, [](auto& what) { what.sampling.n = "2"; }},
      {lossy::top_k, [](auto& what) { what.sampling.top_k = "2"; }},
      {lossy::stop, [](auto& what) { what.stop.resize(5, {"x"}); }},
      {lossy::metadata, [](auto& what) { what.metadata = "{}"; }},
      {lossy::previous_response, [](auto& what) { what.previous_response_id = {"r"}; }},
      {lossy::media_source, [](auto& what) { what.turns = {said(turn_role::user, {file_url})}; }},
      {lossy::media_source, [](auto& what) { what.turns = {said(turn_role::user, {image_id})}; }},
      {lossy::unknown_part,
       [](auto& what) {
         what.turns = {said(turn_role::user, {unknown_part{"t", "{}"}})};
       }},
      {lossy::result_error,
       [](auto& what) {
         auto failed = std::get<tool_result_part>(answer("1", "x"));
         failed.is_error = true;
         what.turns = {said(turn_role::assistant, {call("1", "f", "{}")}),
                       said(turn_role::tool, {failed})};
       }},
      {lossy::cached_content,
       [](auto& what) {
         what.source = wire::gemini;
         what.cache.key = {"cachedContents/a"};
       }},
      {lossy::signature,
       [](auto& what) {
         what.turns = {said(turn_role::assistant, {thought("x", token_owner::gpt)})};
       }},
      {lossy::media_source, [](auto& what) { what.turns = {said(turn_role::user, {file_id})}; }},
      {lossy::orphan_result,
       [](auto& what) { what.turns = {said(turn_role::tool, {answer("1", "x")})}; }},
      {lossy::duplicate_result,
       [](auto& what) {
         what.turns = {said(turn_role::assistant, {call("1", "f", "{}")}),
                       said(turn_role::tool, {answer("1", "x"), answer("1", "y")})};
       }},
      {lossy::server_call,
       [](auto& what) {
         auto used = std::get<tool_call_part>(call("1", "web_search", "{}"));
         used.kind = tool_kind::server;
         what.turns = {said(turn_role::assistant, {used})};
       }},
  };
  for (const auto& row : rows) {
    CAPTURE(row.rule);
    canonical_request what;
    what.source = wire::anthropic_messages;
    row.change(what);
    CHECK(chat_codec.encode_request(what, "m", openai).lost == lossy_notes{row.rule});
  }
}

TEST_CASE("a reasoning budget is a level in Chat") {
  const auto effort = [](reasoning_mode mode, std::int64_t budget) {
    canonical_request what;
    what.reasoning.mode = mode;
    what.reasoning.budget = budget;
    return chat_codec.encode_request(what, "m", {}).body;
  };
  const auto body = [](const std::string& level) {
    return R"({"model":"m","messages":[],"reasoning_effort":")" + level + R"("})";
  };
  CHECK(effort(reasoning_mode::off, 0) == body("none"));
  CHECK(effort(reasoning_mode::budget, 512) == body("minimal"));
  CHECK(effort(reasoning_mode::budget, 1024) == body("low"));
  CHECK(effort(reasoning_mode::budget, 8192) == body("medium"));
  CHECK(effort(reasoning_mode::budget, 24576) == body("high"));
  CHECK(effort(reasoning_mode::budget, 24577) == body("xhigh"));
  CHECK(effort(reasoning_mode::automatic, 0) == body("auto"));
}
