#include "protocol/canonical/chat/chat.hpp"

#include <deque>
#include <random>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

/// What was decoded holds views into its body and its store: both stay to the end.
const canonical_request& decoded(std::string json) {
  static std::deque<std::string> bodies;
  static std::deque<canonical_request> requests;
  const std::string& body = bodies.emplace_back(std::move(json));
  auto out = chat_codec.decode_request(body, "m");
  CAPTURE(body, out ? "" : out.error().detail);
  REQUIRE(out);
  return requests.emplace_back(std::move(*out));
}

std::string with_messages(const std::string& members) {
  return R"({"messages":[],)" + members + "}";
}

const canonical_request& decoded_messages(const std::string& messages) {
  return decoded(R"({"messages":[)" + messages + "]}");
}

template <class Part>
Part only_part(const canonical_request& from, std::size_t turn = 0) {
  REQUIRE(from.turns.size() > turn);
  REQUIRE(from.turns[turn].parts.size() == 1);
  REQUIRE(std::holds_alternative<Part>(from.turns[turn].parts[0]));
  return std::get<Part>(from.turns[turn].parts[0]);
}

struct wrong_row {
  const char* body;
  const char* detail;
};

}  // namespace

TEST_CASE("what is wrong with a Chat request is named with its path") {
  const std::vector<wrong_row> rows{
      {"[]", "not a JSON object"},
      {"", "not a JSON object"},
      {"{}", "messages: missing"},
      {R"({"messages":{}})", "messages: not an array"},
      {R"({"messages":[1]})", "messages[0]: not an object"},
      {R"({"messages":[{"content":"x"}]})", "messages[0].role: missing"},
      {R"({"messages":[{"role":"robot"}]})", "messages[0].role: unknown role"},
      {R"({"messages":[{"role":"user","content":7}]})",
       "messages[0].content: not a string or an array of parts"},
      {R"({"messages":[{"content":{"a":1},"role":"user"}]})",
       "messages[0].content: not a string or an array of parts"},
      {R"({"messages":[{"role":"user","content":[{"text":"x"}]}]})",
       "messages[0].content[0].type: not a string"},
      {R"({"messages":[{"content":[{"type":"text"},{}],"role":"user"}]})",
       "messages[0].content[0].text: missing"},
      {R"({"messages":[{"role":"user","content":["x"]}]})",
       "messages[0].content[0]: not an object"},
      {R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]})",
       "messages[0].content[0].image_url: no data, URL or id"},
      {R"({"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{}}]}]})",
       "messages[0].tool_calls[0]: no name"},
      {R"({"messages":[],"tools":[{"type":"function","function":{}}]})",
       "tools[0].function.name: missing"},
      {R"({"messages":[],"temperature":"hot"})", "temperature: not a number"},
      {R"({"messages":[],"max_tokens":1.5})", "max_tokens: not an integer"},
      {R"({"messages":[],"stream":"yes"})", "stream: not a boolean"},
      {R"({"messages":[],"tool_choice":"maybe"})", "tool_choice: unknown word"},
      {R"({"messages":[],"response_format":{"type":"xml"}})", "response_format.type: unknown word"},
      {R"({"messages":[],"stop":["a",1]})", "stop[1]: not a string"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.body);
    const auto out = chat_codec.decode_request(row.body, "m");
    REQUIRE_FALSE(out);
    CHECK(out.error().code == errc::invalid_input);
    CHECK(out.error().detail == row.detail);
  }
}

TEST_CASE("a Chat request cut anywhere is refused and never more") {
  const std::string body =
      R"({"messages":[{"role":"user","content":[{"type":"text","text":"a\"b"},)"
      R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}],)"
      R"("tools":[{"type":"function","function":{"name":"f","parameters":{"a":[1,{}]}}}]})";
  REQUIRE(chat_codec.decode_request(body, "m"));
  for (std::size_t size = 0; size < body.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(chat_codec.decode_request(body.substr(0, size), "m"));
  }
}

