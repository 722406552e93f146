#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "tests/unit/protocol/canonical_messages_samples.hpp"

using namespace tidegate;
using namespace tidegate::protocol;
using namespace tidegate::protocol::samples;
namespace rule = tidegate::protocol::messages::rule;

namespace {

text_part words(std::string_view text) {
  text_part out;
  out.text = {text};
  return out;
}
tool_call_part call(std::string_view id, std::string_view arguments = "{}") {
  tool_call_part out;
  out.id = {id};
  out.name = {"f"};
  out.arguments = arguments;
  return out;
}
tool_result_part answer(std::string_view id, std::string_view text) {
  tool_result_part out;
  out.call_id = {id};
  out.content.emplace_back(words(text));
  return out;
}
reasoning_part thought(std::string_view text, token_owner owner, std::string_view token) {
  reasoning_part out;
  if (!text.empty()) out.texts.push_back({text});
  if (!token.empty()) out.token = opaque_token{owner, {}, {}, {token}};
  return out;
}
canonical_request chat(std::vector<turn> turns) {
  canonical_request out;
  out.source = wire::openai_chat;
  out.turns = std::move(turns);
  out.max_output_tokens = 9000;
  return out;
}
nlohmann::json json_of(const canonical_request& what, const target_caps& caps = claude()) {
  auto out = nlohmann::json::parse(encoded(what, caps), nullptr, false);
  REQUIRE(!out.is_discarded());
  // Many conversations here begin with the model; what stands before it is not what they are about.
  auto& list = out["messages"];
  if (!list.empty() && list[0]["content"] == ".") list.erase(0);
  return out;
}
std::string messages_of(const canonical_request& what) { return json_of(what)["messages"].dump(); }
lossy_notes lost(const canonical_request& what) {
  auto out = messages::encode_request(what, "m", claude()).lost;
  std::erase(out, rule::first_turn);
  return out;
}

}  // namespace

TEST_CASE("canonical Messages: the smallest request as text") {
  CHECK(encoded(chat({{turn_role::user, {words("hi\\n")}}})) ==
        R"({"model":"m","max_tokens":9000,"messages":[{"role":"user","content":)"
        R"([{"type":"text","text":"hi\n"}]}]})");
}

TEST_CASE("canonical Messages: system text alone is the user's message") {
  canonical_request none = chat({});
  none.max_output_tokens.reset();
  none.system.push_back({{"s"}, system_origin::developer, R"({"type":"ephemeral"})"});
  CHECK(encoded(none) ==
        R"({"model":"m","max_tokens":32000,"messages":[{"role":"user","content":)"
        R"([{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]}]})");
  CHECK(encoded(chat({})) == R"({"model":"m","max_tokens":9000,"messages":[{"role":"user",)"
                             R"("content":[{"type":"text","text":""}]}]})");
}

TEST_CASE("canonical Messages: turns of one side are one message, calls last, results first") {
  const auto made = chat({{turn_role::user, {words("a")}},
                          {turn_role::user, {words("b")}},
                          {turn_role::assistant, {call("1"), words("c")}},
                          {turn_role::assistant, {words(""), call("2", R"({"x":1})")}},
                          {turn_role::user, {words("d")}},
                          {turn_role::tool, {answer("2", "r2")}},
                          {turn_role::tool, {answer("1", "r1")}}});
  CHECK(messages_of(made) ==
        R"([{"content":[{"text":"a","type":"text"},{"text":"b","type":"text"}],"role":"user"},)"
        R"({"content":[{"text":"c","type":"text"},)"
        R"({"id":"1","input":{},"name":"f","type":"tool_use"},)"
        R"({"id":"2","input":{"x":1},"name":"f","type":"tool_use"}],"role":"assistant"},)"
        R"({"content":[{"content":"r2","tool_use_id":"2","type":"tool_result"},)"
        R"({"content":"r1","tool_use_id":"1","type":"tool_result"},)"
        R"({"text":"d","type":"text"}],"role":"user"}])");
}

