#include "tests/unit/protocol/canonical_messages_samples.hpp"

using namespace tidegate;
using namespace tidegate::protocol;
using namespace tidegate::protocol::samples;

namespace {

/// The canonical parts name views of the body: it is kept here.
struct decoded {
  std::string body;
  canonical_request request;

  explicit decoded(std::string text) : body(std::move(text)) {
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    auto got = messages::decode_request(body, "fallback");
    INFO(body);
    REQUIRE(got.has_value());
    request = std::move(*got);
  }
  template <class Part>
  const Part& part_at(std::size_t turn, std::size_t at) const {
    REQUIRE(request.turns.size() > turn);
    REQUIRE(request.turns[turn].parts.size() > at);
    const auto* found = std::get_if<Part>(&request.turns[turn].parts[at]);
    REQUIRE(found != nullptr);
    return *found;
  }
};

decoded user_block(const std::string& block) {
  return decoded{body_of(R"({"role":"user","content":[)" + block + "]}")};
}
decoded assistant_block(const std::string& block) {
  return decoded{body_of(R"({"role":"assistant","content":[)" + block + "]}")};
}

std::string fault(const std::string& text) {
  const auto got = messages::decode_request(padded(text), "m");
  INFO(text);
  REQUIRE(!got.has_value());
  CHECK(got.error().code == errc::invalid_input);
  return got.error().detail;
}

}  // namespace

TEST_CASE("canonical Messages: system is a string or text blocks, each a block of its own") {
  const decoded whole{user_body(R"("system":"be \"kind\"")")};
  REQUIRE(whole.request.system.size() == 1);
  CHECK(whole.request.system[0].text.escaped == R"(be \"kind\")");
  const decoded blocks{user_body(
      R"("system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2"},)"
      R"({"type":"text","text":"a"},)"
      R"({"text":"b","cache_control":{"type":"ephemeral","ttl":"1h"},"type":"text"}])")};
  REQUIRE(blocks.request.system.size() == 2);
  CHECK(blocks.request.system[0].text.escaped == "a");
  CHECK(!blocks.request.system[0].cache);
  CHECK(blocks.request.system[1].cache == R"({"type":"ephemeral","ttl":"1h"})");
}

TEST_CASE("canonical Messages: a user message is its tool results and then the rest") {
  const decoded got{body_of(
      R"({"role":"user","content":[{"type":"text","text":"a"},)"
      R"({"type":"tool_result","tool_use_id":"t1","content":"ok"},{"type":"text","text":"b"}]},)"
      R"({"content":"note","role":"system"},{"role":"assistant","content":"yes"})")};
  const auto& turns = got.request.turns;
  REQUIRE(turns.size() == 4);
  CHECK(turns[0].role == turn_role::tool);
  CHECK(turns[1].role == turn_role::user);
  CHECK(turns[1].parts.size() == 2);
  CHECK(turns[2].role == turn_role::inline_system);
  CHECK(turns[3].role == turn_role::assistant);
  CHECK(got.part_at<tool_result_part>(0, 0).call_id.escaped == "t1");
}

TEST_CASE("canonical Messages: text keeps its mark and the citations with an address") {
  const auto got = user_block(
      R"({"type":"text","text":"a\nb","citations":[{"type":"char_location","cited_text":"x"},)"
      R"({"type":"web_search_result_location","url":"https://a","title":"A"}],)"
      R"("cache_control":{"type":"ephemeral"}})");
  const auto& text = got.part_at<text_part>(0, 0);
  CHECK(text.text.escaped == R"(a\nb)");
  CHECK(text.cache == R"({"type":"ephemeral"})");
  REQUIRE(text.citations.size() == 1);
  CHECK(text.citations[0].url.escaped == "https://a");
}

TEST_CASE("canonical Messages: media by their source") {
  const auto base64 = user_block(
      R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}})");
  CHECK(base64.part_at<media_part>(0, 0).source.base64.escaped == "QUJD");
  CHECK(base64.part_at<media_part>(0, 0).source.mime.escaped == "image/png");
  const auto url = user_block(R"({"type":"image","source":{"url":"https://a/b","type":"url"}})");
  CHECK(url.part_at<media_part>(0, 0).source.url.escaped == "https://a/b");
  const auto file = user_block(R"({"type":"image","source":{"type":"file","file_id":"f"}})");
  CHECK(file.part_at<media_part>(0, 0).source.file_id.escaped == "f");
  const auto pdf = user_block(
      R"({"type":"document","title":"T","source":{"type":"base64","media_type":"application/pdf",)"
      R"("data":"QQ=="},"cache_control":{"type":"ephemeral"}})");
  const auto& document = pdf.part_at<media_part>(0, 0);
  CHECK(document.kind == media_kind::file);
  CHECK(document.name.escaped == "T");
  CHECK(document.cache.has_value());
  const auto text = user_block(
      R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}})");
  CHECK(text.part_at<text_part>(0, 0).text.escaped == "words");
  const auto content = user_block(
      R"({"type":"document","source":{"type":"content","content":[{"type":"text","text":"w"}]}})");
  CHECK(content.part_at<text_part>(0, 0).text.escaped == "w");
}