TEST_CASE("a damaged Chat request is read or refused") {
  const std::string body =
      R"({"messages":[{"role":"user","content":[{"type":"odd","x":1},{"text":"a","type":"text"}]},)"
      R"({"content":{"a":[]},"tool_call_id":"c","role":"tool"}],"tools":[{"google_search":{}},)"
      R"({"function":{"name":"f"}}],"tool_choice":{"type":"web_search"}})";
  std::mt19937 random{3};
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = body;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % damaged.size();
      if (random() % 2 == 0) {
        damaged.erase(at, 1 + random() % 8);
      } else {
        damaged[at] = R"("{}[]:,\n0)"[random() % 11];
      }
    }
    const auto got = chat_codec.decode_request(damaged, "m");
    if (got) (void)chat_codec.encode_request(*got, "m", {});
  }
}

TEST_CASE("plain members of a Chat request keep their spelling") {
  const auto got = decoded(with_messages(
      R"("model":"gpt-x","stream":true,"stream_options":{"include_usage":true},)"
      R"("temperature":0.70,"top_p":1e0,"top_k":40,"n":2,"frequency_penalty":-0.5,)"
      R"("presence_penalty":0.1,"seed":7,"logprobs":true,"top_logprobs":3,)"
      R"("max_tokens":10,"max_completion_tokens":20,"stop":"a\nb","parallel_tool_calls":false,)"
      R"("prompt_cache_key":"k","prompt_cache_retention":"24h","service_tier":"flex",)"
      R"("safety_identifier":"s","user":"u","metadata":{"a" : "b"},"store":true,)"
      R"("modalities":["text","audio"],"verbosity":"low","unknown":[{}])"));
  CHECK(got.source == wire::openai_chat);
  CHECK(got.model.escaped == "gpt-x");
  CHECK(got.stream);
  CHECK(got.stream_usage);
  CHECK(got.sampling ==
        protocol::sampling{"0.70", "1e0", "40", "2", "-0.5", "0.1", "7", "true", "3"});
  CHECK(got.max_output_tokens == 20);
  CHECK(got.stop == std::vector<raw_text>{{R"(a\nb)"}});
  CHECK(got.parallel_tool_calls == false);
  CHECK(got.cache == cache_hints{{"k"}, {"24h"}});
  CHECK(got.service_tier.escaped == "flex");
  CHECK(got.end_user.escaped == "u");
  CHECK(got.metadata == R"({"a" : "b"})");
  CHECK(got.store == true);
  CHECK(got.out_modalities == std::vector<raw_text>{{"text"}, {"audio"}});
  CHECK(got.format.verbosity == "low");
}

TEST_CASE("null members of a Chat request are absent ones") {
  const auto got = decoded(with_messages(
      R"("model":null,"temperature":null,"stop":null,"tools":null,"tool_choice":null,)"
      R"("response_format":null,"stream":null,"max_tokens":null,"reasoning_effort":null,)"
      R"("metadata":null,"modalities":null,"parallel_tool_calls":null,"logprobs":null)"));
  CHECK(got.model.escaped == "m");
  CHECK(got.sampling == protocol::sampling{});
  CHECK(got.choice == tool_choice{});
  CHECK(got.reasoning == reasoning_wish{});
  CHECK_FALSE(got.max_output_tokens);
  CHECK_FALSE(got.parallel_tool_calls);
}

TEST_CASE("leading system and developer messages are system blocks, later ones turns") {
  const auto got = decoded_messages(
      R"({"role":"system","content":"a"},)"
      R"({"role":"developer","content":[{"type":"text","text":"b","cache_control":{"type":)"
      R"("ephemeral"}},)"
      R"({"type":"image_url","image_url":{"url":"http://x/y"}}]},)"
      R"({"role":"user","content":"c"},{"role":"system","content":"d"})");
  REQUIRE(got.system.size() == 3);
  CHECK(got.system[0] == system_block{{"a"}, system_origin::system, std::nullopt});
  CHECK(got.system[1] == system_block{{"b"}, system_origin::developer, R"({"type":"ephemeral"})"});
  CHECK(got.system[2] == system_block{{"[image]"}, system_origin::developer, std::nullopt});
  REQUIRE(got.turns.size() == 2);
  CHECK(got.turns[1].role == turn_role::inline_system);
  CHECK(only_part<text_part>(got, 1).text.escaped == "d");
}