TEST_CASE("canonical Messages: a result stands right behind its call") {
  const auto made = json_of(chat({{turn_role::assistant, {call("1")}},
                                  {turn_role::user, {words("a")}},
                                  {turn_role::assistant, {words("b")}},
                                  {turn_role::tool, {answer("1", "late")}}}))["messages"];
  REQUIRE(made.size() == 3);
  CHECK(made[1]["content"][0]["content"] == "late");
  CHECK(made[1]["content"][1]["text"] == "a");
}

TEST_CASE("canonical Messages: ids are sanitised alike, unique, and made when missing") {
  const auto made = json_of(chat({{turn_role::assistant, {call("a.b:c"), call("a_b:c"), call("")}},
                                  {turn_role::tool,
                                   {answer("a_b:c", "2"), answer("a.b:c", "1"), answer("", "3")}},
                                  {turn_role::assistant, {call("a.b:c")}},
                                  {turn_role::tool, {answer("a.b:c", "4")}}}))["messages"];
  const auto& calls = made[0]["content"];
  CHECK(calls[0]["id"] == "a_b_c");
  CHECK(calls[1]["id"] == "a_b_c_2");
  CHECK(calls[2]["id"] == "toolu_000000000000000000000002");
  const auto& results = made[1]["content"];
  CHECK(results[0]["tool_use_id"] == "a_b_c_2");
  CHECK(results[1]["tool_use_id"] == "a_b_c");
  CHECK(results[2]["tool_use_id"] == "toolu_000000000000000000000002");
  CHECK(made[2]["content"][0]["id"] == "a_b_c_3");
  CHECK(made[3]["content"][0]["tool_use_id"] == "a_b_c_3");
}

TEST_CASE("canonical Messages: the last of two results counts, at the first one's place") {
  const auto made = chat({{turn_role::assistant, {call("1"), call("2")}},
                          {turn_role::tool, {answer("1", "old"), answer("2", "x")}},
                          {turn_role::tool, {answer("1", "new"), answer("9", "nobody's")}}});
  const auto content = json_of(made)["messages"][1]["content"];
  REQUIRE(content.size() == 2);
  CHECK(content[0]["content"] == "new");
  CHECK(lost(made) == lossy_notes{rule::duplicate_result, rule::orphan_result});
}

TEST_CASE("canonical Messages: arguments are an object or empty") {
  using row = std::tuple<std::string, std::string, bool>;
  const auto [given, expected, noted] = GENERATE(table<std::string, std::string, bool>({
      row{R"({"a": 1})", R"({"a":1})", false},
      row{"", "{}", false},
      row{"null", "{}", false},
      row{"[1]", "{}", true},
      row{"{\"a\":", "{}", true},
      row{"{} x", "{}", true},
      row{"\"text\"", "{}", true},
  }));
  const auto made = chat({{turn_role::assistant, {call("1", given)}}});
  CHECK(json_of(made)["messages"][0]["content"][0]["input"].dump() == expected);
  CHECK(lost(made).empty() == !noted);
}

TEST_CASE("canonical Messages: a custom tool is a function with one input") {
  auto made = chat({{turn_role::assistant, {call("1", R"(raw \"text\")")}}});
  std::get<tool_call_part>(made.turns[0].parts[0]).kind = tool_kind::custom;
  tool custom;
  custom.kind = tool_kind::custom;
  custom.name = {"f"};
  custom.format = "{}";
  made.tools.push_back(custom);
  const auto out = json_of(made);
  CHECK(out["messages"][0]["content"][0]["input"]["input"] == "raw \"text\"");
  CHECK(out["tools"][0]["input_schema"]["required"][0] == "input");
  const auto names = messages::encode_request(made, "m", claude()).names;
  CHECK(names == tool_names{{"f", "f", "", tool_kind::custom}});
}