TEST_CASE("canonical Messages: thinking knows whose its token is") {
  using row = std::tuple<std::string, token_owner>;
  const auto [signature, owner] = GENERATE(table<std::string, token_owner>({
      row{std::string{claude_signature}, token_owner::claude},
      row{"gAAAAABo", token_owner::gpt},
      row{"v1.grok.standalone.any.abc", token_owner::grok},
      row{"EgUKAwECAw==", token_owner::gemini},
      row{"skip_thought_signature_validator", token_owner::gemini},
      row{"whatever", token_owner::unknown},
      row{"v1.nobody.next.any.x", token_owner::unknown},
  }));
  const auto got = assistant_block(R"({"type":"thinking","thinking":"hm","signature":")" +
                                   signature + "\"}");
  const auto& thought = got.part_at<reasoning_part>(0, 0);
  CAPTURE(signature);
  REQUIRE(thought.token.has_value());
  CHECK(thought.token->owner == owner);
  CHECK(thought.texts == std::vector<raw_text>{{"hm"}});
}

TEST_CASE("canonical Messages: a token in an envelope goes to the part that it belongs to") {
  const auto got = assistant_block(
      R"({"type":"thinking","thinking":"","signature":"v1.gemini.next.text.AA"},)"
      R"({"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{}},)"
      R"({"type":"thinking","thinking":"","signature":"v1.gemini.previous.function.B\/B"})");
  REQUIRE(got.request.turns[0].parts.size() == 2);
  CHECK(got.part_at<text_part>(0, 0).signature->bytes.escaped == "AA");
  CHECK(got.part_at<tool_call_part>(0, 1).signature->bytes.escaped == "B/B");
  CHECK(got.part_at<tool_call_part>(0, 1).signature->owner == token_owner::gemini);
}

TEST_CASE("canonical Messages: redacted thinking is its token; thinking of a user is dropped") {
  const auto got = assistant_block(R"({"type":"redacted_thinking","data":"xyz"})");
  const auto& thought = got.part_at<reasoning_part>(0, 0);
  CHECK(thought.redacted);
  CHECK(thought.texts.empty());
  CHECK(thought.token->owner == token_owner::claude);
  CHECK(user_block(R"({"type":"thinking","thinking":"x","signature":"y"})").request.turns.empty());
  CHECK(assistant_block(R"({"type":"redacted_thinking","data":""})").request.turns.empty());
}