TEST_CASE("media parts of Chat") {
  const auto media = [](const std::string& part) {
    return only_part<media_part>(decoded_messages(R"({"role":"user","content":[)" + part + "]}"));
  };
  const auto image = media(
      R"({"image_url":{"detail":"low","url":"data:image\/png;base64,QUJD"},"type":"image_url"})");
  CHECK(image.kind == media_kind::image);
  CHECK(image.detail.escaped == "low");
  CHECK(image.source.base64.escaped == "QUJD");
  CHECK(image.source.mime.escaped == "image/png");
  CHECK(media(R"({"type":"image_url","image_url":"https://x/y.png"})").source.url.escaped ==
        "https://x/y.png");
  CHECK(media(R"({"type":"image_url","image_url":{"url":"data:text/plain,hi"}})").source.url ==
        raw_text{"data:text/plain,hi"});
  const auto file = media(R"({"type":"file","file":{"filename":"a.pdf","file_data":"JVBERi0="}})");
  CHECK(file.source == media_source{{"JVBERi0="}, {"application/pdf"}, {}, {}});
  CHECK(file.name.escaped == "a.pdf");
  CHECK(media(R"({"type":"file","file":{"file_id":"f-1"}})").source.file_id.escaped == "f-1");
  const auto audio =
      media(R"({"type":"input_audio","input_audio":{"data":"QQ==","format":"mp3"}})");
  CHECK(audio.kind == media_kind::audio);
  CHECK(audio.source.mime.escaped == "audio/mpeg");
  CHECK(audio.format.escaped == "mp3");
  const auto video =
      media(R"({"type":"video_url","video_url":{"url":"data:video/mp4;base64,QQ=="}})");
  CHECK(video.kind == media_kind::video);
  CHECK(video.source.mime.escaped == "video/mp4");
}

TEST_CASE("an unknown part is kept as it was written") {
  const auto got =
      decoded_messages(R"({"role":"user","content":[{"type":"hologram","x": [1, {}]}]})");
  CHECK(only_part<unknown_part>(got) ==
        unknown_part{"hologram", R"({"type":"hologram","x": [1, {}]})"});
}

TEST_CASE("an assistant message is thought, text, refusal, calls, whatever their order was") {
  const auto got = decoded_messages(
      R"({"tool_calls":[{"type":"function","id":"c1","function":{"arguments":"{\"a\":1}","name":)"
      R"("f"},)"
      R"("extra_content":{"google":{"thought_signature":"sig"}}},)"
      R"({"id":"c2","type":"custom","custom":{"name":"g","input":"x\ny"}}],)"
      R"("refusal":"no","content":"hi","reasoning_content":"hm","reasoning":"other",)"
      R"("role":"assistant"})");
  REQUIRE(got.turns.size() == 1);
  const auto& parts = got.turns[0].parts;
  REQUIRE(parts.size() == 5);
  CHECK(std::get<reasoning_part>(parts[0]).texts == std::vector<raw_text>{{"hm"}});
  CHECK(std::get<text_part>(parts[1]).text.escaped == "hi");
  CHECK(std::get<refusal_part>(parts[2]).text.escaped == "no");
  const auto& call = std::get<tool_call_part>(parts[3]);
  CHECK(call.id.escaped == "c1");
  CHECK(call.name.escaped == "f");
  CHECK(call.arguments == R"({"a":1})");
  REQUIRE(call.signature);
  CHECK(call.signature->owner == token_owner::gemini);
  const auto& custom = std::get<tool_call_part>(parts[4]);
  CHECK(custom.kind == tool_kind::custom);
  CHECK(custom.arguments == R"(x\ny)");
}

TEST_CASE("empty content beside calls is no text; alone it is") {
  const auto got = decoded_messages(
      R"({"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"f"}}]},)"
      R"({"role":"assistant","content":""})");
  CHECK(only_part<tool_call_part>(got, 0).arguments.empty());
  CHECK(only_part<text_part>(got, 1).text.empty());
}