TEST_CASE("canonical Messages: names of tools, history and choice follow the declarations") {
  auto made = chat({{turn_role::assistant, {call("1")}}});
  std::get<tool_call_part>(made.turns[0].parts[0]).name_space = {"ns"};
  tool one;
  one.name = {"f"};
  one.name_space = {"ns"};
  made.tools = {one, one};
  made.choice = {choice_mode::specific, tool_kind::function, {{"f"}}, {}, false, {}};
  const auto out = json_of(made);
  REQUIRE(out["tools"].size() == 1);
  CHECK(out["tools"][0]["name"] == "ns__f");
  CHECK(out["messages"][0]["content"][0]["name"] == "ns__f");
  CHECK(out["tool_choice"].dump() == R"({"name":"ns__f","type":"tool"})");
}

TEST_CASE("canonical Messages: reasoning goes to its owner only") {
  const auto turns = [](reasoning_part one) {
    return chat({{turn_role::assistant, {std::move(one), words("a")}}});
  };
  const auto kept = json_of(turns(thought("t", token_owner::claude, "S")))["messages"];
  CHECK(kept[0]["content"][0].dump() == R"({"signature":"S","thinking":"t","type":"thinking"})");
  const auto empty = json_of(turns(thought("", token_owner::claude, "S")))["messages"];
  CHECK(empty[0]["content"][0]["thinking"] == "");
  const auto foreign = turns(thought("t", token_owner::gpt, "S"));
  CHECK(json_of(foreign)["messages"][0]["content"].size() == 1);
  CHECK(lost(foreign) == lossy_notes{rule::foreign_reasoning});
  const auto bare = turns(thought("t", token_owner::claude, ""));
  CHECK(json_of(bare)["messages"][0]["content"].size() == 1);
  CHECK(lost(bare) == lossy_notes{rule::unsigned_reasoning});
  auto summary = thought("a", token_owner::claude, "S");
  summary.texts.push_back({"b"});
  CHECK(json_of(turns(summary))["messages"][0]["content"][0]["thinking"] == "a\n\nb");
  target_caps kimi;
  kimi.owner = token_owner::kimi;
  CHECK(json_of(foreign, kimi)["messages"][0]["content"][0].dump() ==
        R"({"thinking":"t","type":"thinking"})");
}