TEST_CASE("canonical Messages: calls keep the text of their input") {
  const auto got = assistant_block(
      R"({"type":"tool_use","id":"t1","name":"f","input":{ "a" : 1.50, "b":{} }},)"
      R"({"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}},)"
      R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"x":[1,2]}]})");
  CHECK(got.part_at<tool_call_part>(0, 0).arguments == R"({ "a" : 1.50, "b":{} })");
  CHECK(got.part_at<tool_call_part>(0, 1).kind == tool_kind::server);
  const auto& other = got.part_at<unknown_part>(0, 2);
  CHECK(other.type == "web_search_tool_result");
  CHECK(other.json ==
        R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"x":[1,2]}]})");
}

TEST_CASE("canonical Messages: results are text, blocks or JSON") {
  const auto got = user_block(
      R"({"type":"tool_result","tool_use_id":"a","is_error":true,"content":[)"
      R"({"type":"text","text":"x"},)"
      R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"Q"}},)"
      R"({"type":"tool_reference","tool_name":"n"}]},)"
      R"({"type":"tool_result","tool_use_id":"b","content":{"k":[1]}},)"
      R"({"type":"tool_result","tool_use_id":"c"})");
  const auto& blocks = got.part_at<tool_result_part>(0, 0);
  CHECK(blocks.is_error);
  REQUIRE(blocks.content.size() == 3);
  CHECK(std::get<text_part>(blocks.content[2]).text.escaped ==
        R"({\"type\":\"tool_reference\",\"tool_name\":\"n\"})");
  CHECK(got.part_at<tool_result_part>(0, 1).json == R"({"k":[1]})");
  CHECK(got.part_at<tool_result_part>(0, 2).content.empty());
}

TEST_CASE("canonical Messages: tools, typed ones with their declaration") {
  const decoded got{user_body(
      R"("tool_choice":{"type":"tool","name":"web_search","disable_parallel_tool_use":true},)"
      R"("tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"strict":true,)"
      R"("cache_control":{"type":"ephemeral"}},)"
      R"({"type":"web_search_20250305","name":"web_search","max_uses":3},)"
      R"({"name":"bash","type":"bash_20250124"}])")};
  const auto& tools = got.request.tools;
  REQUIRE(tools.size() == 3);
  CHECK(tools[0].kind == tool_kind::function);
  CHECK(tools[0].schema == R"({"type":"object"})");
  CHECK(tools[0].strict == true);
  CHECK(tools[1].server == server_tool::web_search);
  CHECK(tools[1].json == R"({"type":"web_search_20250305","name":"web_search","max_uses":3})");
  CHECK(tools[2].kind == tool_kind::function);
  CHECK(tools[2].json == R"({"name":"bash","type":"bash_20250124"})");
  CHECK(got.request.choice.mode == choice_mode::specific);
  CHECK(got.request.choice.kind == tool_kind::server);
  CHECK(got.request.parallel_tool_calls == false);
}

TEST_CASE("canonical Messages: thinking and effort") {
  using row = std::tuple<std::string, reasoning_mode, std::string, int>;
  const auto [text, mode, level, budget] =
      GENERATE(table<std::string, reasoning_mode, std::string, int>({
          row{R"("thinking":{"type":"enabled","budget_tokens":2048})", reasoning_mode::budget, "",
              2048},
          row{R"("thinking":{"type":"adaptive"})", reasoning_mode::automatic, "", 0},
          row{R"("thinking":{"type":"disabled"})", reasoning_mode::off, "", 0},
          row{R"("output_config":{"effort":"max"},"thinking":{"type":"adaptive"})",
              reasoning_mode::level, "max", 0},
          row{R"("thinking":{"type":"adaptive"},"output_config":{"effort":"low"})",
              reasoning_mode::level, "low", 0},
          row{R"("output_config":{"effort":"high"})", reasoning_mode::level, "high", 0},
          row{R"("thinking":null)", reasoning_mode::unset, "", 0},
      }));
  CAPTURE(text);
  const decoded got{user_body(text)};
  CHECK(got.request.reasoning.mode == mode);
  CHECK(got.request.reasoning.level == level);
  CHECK(got.request.reasoning.budget == budget);
}