TEST_CASE("results of one round are one tool turn") {
  const auto got = decoded_messages(
      R"({"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}},)"
      R"({"id":"b","type":"custom","custom":{"name":"g","input":""}}]},)"
      R"({"role":"tool","tool_call_id":"a","content":"1"},)"
      R"({"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"2"}]},)"
      R"({"role":"tool","tool_call_id":"a","content":"3"})");
  REQUIRE(got.turns.size() == 2);
  CHECK(got.turns[1].role == turn_role::tool);
  REQUIRE(got.turns[1].parts.size() == 3);
  CHECK(std::get<tool_result_part>(got.turns[1].parts[0]).kind == tool_kind::function);
  CHECK(std::get<tool_result_part>(got.turns[1].parts[1]).kind == tool_kind::custom);
}

TEST_CASE("a result that is no text or parts stays JSON") {
  const std::vector<const char*> rows{R"({"a": 1})", "[1,2]", R"([{"b":2}])", "7", "true"};
  for (const char* json : rows) {
    CAPTURE(json);
    for (const bool role_first : {true, false}) {
      const std::string content = std::string{R"("content":)"} + json;
      const std::string role = R"("role":"tool")";
      const auto got =
          decoded_messages("{" + (role_first ? role + "," + content : content + "," + role) +
                           R"(,"tool_call_id":"x"})");
      const auto result = only_part<tool_result_part>(got);
      CHECK(result.json == json);
      CHECK(result.content.empty());
    }
  }
}

TEST_CASE("a stringified list with an image is unpacked, other strings are not") {
  const auto result = [](const std::string& content) {
    return only_part<tool_result_part>(
        decoded_messages(R"({"role":"tool","tool_call_id":"x","content":")" + content + R"("})"));
  };
  const auto image = result(
      R"([{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image_url\",\"image_url\":)"
      R"({\"url\":\"data:image/png;base64,QQ==\"}}])");
  REQUIRE(image.content.size() == 2);
  CHECK(std::get<media_part>(image.content[1]).source.base64.escaped == "QQ==");
  const auto text = result(R"([{\"type\":\"text\",\"text\":\"a\"}])");
  REQUIRE(text.content.size() == 1);
  CHECK(std::get<text_part>(text.content[0]).text.escaped.starts_with("[{"));
  CHECK(result(R"([\"image_url\", 1])").content.size() == 1);
}

TEST_CASE("calls without an id get one, and the only open call takes a result without id") {
  const auto got = decoded_messages(
      R"({"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},)"
      R"({"role":"tool","content":"1"})");
  const auto call = only_part<tool_call_part>(got, 0);
  CHECK(call.id.escaped == "call_missing_0_0");
  CHECK(only_part<tool_result_part>(got, 1).call_id == call.id);
}

TEST_CASE("tools of Chat: functions, custom tools and built-in ones") {
  const auto got = decoded(with_messages(
      R"("tools":[{"function":{"parameters":{"type":"object"},"name":"f","description":"d",)"
      R"("strict":true},"type":"function","cache_control":{"type":"ephemeral"}},)"
      R"({"type":"custom","custom":{"name":"g","format":{"type":"grammar",)"
      R"("grammar":{"syntax":"lark","definition":"s"}}}},)"
      R"({"type":"web_search","x":1},{"google_search":{}},{"type":"retrieval"}])"));
  REQUIRE(got.tools.size() == 5);
  const tool& f = got.tools[0];
  CHECK(f.name.escaped == "f");
  CHECK(f.description.escaped == "d");
  CHECK(f.schema == R"({"type":"object"})");
  CHECK(f.strict == true);
  CHECK(f.cache == R"({"type":"ephemeral"})");
  CHECK(got.tools[1].kind == tool_kind::custom);
  CHECK(got.tools[1].format == R"({"type":"grammar","syntax":"lark","definition":"s"})");
  CHECK(got.tools[2].server == server_tool::web_search);
  CHECK(got.tools[2].json == R"({"type":"web_search","x":1})");
  CHECK(got.tools[3].server == server_tool::web_search);
  CHECK(got.tools[4].server == server_tool::other);
}