TEST_CASE("canonical Messages: media") {
  using row = std::tuple<media_kind, media_source, std::string>;
  const auto [kind, source, expected] = GENERATE(table<media_kind, media_source, std::string>({
      row{media_kind::image, {{"QQ"}, {"image/jpg"}, {}, {}},
          R"([{"source":{"data":"QQ","media_type":"image/jpeg","type":"base64"},"type":"image"}])"},
      row{media_kind::image, {{}, {}, {"https://a"}, {}},
          R"([{"source":{"type":"url","url":"https://a"},"type":"image"}])"},
      row{media_kind::file, {{"QQ"}, {}, {}, {}},
          R"([{"source":{"data":"QQ","media_type":"application/pdf","type":"base64"},)"
          R"("title":"n","type":"document"}])"},
      row{media_kind::file, {{"aMOk"}, {"text/csv"}, {}, {}},
          "[{\"source\":{\"data\":\"h\xC3\xA4\",\"media_type\":\"text/plain\",\"type\":\"text\"},"
          "\"title\":\"n\",\"type\":\"document\"}]"},
      row{media_kind::file, {{"QQ"}, {"application/zip"}, {}, {}}, ""},
      row{media_kind::image, {{}, {}, {"gs://a"}, {}}, ""},
      row{media_kind::image, {{}, {}, {}, {"file-1"}}, ""},
      row{media_kind::audio, {{"QQ"}, {}, {}, {}}, ""},
      row{media_kind::video, {{}, {}, {"https://a"}, {}}, ""},
  }));
  media_part one;
  one.kind = kind;
  one.source = source;
  one.name = {"n"};
  const auto made = chat({{turn_role::user, {one, words("t")}}});
  auto content = json_of(made)["messages"][0]["content"];
  content.erase(content.size() - 1);
  CHECK((expected.empty() ? content.empty() : content.dump() == expected));
  CHECK(lost(made).empty() == !expected.empty());
}

TEST_CASE("canonical Messages: system text between turns moves to the top for other clients") {
  auto made = chat({{turn_role::user, {words("a")}},
                    {turn_role::inline_system, {words("s")}},
                    {turn_role::user, {words("b")}}});
  made.system.push_back({{"first"}, system_origin::system, {}});
  const auto out = json_of(made);
  CHECK(out["system"].size() == 2);
  CHECK(out["messages"].size() == 1);
  made.source = wire::anthropic_messages;
  CHECK(json_of(made)["messages"][1]["role"] == "system");
}

TEST_CASE("canonical Messages: a schema's root is an object") {
  using row = std::tuple<std::string, std::string, wire>;
  const auto [given, expected, source] = GENERATE(table<std::string, std::string, wire>({
      row{"", R"({"properties":{},"type":"object"})", wire::openai_chat},
      row{"true", R"({"properties":{},"type":"object"})", wire::openai_chat},
      row{R"({"type":"object"})", R"({"type":"object"})", wire::openai_chat},
      row{R"({"properties":{"type":{"type":"string"}}})",
          R"({"properties":{"type":{"type":"string"}},"type":"object"})", wire::openai_chat},
      row{R"({"type":"object","properties":{"anyOf":{}}})",
          R"({"properties":{"anyOf":{}},"type":"object"})", wire::openai_chat},
      row{R"({"anyOf":[{"properties":{"a":{},"b":{}},"required":["a","b"]},)"
          R"({"properties":{"b":{}},"required":["b"]}],"required":["c"]})",
          R"({"properties":{"a":{},"b":{}},"required":["c","b"],"type":"object"})",
          wire::openai_chat},
      row{R"({"type":"object","allOf":[{"required":["a"]},{"required":["b"]}]})",
          R"({"properties":{},"required":["a","b"],"type":"object"})", wire::openai_chat},
      row{R"({"type":"OBJECT","properties":{"type":{"type":"STRING","enum":["STRING"]}}})",
          R"({"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":false,)"
          R"("properties":{"type":{"enum":["STRING"],"type":"string"}},"type":"object"})",
          wire::gemini},
      row{R"({"type":"object","properties":{}})",
          R"({"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":false,)"
          R"("properties":{},"type":"object"})", wire::gemini},
  }));
  auto made = chat({});
  made.source = source;
  tool one;
  one.name = {"f"};
  one.schema = given;
  made.tools.push_back(one);
  CAPTURE(given);
  CHECK(json_of(made)["tools"][0]["input_schema"].dump() == expected);
}

TEST_CASE("canonical Messages: tool_choice") {
  using row = std::tuple<tool_choice, std::optional<bool>, std::string>;
  const auto [choice, parallel, expected] =
      GENERATE(table<tool_choice, std::optional<bool>, std::string>({
          row{{choice_mode::unset, {}, {}, {}, {}, {}}, true, "null"},
          row{{choice_mode::unset, {}, {}, {}, {}, {}}, false,
              R"({"disable_parallel_tool_use":true,"type":"auto"})"},
          row{{choice_mode::automatic, {}, {}, {}, {}, {}}, {}, R"({"type":"auto"})"},
          row{{choice_mode::none, {}, {}, {}, {}, {}}, false, R"({"type":"none"})"},
          row{{choice_mode::required, {}, {}, {}, {}, {}}, {}, R"({"type":"any"})"},
          row{{choice_mode::subset, {}, {{"f"}, {"g"}}, {}, true, {}}, {}, R"({"type":"any"})"},
          row{{choice_mode::subset, {}, {{"f"}}, {}, true, {}}, {}, R"({"name":"f","type":"tool"})"},
      }));
  auto made = chat({});
  made.choice = choice;
  made.parallel_tool_calls = parallel;
  CHECK(json_of(made)["tool_choice"].is_null());
  tool one;
  one.name = {"f"};
  made.tools.push_back(one);
  CHECK(json_of(made)["tool_choice"].dump() == expected);
}

TEST_CASE("canonical Messages: other protocols' web search has its place, other tools have none") {
  auto made = chat({});
  tool search;
  search.kind = tool_kind::server;
  search.server = server_tool::web_search;
  search.json = R"({"type":"web_search","filters":{"allowed_domains":["a.com"]},)"
                R"("user_location":{"type":"approximate","city":"B"}})";
  tool shell = search;
  shell.server = server_tool::code_execution;
  made.tools = {shell, search};
  CHECK(json_of(made)["tools"].dump() ==
        R"([{"allowed_domains":["a.com"],"name":"web_search","type":"web_search_20250305",)"
        R"("user_location":{"city":"B","type":"approximate"}}])");
  CHECK(lost(made) == lossy_notes{rule::server_tool});
}

TEST_CASE("canonical Messages: thinking, effort, format and sampling") {
  const auto tail = [](auto change) {
    auto made = chat({});
    change(made);
    auto out = json_of(made);
    for (const char* known : {"model", "max_tokens", "messages", "tools"}) out.erase(known);
    return out.dump();
  };
  using request = canonical_request;
  CHECK(tail([](request& r) { r.reasoning.mode = reasoning_mode::off; }) ==
        R"({"thinking":{"type":"disabled"}})");
  CHECK(tail([](request& r) {
          r.reasoning.mode = reasoning_mode::level;
          r.reasoning.level = "minimal";
          r.reasoning.summary = "auto";
        }) == R"({"output_config":{"effort":"low"},)"
              R"("thinking":{"display":"summarized","type":"adaptive"}})");
  CHECK(tail([](request& r) {
          r.reasoning.mode = reasoning_mode::budget;
          r.reasoning.budget = 64000;
          r.sampling.temperature = "0.5";
          r.sampling.top_k = "3";
        }) == R"({"thinking":{"budget_tokens":8999,"type":"enabled"}})");
  CHECK(tail([](request& r) {
          r.reasoning.mode = reasoning_mode::automatic;
          r.choice.mode = choice_mode::required;
          r.tools.emplace_back().name = {"f"};
        }) == R"({"tool_choice":{"type":"any"}})");
  CHECK(tail([](request& r) {
          r.sampling.temperature = "1.5";
          r.sampling.top_p = "0.9";
        }) == R"({"temperature":1})");
  CHECK(tail([](request& r) {
          r.sampling.top_p = "0.9";
          r.sampling.top_k = "3";
          r.stop = {{"a"}, {"\\n"}};
        }) == R"({"stop_sequences":["a"],"top_k":3,"top_p":0.9})");
  CHECK(tail([](request& r) {
          r.format.kind = format_kind::json_schema;
          r.format.schema = R"({"type":"object"})";
          r.end_user = {"u"};
          r.service_tier = {"priority"};
        }) == R"({"metadata":{"user_id":"u"},"output_config":{"format":)"
              R"({"schema":{"additionalProperties":false,"type":"object"},"type":"json_schema"}},)"
              R"("speed":"fast"})");
}

TEST_CASE("canonical Messages: a tool loop without own thinking goes on without a budget") {
  const auto own = thought("t", token_owner::claude, "tok");
  const auto foreign = thought("t", token_owner::gpt, "tok");
  const auto looped = [](std::vector<part> said, reasoning_mode mode) {
    auto made = chat({{turn_role::user, {words("u")}},
                      {turn_role::assistant, std::move(said)},
                      {turn_role::tool, {answer("a", "r")}}});
    made.reasoning.mode = mode;
    made.reasoning.budget = 2048;
    return made;
  };
  const auto budget = reasoning_mode::budget;
  CHECK(json_of(looped({own, call("a")}, budget)).contains("thinking"));
  CHECK_FALSE(json_of(looped({foreign, call("a")}, budget)).contains("thinking"));
  CHECK_FALSE(json_of(looped({words("w"), call("a")}, budget)).contains("thinking"));
  CHECK(json_of(looped({foreign, call("a")}, reasoning_mode::automatic)).contains("thinking"));
  const auto notes = lost(looped({call("a")}, budget));
  CHECK(std::ranges::count(notes, "messages.thinking_in_loop") == 1);
  auto answered = looped({call("a")}, budget);
  answered.turns.push_back({turn_role::assistant, {words("done")}});
  answered.turns.push_back({turn_role::user, {words("next")}});
  CHECK(json_of(answered).contains("thinking"));
}

TEST_CASE("canonical Messages: what has no spelling is noted, each once") {
  auto made = chat({{turn_role::assistant, {words("x"), unknown_part{"a", "{}"}}}});
  made.sampling.seed = "1";
  made.sampling.n = "2";
  made.sampling.presence_penalty = "1";
  made.sampling.frequency_penalty = "1";
  made.format.kind = format_kind::json_object;
  made.cache.key = {"k"};
  made.service_tier = {"flex"};
  CHECK(lost(made) == lossy_notes{rule::unknown_part, rule::json_object, rule::service_tier,
                                  rule::n, rule::penalties, rule::seed, rule::cache_hints});
}

TEST_CASE("canonical Messages: what it decodes it spells again") {
  const std::string more = GENERATE(
      R"("system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}])",
      R"("thinking":{"type":"enabled","budget_tokens":50,"display":"omitted"})",
      R"("thinking":{"type":"adaptive"},"output_config":{"effort":"xhigh","format":)"
      R"({"type":"json_schema","schema":{"type":"object"}}})",
      R"("temperature":0.25,"top_k":7,"stop_sequences":["a"],"stream":true,"speed":"fast")",
      R"("top_p":0.5,"metadata":{"user_id":"u"},"service_tier":"standard_only")",
      R"("tools":[{"name":"f","description":"d","input_schema":{"type":"object"},"strict":false,)"
      R"("cache_control":{"type":"ephemeral"}},{"type":"bash_20250124","name":"bash"}],)"
      R"("tool_choice":{"type":"tool","name":"bash","disable_parallel_tool_use":true})");
  const std::string body = body_of(
      R"({"role":"user","content":[{"type":"text","text":"q",)"
      R"("cache_control":{"type":"ephemeral"}},)"
      R"({"type":"image","source":{"type":"url","url":"https://a"}},)"
      R"({"type":"document","source":{"type":"file","file_id":"f"},"title":"t"}]},)"
      R"({"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":")" +
          std::string{claude_signature} +
          R"("},{"type":"redacted_thinking","data":"d"},)"
          R"({"type":"server_tool_use","id":"srv","name":"web_search","input":{"query":"q"}},)"
          R"({"type":"web_search_tool_result","tool_use_id":"srv","content":[]},)"
          R"({"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"f","input":{"x":[]}},)"
          R"({"type":"tool_use","id":"t2","name":"f","input":{}}]},)"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r",)"
          R"("is_error":true},{"type":"tool_result","tool_use_id":"t2","content":[)"
          R"({"type":"text","text":"x"},{"type":"image","source":{"type":"base64",)"
          R"("media_type":"image/png","data":"Q"}}]},{"type":"text","text":"go"}]},)"
          R"({"role":"system","content":[{"type":"text","text":"mid"}]},)"
          R"({"role":"assistant","content":[{"type":"text","text":"{"}]})",
      more);
  const auto first = messages::decode_request(body, "m");
  REQUIRE(first.has_value());
  const auto out = messages::encode_request(*first, "m", claude());
  CAPTURE(out.body);
  CHECK(out.lost.empty());
  CHECK(out.names.empty());
  const std::string again = padded(out.body);
  const auto second = messages::decode_request(again, "m");
  REQUIRE(second.has_value());
  CHECK(first->turns == second->turns);
  CHECK(first->tools == second->tools);
  CHECK(same(*first, *second));
}