TEST_CASE("canonical Messages: settings") {
  const decoded got{user_body(
      R"("temperature":0.70,"top_p":1e0,"top_k":5,"stop_sequences":["a","b"],"stream":true,)"
      R"("metadata":{"user_id":"u"},"speed":"fast","service_tier":"standard_only",)"
      R"("output_format":{"type":"json_schema","schema":{"type":"object"}},"unheard":[{}])")};
  const auto& request = got.request;
  CHECK(request.source == wire::anthropic_messages);
  CHECK(request.sampling.temperature == "0.70");
  CHECK(request.sampling.top_p == "1e0");
  CHECK(request.sampling.top_k == "5");
  CHECK(request.stop == std::vector<raw_text>{{"a"}, {"b"}});
  CHECK(request.stream);
  CHECK(request.max_output_tokens == 100);
  CHECK(request.end_user.escaped == "u");
  CHECK(request.metadata == R"({"user_id":"u"})");
  CHECK(request.service_tier.escaped == "priority");
  CHECK(request.format.kind == format_kind::json_schema);
  CHECK(request.format.schema == R"({"type":"object"})");
}

TEST_CASE("canonical Messages: a fault names its member") {
  using row = std::tuple<std::string, std::string>;
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      row{"[]", "the body is no JSON object"},
      row{"", "the body is no JSON object"},
      row{R"({"model":"m"})", "messages is missing"},
      row{R"({"messages":{}})", "messages must be a list"},
      row{R"({"messages":[{"role":"user"}]})", "messages[0].content is missing"},
      row{R"({"messages":[{"role":"robot","content":"x"}]})",
          "messages[0].role must be user, assistant or system"},
      row{R"({"messages":[{"role":"user","content":[{"text":"x"}]}]})",
          "messages[0].content[0].type must be a string"},
      row{R"({"messages":[{"role":"user","content":"a"},{"role":"user","content":[1]}]})",
          "messages[1].content[0] must be an object"},
      row{R"({"messages":[{"role":"user","content":[{"type":"text","text":7}]}]})",
          "messages[0].content[0].text must be a string"},
      row{R"({"messages":[{"role":"user","content":[{"type":"image"}]}]})",
          "messages[0].content[0].source is missing"},
      row{R"({"messages":[],"max_tokens":"9"})", "max_tokens must be a whole number"},
      row{R"({"messages":[],"tools":[{"description":"x"}]})",
          "tools[0].name must be a string that is not empty"},
      row{R"({"messages":[],"tool_choice":{"type":"maybe"}})",
          "tool_choice.type must be auto, any, tool or none"},
      row{R"({"messages":[],"thinking":{"type":"enabled"}})",
          "thinking.budget_tokens must be a whole number above 0"},
      row{R"({"messages":[],"output_config":{"effort":"ultra"}})",
          "output_config.effort must be low, medium, high, xhigh or max"},
      row{R"({"messages":[],"stop_sequences":[1]})", "stop_sequences must be a list of strings"},
  }));
  CHECK(fault(text) == expected);
}

TEST_CASE("canonical Messages: a body cut anywhere is a fault and nothing worse") {
  const std::string whole = user_body(
      R"("system":[{"type":"text","text":"a"}],"tools":[{"name":"f",)"
      R"("input_schema":{"a":[1,{}]}}])");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(!messages::decode_request(padded(whole.substr(0, size)), "m").has_value());
  }
  const std::string deep = body_of(R"({"role":"user","content":[{"type":"x","y":)" +
                                   std::string(2000, '[') + std::string(2000, ']') + "}]}");
  (void)messages::decode_request(deep, "m");
}

TEST_CASE("canonical Messages: a body without padding is read all the same") {
  std::string tight = user_body();
  tight.shrink_to_fit();
  CHECK(messages::decode_request(tight, "m").has_value());
}