TEST_CASE("tool_choice of Chat") {
  const auto choice = [](const std::string& json) {
    return decoded(with_messages(R"("tool_choice":)" + json)).choice;
  };
  CHECK(choice(R"("auto")").mode == choice_mode::automatic);
  CHECK(choice(R"("none")").mode == choice_mode::none);
  CHECK(choice(R"("required")").mode == choice_mode::required);
  const auto function = choice(R"({"type":"function","function":{"name":"f"}})");
  CHECK(function.mode == choice_mode::specific);
  CHECK(function.names == std::vector<raw_text>{{"f"}});
  const auto custom = choice(R"({"custom":{"name":"g"},"type":"custom"})");
  CHECK(custom.kind == tool_kind::custom);
  CHECK(custom.names == std::vector<raw_text>{{"g"}});
  const auto subset = choice(
      R"({"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[)"
      R"({"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"g"}}]}})");
  CHECK(subset.mode == choice_mode::subset);
  CHECK(subset.subset_required);
  CHECK(subset.names == std::vector<raw_text>{{"f"}, {"g"}});
  const auto server = choice(R"({"type":"web_search"})");
  CHECK(server.kind == tool_kind::server);
  CHECK(server.names == std::vector<raw_text>{{"web_search"}});
}

TEST_CASE("ways to wish for reasoning in Chat") {
  struct row {
    const char* members;
    reasoning_wish expected;
  };
  const auto wish = [](reasoning_mode mode, std::string_view level, std::int64_t budget,
                       std::string_view summary, bool show) {
    return reasoning_wish{mode, level, budget, summary, false, show};
  };
  const std::vector<row> rows{
      {R"("reasoning_effort":"high")", wish(reasoning_mode::level, "high", 0, "auto", true)},
      {R"("reasoning_effort":"none")", wish(reasoning_mode::off, "", 0, "", false)},
      {R"("reasoning_effort":"auto")", wish(reasoning_mode::automatic, "", 0, "auto", true)},
      {R"("reasoning":{"effort":"low","exclude":true})",
       wish(reasoning_mode::level, "low", 0, "none", false)},
      {R"("reasoning":{"max_tokens":2000})", wish(reasoning_mode::budget, "", 2000, "auto", true)},
      {R"("reasoning":{"effort":"low"},"reasoning_effort":"high")",
       wish(reasoning_mode::level, "high", 0, "auto", true)},
      {R"("reasoning_effort":"high","reasoning":{"effort":"low"})",
       wish(reasoning_mode::level, "high", 0, "auto", true)},
      {R"("thinking":{"type":"disabled"})", wish(reasoning_mode::off, "", 0, "", false)},
      {R"("thinking":{"type":"enabled"})", wish(reasoning_mode::automatic, "", 0, "auto", true)},
      {R"("extra_body":{"google":{"thinking_config":{"thinking_budget":9,)"
       R"("include_thoughts":true}}})",
       wish(reasoning_mode::budget, "", 9, "auto", true)},
      {R"("include_reasoning":true)", wish(reasoning_mode::unset, "", 0, "auto", true)},
  };
  for (const auto& [members, expected] : rows) {
    CAPTURE(members);
    const auto got = decoded(with_messages(members)).reasoning;
    CHECK(got.mode == expected.mode);
    CHECK(got.level == expected.level);
    CHECK(got.budget == expected.budget);
    CHECK(got.summary == expected.summary);
    CHECK(got.show_thoughts == expected.show_thoughts);
  }
}