TEST_CASE("canonical Messages: any conversation becomes one that the protocol accepts") {
  rc::check("sides alternate, each result answers a call of the message before", [] {
    std::vector<turn> turns;
    const auto kinds = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
    for (const int kind : kinds) {
      static constexpr std::string_view ids[] = {"a", "a.", "b", ""};
      const auto id = ids[*rc::gen::inRange(0, 4)];
      switch (kind) {
        case 0: turns.push_back({turn_role::user, {words("u")}}); break;
        case 1: turns.push_back({turn_role::assistant, {words("")}}); break;
        case 2: turns.push_back({turn_role::assistant, {words("a"), call(id)}}); break;
        case 3: turns.push_back({turn_role::assistant, {call(id), call("c")}}); break;
        case 4: turns.push_back({turn_role::inline_system, {words("s")}}); break;
        default: turns.push_back({turn_role::tool, {answer(id, "r"), answer("c", "r")}}); break;
      }
    }
    auto made = chat(std::move(turns));
    made.source = *rc::gen::element(wire::openai_chat, wire::anthropic_messages);
    const auto out = json_of(made)["messages"];
    std::set<std::string> known;
    for (std::size_t i = 0; i < out.size(); ++i) {
      RC_ASSERT(!out[i]["content"].empty());
      if (i > 0) RC_ASSERT(out[i]["role"] != out[i - 1]["role"]);
      std::set<std::string> asked;
      if (i > 0) {
        for (const auto& block : out[i - 1]["content"]) {
          if (block["type"] == "tool_use") asked.insert(block["id"].get<std::string>());
        }
      }
      for (const auto& block : out[i]["content"]) {
        if (block["type"] == "tool_use") {
          RC_ASSERT(known.insert(block["id"].get<std::string>()).second);
        }
        if (block["type"] == "tool_result") {
          RC_ASSERT(asked.erase(block["tool_use_id"].get<std::string>()) == 1);
        }
      }
    }
  });
}

TEST_CASE("canonical Messages: a chosen tool has the name of its declaration, namespace included") {
  auto made = chat({{turn_role::user, {words("q")}}});
  for (const std::string_view space : {"files", ""}) {
    tool one;
    one.name = {"open"};
    one.name_space = {space};
    made.tools.push_back(one);
  }
  made.choice.mode = choice_mode::specific;
  made.choice.names = {{"open"}};
  made.choice.name_space = {"files"};
  CHECK(json_of(made)["tool_choice"]["name"] == "files__open");
  made.choice.name_space = {};
  CHECK(json_of(made)["tool_choice"]["name"] == "open");
}

TEST_CASE("canonical Messages: no budget for thinking while calls without a thought are answered") {
  auto made = chat({{turn_role::user, {words("q")}},
                    {turn_role::assistant, {call("1")}},
                    {turn_role::tool, {answer("1", "r")}}});
  made.reasoning.mode = reasoning_mode::budget;
  made.reasoning.budget = 2048;
  CHECK_FALSE(json_of(made).contains("thinking"));
  CHECK(lost(made) == lossy_notes{rule::thinking_in_loop});
  auto later = made;
  later.turns.push_back({turn_role::assistant, {words("a")}});
  later.turns.push_back({turn_role::user, {words("q")}});
  CHECK(json_of(later)["thinking"]["type"] == "enabled");
  made.turns[1].parts.insert(made.turns[1].parts.begin(),
                             thought("t", token_owner::claude, claude_signature));
  CHECK(json_of(made)["thinking"]["type"] == "enabled");
}

TEST_CASE("canonical Messages: the caller's user_id comes before the user") {
  auto made = chat({{turn_role::user, {words("q")}}});
  made.end_user = {"u"};
  CHECK(json_of(made)["metadata"]["user_id"] == "u");
  made.metadata = R"({"user_id":"m"})";
  CHECK(json_of(made)["metadata"]["user_id"] == "m");
}