TEST_CASE("image_config of Chat is the wish for images in other protocols' words") {
  const auto& read = decoded(with_messages(
      R"("image_config":{"aspect_ratio":"16:9","image_size":"2K"})"));
  CHECK(read.image.aspect_ratio.escaped == "16:9");
  CHECK(read.image.size.escaped == "2K");
  CHECK(read.unsaid.empty());
  CHECK(decoded(with_messages(R"("image_config":null)")).image.empty());
  CHECK(decoded(with_messages(R"("image_config":{"style":"x"})")).unsaid ==
        std::vector<std::string_view>{"request.other"});
  const std::string wrong = with_messages(R"("image_config":{"image_size":2})");
  const auto refused = chat_codec.decode_request(wrong, "m");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail.find("image_config.image_size") != std::string::npos);
}

TEST_CASE("response_format of Chat") {
  CHECK(decoded(with_messages(R"("response_format":{"type":"json_object"})")).format.kind ==
        format_kind::json_object);
  const auto schema = decoded(with_messages(
      R"("response_format":{"json_schema":{"name":"n","description":"d","strict":true,)"
      R"("schema":{"type": "object"}},"type":"json_schema"})"));
  CHECK(schema.format ==
        response_format{format_kind::json_schema, {"n"}, {"d"}, R"({"type": "object"})", true, ""});
}

TEST_CASE("a message's cache mark goes to its last part, unless that has its own") {
  const auto got =
      decoded_messages(R"({"role":"user","content":"a","cache_control":{"type":"ephemeral"}},)"
                       R"({"role":"user","cache_control":{"type":"ephemeral"},"content":[)"
                       R"({"type":"text","text":"b","cache_control":{"ttl":"1h"}}]})");
  CHECK(only_part<text_part>(got, 0).cache == R"({"type":"ephemeral"})");
  CHECK(only_part<text_part>(got, 1).cache == R"({"ttl":"1h"})");
}

TEST_CASE("functions and function_call of Chat are tools and calls") {
  const auto what = decoded(
      R"({"functions":[{"name":"f","description":"d","parameters":{"type":"object"}}],)"
      R"("function_call":{"name":"f"},"messages":[{"role":"user","content":"q"},)"
      R"({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}},)"
      R"({"role":"function","name":"f","content":"r"}]})");
  REQUIRE(what.tools.size() == 1);
  CHECK(what.tools[0].name == raw_text{"f"});
  CHECK(what.tools[0].schema == R"({"type":"object"})");
  CHECK(what.choice.mode == choice_mode::specific);
  REQUIRE(what.turns.size() == 3);
  const auto call = only_part<tool_call_part>(what, 1);
  const auto result = only_part<tool_result_part>(what, 2);
  CHECK(call.arguments == R"({"a":1})");
  CHECK_FALSE(call.id.empty());
  CHECK(result.call_id == call.id);
  CHECK(decoded(with_messages(R"("function_call":"none")")).choice.mode == choice_mode::none);
}

TEST_CASE("wrong functions of Chat are named with their path") {
  const std::vector<wrong_row> rows{
      {R"({"messages":[],"functions":[{"description":"d"}]})", "functions[0].name: missing"},
      {R"({"messages":[],"functions":[7]})", "functions[0]: not an object"},
      {R"({"messages":[],"function_call":"f"})", "function_call: unknown word"},
      {R"({"messages":[],"function_call":{}})", "function_call.name: missing"},
      {R"({"messages":[{"role":"assistant","function_call":{}}]})",
       "messages[0].function_call: no name"}};
  for (const auto& row : rows) {
    const std::string body{row.body};
    const auto read = chat_codec.decode_request(body, "m");
    CHECK((read ? "accepted" : read.error().detail) == row.detail);
  }
}
