#include "tests/unit/protocol/canonical_gemini_maker.hpp"

using namespace gemini_test;

namespace {

canonical_request from(wire source, std::vector<turn> turns) {
  canonical_request out;
  out.source = source;
  out.turns = std::move(turns);
  return out;
}

canonical_request chat(std::vector<turn> turns) {
  return from(wire::openai_chat, std::move(turns));
}

std::string contents_of(const canonical_request& what) {
  const std::string body = encode(what).body;
  const std::string head = R"({"contents":[)";
  REQUIRE(body.starts_with(head));
  return body.substr(head.size(), body.size() - head.size() - 2);
}

std::string config_of(const canonical_request& what) {
  const std::string body = encode(what).body;
  const auto at = body.find(R"("generationConfig":)");
  return at == std::string::npos ? "" : body.substr(at + 19, body.size() - at - 20);
}

tool function(std::string_view name, std::string_view schema = {}) {
  tool out;
  out.name = {name};
  out.schema = schema;
  return out;
}

const turn hello = said(turn_role::user, {text("hi")});
constexpr std::string_view first_user = R"({"role":"user","parts":[{"text":"hi"}]})";

bool lost(const encoded_request& out, std::string_view rule) {
  return std::ranges::find(out.lost, rule) != out.lost.end();
}

}  // namespace

TEST_CASE("canonical Gemini: to Gemini: a small request in full") {
  canonical_request what = chat({hello, said(turn_role::assistant, {text("yo")}), hello});
  what.system = {{{"be"}, system_origin::system, {}},
                 {{"x-anthropic-billing-header: y"}, system_origin::system, {}},
                 {{"nice"}, system_origin::developer, {}}};
  what.tools = {function("f", R"({"type":"object","properties":{}})"), function("f"),
                function("g")};
  what.choice.mode = choice_mode::required;
  what.max_output_tokens = 9;
  what.stop = {{"a"}, {""}, {"b"}};
  what.sampling.temperature = "0.5";
  CHECK(encode(what).body ==
        R"({"systemInstruction":{"parts":[{"text":"be"},{"text":"nice"}]},)"
        R"("contents":[{"role":"user","parts":[{"text":"hi"}]},)"
        R"({"role":"model","parts":[{"text":"yo"}]},{"role":"user","parts":[{"text":"hi"}]}],)"
        R"("tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":)"
        R"({"type":"object","properties":{}}},{"name":"g"}]}],)"
        R"("toolConfig":{"functionCallingConfig":{"mode":"ANY"}},)"
        R"("generationConfig":{"maxOutputTokens":9,"stopSequences":["a","b"],"temperature":0.5}})");
}

TEST_CASE(
    "canonical Gemini: to Gemini: the first turn is the user's, empty texts and turns are left "
    "out") {
  CHECK(contents_of(chat({})) == R"({"role":"user","parts":[{"text":""}]})");
  CHECK(contents_of(chat(
            {said(turn_role::assistant, {text("a")}), said(turn_role::user, {text("")}), hello})) ==
        R"({"role":"user","parts":[{"text":"."}]},{"role":"model","parts":[{"text":"a"}]},)" +
            std::string{first_user});
}

TEST_CASE("canonical Gemini: to Gemini: nothing but turns of the model leaves an empty user") {
  target_caps claude;
  claude.owner = token_owner::claude;
  const auto a = said(turn_role::assistant, {text("a")});
  for (const auto& what : {chat({a}), chat({a, a})}) {
    const auto out = gemini_codec.encode_request(what, "claude-sonnet-4-5", claude);
    CHECK(out.body == R"({"contents":[{"role":"user","parts":[{"text":""}]}]})");
    CHECK(lost(out, "gemini.prefill"));
  }
  auto with_system = chat({a});
  with_system.system = {{{"be"}, system_origin::system, {}}};
  CHECK(gemini_codec.encode_request(with_system, "claude-sonnet-4-5", claude).body ==
        R"({"systemInstruction":{"parts":[{"text":"be"}]},)"
        R"("contents":[{"role":"user","parts":[{"text":""}]}]})");
}

TEST_CASE("canonical Gemini: to Gemini: Claude's models there may begin") {
  const auto what = chat({said(turn_role::assistant, {text("a")}), hello});
  target_caps caps;
  caps.owner = token_owner::claude;
  const auto out = gemini_codec.encode_request(what, "claude-sonnet-4-5", caps);
  CHECK(out.body.starts_with(R"({"contents":[{"role":"model","parts":[{"text":"a"}]},)"));
  CHECK_FALSE(lost(out, "gemini.first_turn"));
}

TEST_CASE(
    "canonical Gemini: to Gemini: a turn of the model at the end is dropped unless it calls") {
  const auto prefilled = encode(chat({hello, said(turn_role::assistant, {text("a")})}));
  CHECK(prefilled.body == R"({"contents":[)" + std::string{first_user} + "]}");
  CHECK(lost(prefilled, "gemini.prefill"));
  auto what = chat({hello, said(turn_role::assistant, {call("1", "f", "{}")})});
  CHECK(contents_of(what).find("functionCall") != std::string::npos);
  what.source = wire::anthropic_messages;
  CHECK(contents_of(what) == first_user);
}

TEST_CASE(
    "canonical Gemini: to Gemini: results follow their calls in call order, the last one of each") {
  const auto what = chat({hello, said(turn_role::assistant, {call("1", "f", R"({"a": 1})")}),
                          said(turn_role::assistant, {text("t"), call("2", "g", "")}),
                          said(turn_role::tool, {answer("2", "two")}),
                          said(turn_role::tool, {answer("1", "old")}), hello,
                          said(turn_role::tool, {answer("1", "one")})});
  CHECK(contents_of(what) ==
        std::string{first_user} +
            R"(,{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a": 1}},)"
            R"("thoughtSignature":"skip_thought_signature_validator"},{"text":"t"},)"
            R"({"functionCall":{"id":"2","name":"g","args":{}}}]},)"
            R"({"role":"user","parts":[{"functionResponse":{"id":"1","name":"f",)"
            R"("response":{"result":"one"}}},{"functionResponse":{"id":"2","name":"g",)"
            R"("response":{"result":"two"}}}]},)" +
            std::string{first_user});
  CHECK(lost(encode(what), "gemini.repeated_result"));
}

TEST_CASE("canonical Gemini: to Gemini: what a result says") {
  const auto spelled = [](tool_result_part result) {
    result.call_id = {"f-1-2"};
    const std::string all = contents_of(chat(
        {said(turn_role::assistant, {call("f-1-2", "f", "{}")}), said(turn_role::tool, {result})}));
    const std::string head =
        R"({"role":"user","parts":[{"functionResponse":{"id":"f-1-2","name":"f",)";
    const auto at = all.find(head);
    REQUIRE(at != std::string::npos);
    return all.substr(at + head.size(), all.size() - at - head.size() - 2);
  };
  tool_result_part empty;
  CHECK(spelled(empty) == R"("response":{"result":""}}})");
  tool_result_part object;
  object.json = R"({"a":1})";
  CHECK(spelled(object) == R"("response":{"a":1}}})");
  tool_result_part list;
  list.json = "[1]";
  CHECK(spelled(list) == R"("response":{"result":[1]}}})");
  tool_result_part several;
  several.content = {text("a"), text("b")};
  CHECK(spelled(several) == R"("response":{"result":["a","b"]}}})");
  tool_result_part error;
  error.is_error = true;
  error.content = {text("e")};
  CHECK(spelled(error) == R"("response":{"error":"e"}}})");
  media_part image;
  image.source.base64 = {"QQ=="};
  tool_result_part seen;
  seen.content = {text("a"), image};
  CHECK(spelled(seen) == R"("response":{"result":"a"}}},)"
                         R"({"inlineData":{"mimeType":"image/png","data":"QQ=="}})");
}

TEST_CASE("canonical Gemini: to Gemini: arguments are an object") {
  const auto [args, out] = GENERATE(table<std::string, std::string>({
      {"", "{}"},
      {"null", "{}"},
      {"[1]", "{}"},
      {R"({"a":)", "{}"},
      {R"( {"a":1} )", R"( {"a":1} )"},
  }));
  const auto body = contents_of(chat({hello, said(turn_role::assistant, {call("", "f", args)})}));
  CHECK(body.find(R"("functionCall":{"name":"f","args":)" + out + "}") != std::string::npos);
}

TEST_CASE("canonical Gemini: to Gemini: custom tools are functions with one input") {
  auto made = call("1", "patch", R"(a\nb)");
  made.kind = tool_kind::custom;
  auto what = chat({hello, said(turn_role::assistant, {made})});
  tool custom = function("patch");
  custom.kind = tool_kind::custom;
  what.tools = {custom};
  const auto out = encode(what);
  CHECK(out.body.find(R"("args":{"input":"a\nb"})") != std::string::npos);
  CHECK(out.body.find(R"("properties":{"input":{"type":"string"}},"required":["input"])") !=
        std::string::npos);
  CHECK(out.names == tool_names{{"patch", "patch", "", tool_kind::custom}});
}

TEST_CASE("canonical Gemini: to Gemini: names follow Google's rules everywhere") {
  auto what = chat({hello, said(turn_role::assistant, {call("1", "1 ä/b", "{}")})});
  tool spaced = function("list");
  spaced.name_space = {"files"};
  what.tools = {function("1 ä/b"), spaced, function("a.b:c-d")};
  what.choice.mode = choice_mode::subset;
  what.choice.names = {{"1 ä/b"}, {"list"}, {"gone"}};
  const auto out = encode(what);
  CHECK(out.body.find(R"("functionCall":{"id":"1","name":"_1____b")") != std::string::npos);
  CHECK(out.body.find(R"({"mode":"VALIDATED","allowedFunctionNames":["_1____b","files__list"]})") !=
        std::string::npos);
  CHECK(out.body.find(R"("name":"a.b:c-d")") != std::string::npos);
  CHECK(out.names.size() == 2);
}

TEST_CASE("canonical Gemini: to Gemini: every tool choice") {
  struct row {
    choice_mode mode;
    bool required;
    std::string config;
  };
  const auto [mode, required, config] = GENERATE(values<row>({
      {choice_mode::unset, false, ""},
      {choice_mode::automatic, false, R"({"mode":"AUTO"})"},
      {choice_mode::none, false, R"({"mode":"NONE"})"},
      {choice_mode::required, false, R"({"mode":"ANY"})"},
      {choice_mode::specific, false, R"({"mode":"ANY","allowedFunctionNames":["f"]})"},
      {choice_mode::subset, true, R"({"mode":"ANY","allowedFunctionNames":["f"]})"},
  }));
  auto what = chat({hello});
  what.choice.mode = mode;
  what.choice.names = {{"f"}};
  what.choice.subset_required = required;
  CHECK(encode(what).body.find("toolConfig") == std::string::npos);
  what.tools = {function("f")};
  const auto body = encode(what).body;
  CHECK((body.find("toolConfig") == std::string::npos) == config.empty());
  CHECK(body.find(config) != std::string::npos);
}

TEST_CASE("canonical Gemini: to Gemini: built-in tools stand alone") {
  auto what = chat({hello});
  tool search;
  search.kind = tool_kind::server;
  search.server = server_tool::web_search;
  search.name = {"web_search"};
  search.json = R"({"type":"web_search"})";
  what.tools = {search};
  CHECK(encode(what).body.find(R"("tools":[{"googleSearch":{}}])") != std::string::npos);
  what.tools.push_back(function("f"));
  CHECK(encode(what).body.find("googleSearch") == std::string::npos);
  CHECK(lost(encode(what), "gemini.server_tool"));
  search.server = server_tool::image_generation;
  what.tools = {search};
  CHECK(encode(what).body == R"({"contents":[)" + std::string{first_user} + "]}");
}

TEST_CASE("canonical Gemini: to Gemini: a choice of none and other models exclude built-in tools") {
  auto what = from(wire::anthropic_messages, {hello});
  tool search;
  search.kind = tool_kind::server;
  search.server = server_tool::web_search;
  search.json = R"({"type":"web_search_20250305","name":"web_search"})";
  what.tools = {search};
  target_caps claude;
  claude.owner = token_owner::claude;
  const auto for_claude = gemini_codec.encode_request(what, "m", claude);
  CHECK(for_claude.body.find("tools") == std::string::npos);
  CHECK(lost(for_claude, "gemini.server_tool"));
  what.choice.mode = choice_mode::none;
  CHECK(encode(what).body.find("tool") == std::string::npos);
  CHECK(lost(encode(what), "gemini.server_tool"));
}

TEST_CASE("canonical Gemini: to Gemini: limits of a search are lost by name") {
  const auto [limits, loses] = GENERATE(table<std::string, bool>({
      {R"("allowed_domains":["x"])", true},
      {R"("blocked_domains":["x"])", true},
      {R"("filters":{"allowed_domains":["x"]})", true},
      {R"("max_uses":3)", true},
      {R"("user_location":{"type":"approximate"})", true},
      {R"("allowed_domains":[],"filters":{},"max_uses":null)", false},
      {R"("search_context_size":"low")", false},
  }));
  auto what = from(wire::anthropic_messages, {hello});
  tool search;
  search.kind = tool_kind::server;
  search.server = server_tool::web_search;
  const std::string json = R"({"type":"web_search",)" + limits + "}";
  search.json = json;
  what.tools = {search};
  CAPTURE(limits);
  CHECK(lost(encode(what), "gemini.search_limits") == loses);
  CHECK(encode(what).body.find(R"({"googleSearch":{}})") != std::string::npos);
}

TEST_CASE(
    "canonical Gemini: to Gemini: foreign tokens give way to the sentinel on the first call "
    "alone") {
  reasoning_part thought;
  thought.texts = {{"a"}, {"b"}};
  thought.token = opaque_token{token_owner::claude, {}, {}, {"Eabc"}};
  reasoning_part redacted;
  redacted.redacted = true;
  redacted.token = thought.token;
  auto own = call("2", "g", "{}");
  own.signature = opaque_token{token_owner::gemini, {}, {}, {"own"}};
  const auto what =
      chat({hello, said(turn_role::assistant,
                        {thought, redacted, call("1", "f", "{}"), own, call("3", "h", "{}")})});
  const auto out = encode(what);
  CHECK(out.body.find(R"({"text":"a\n\nb","thought":true},{"functionCall":{"id":"1","name":"f",)"
                      R"("args":{}},"thoughtSignature":"skip_thought_signature_validator"})") !=
        std::string::npos);
  CHECK(out.body.find(R"("args":{}},"thoughtSignature":"own"})") != std::string::npos);
  CHECK(out.body.find(R"({"functionCall":{"id":"3","name":"h","args":{}}})") != std::string::npos);
  CHECK(out.body.find("Eabc") == std::string::npos);
  CHECK(lost(out, "gemini.foreign_token"));
  target_caps claude;
  claude.owner = token_owner::claude;
  CHECK(gemini_codec.encode_request(what, "claude", claude).body.find("skip_") ==
        std::string::npos);
}

TEST_CASE("canonical Gemini: to Gemini: a token that points to its neighbour goes there") {
  reasoning_part carrier;
  carrier.token =
      opaque_token{token_owner::gemini, token_bind::next, token_target::function, {"n"}};
  reasoning_part behind;
  behind.token = opaque_token{token_owner::gemini, token_bind::previous, token_target::any, {"p"}};
  const auto what = chat({hello, said(turn_role::assistant, {text("a"), behind, carrier, text("b"),
                                                             call("1", "f", "{}")})});
  CHECK(contents_of(what) ==
        std::string{first_user} +
            R"(,{"role":"model","parts":[{"text":"a","thoughtSignature":"p"},{"text":"b"},)"
            R"({"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"n"}]})");
}

TEST_CASE(
    "canonical Gemini: to Gemini: media are data or a URI, system text in the middle is a "
    "reminder") {
  media_part stored;
  stored.kind = media_kind::image;
  stored.source.url = {"https://h/i.png"};
  media_part sound;
  sound.kind = media_kind::audio;
  sound.format = {"mp3"};
  sound.source.base64 = {"QQ=="};
  media_part file;
  file.source.file_id = {"file-1"};
  const auto out = encode(chat({said(turn_role::user, {stored, sound, file}),
                                said(turn_role::inline_system, {text("now")})}));
  CHECK(out.body ==
        R"({"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"https://h/i.png"}},)"
        R"({"inlineData":{"mimeType":"audio/mp3","data":"QQ=="}}]},{"role":"user","parts":[)"
        R"({"text":"<system-reminder>\nnow\n</system-reminder>"}]}]})");
  CHECK(lost(out, "gemini.file_id"));
  target_caps blind;
  blind.images = false;
  CHECK(gemini_codec.encode_request(chat({said(turn_role::user, {stored}), hello}), model, blind)
            .body == R"({"contents":[)" + std::string{first_user} + "]}");
}

TEST_CASE("canonical Gemini: to Gemini: thinking is a level or a budget, as it was fitted") {
  struct row {
    reasoning_wish wish;
    std::string config;
  };
  const auto [wish, config] = GENERATE(values<row>({
      {{.mode = reasoning_mode::level, .level = "high"},
       R"({"thinkingLevel":"high","includeThoughts":true})"},
      {{.mode = reasoning_mode::budget, .budget = 1024},
       R"({"thinkingBudget":1024,"includeThoughts":true})"},
      {{.mode = reasoning_mode::budget, .budget = 128, .summary = "none"},
       R"({"thinkingBudget":128,"includeThoughts":false})"},
      {{.mode = reasoning_mode::off}, R"({"thinkingBudget":0,"includeThoughts":false})"},
      {{.mode = reasoning_mode::automatic}, R"({"thinkingBudget":-1,"includeThoughts":true})"},
      {{.mode = reasoning_mode::level, .level = "low", .from_suffix = true},
       R"({"thinkingLevel":"low"})"},
  }));
  auto what = chat({hello});
  what.reasoning = wish;
  CHECK(config_of(what) == R"({"thinkingConfig":)" + config + "}");
}

TEST_CASE("canonical Gemini: to Gemini: a result without its call is dropped") {
  const auto what = chat({hello, said(turn_role::tool, {answer("1", "nobody asked")})});
  CHECK(contents_of(what) == first_user);
  CHECK(lost(encode(what), "gemini.orphan_result"));
}

TEST_CASE("canonical Gemini: to Gemini: formats, sampling and what is lost") {
  auto what = chat({hello});
  what.format.kind = format_kind::json_schema;
  what.format.schema = R"({"type":"object","additionalProperties":false})";
  what.sampling = {"1", "0.9", "5", "2", "0.1", "0.2", "3", "true", "4"};
  what.out_modalities = {{"text"}, {"image"}};
  what.stop = {{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}};
  what.metadata = "{}";
  what.end_user = {"u"};
  what.parallel_tool_calls = false;
  what.cache.key = {"k"};
  what.service_tier = {"priority"};
  what.previous_response_id = {"r"};
  CHECK(config_of(what) ==
        R"({"stopSequences":["1","2","3","4","5"],"temperature":1,"topP":0.9,"topK":5,)"
        R"("seed":3,"presencePenalty":0.2,"frequencyPenalty":0.1,)"
        R"("responseLogprobs":true,"logprobs":4,"responseMimeType":"application/json",)"
        R"("responseJsonSchema":{"type":"object","additionalProperties":false},)"
        R"("responseModalities":["TEXT","IMAGE"]})");
  const auto rules = encode(what).lost;
  CHECK(rules == lossy_notes{"gemini.parallel_tool_calls", "gemini.stop", "gemini.n",
                             "gemini.cache_key", "gemini.metadata", "gemini.service_tier", "gemini.end_user",
                             "gemini.previous_response_id"});
}

TEST_CASE("canonical Gemini: from Gemini to Gemini says the same again") {
  const std::string whole =
      R"({"systemInstruction":{"parts":[{"text":"s"}]},"contents":[)"
      R"({"role":"user","parts":[{"text":"q\u00e9"},{"inlineData":{"mimeType":"image/png","data":"QQ=="}},)"
      R"({"fileData":{"mimeType":"video/mp4","fileUri":"gs://b/v"}}]},)"
      R"({"role":"model","parts":[{"text":"th","thought":true,"thoughtSignature":"EgsKCQEAAAAAAAAAAAA="},)"
      R"({"text":"a"},{"functionCall":{"id":"1","name":"f","args":{"x":[1, 2]}},"thoughtSignature":"sig"},)"
      R"({"functionCall":{"id":"2","name":"g","args":{}}},{"executableCode":{"code":"1"}}]},)"
      R"({"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"result":"r"}}},)"
      R"({"inlineData":{"mimeType":"image/png","data":"QQ=="}},)"
      R"({"functionResponse":{"id":"2","name":"g","response":{"error":"e"}}}]}],)"
      R"("tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":)"
      R"({"type":"object","properties":{}}}]},{"googleSearch":{"a":1}}],)"
      R"("toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}},)"
      R"("generationConfig":{"maxOutputTokens":5,"stopSequences":["x"],"temperature":0.50,)"
      R"("responseMimeType":"application/json","responseJsonSchema":{"type":"object"},)"
      R"("responseModalities":["TEXT"],"thinkingConfig":{"thinkingBudget":7,"includeThoughts":true}},)"
      R"("cachedContent":"cachedContents/1","labels":{"k":"v"},"service_tier":"standard"})";
  CHECK(recoded(whole) == whole);
  CHECK(encode(decode(whole).request).lost.empty());
}

TEST_CASE("canonical Gemini: decoding what was encoded gives the same request") {
  auto what = from(wire::gemini,
                   {hello, said(turn_role::assistant, {text("a"), call("1", "f", R"({"a":1})")}),
                    said(turn_role::tool, {answer("1", "r")}), hello});
  std::get<tool_result_part>(what.turns[2].parts[0]).name = {"f"};
  what.tools = {function("f", R"({"type":"object","properties":{}})")};
  what.choice.mode = choice_mode::automatic;
  what.reasoning = {reasoning_mode::level, "low", 0, "auto", false, true};
  const std::string body = padded(encode(what).body);
  const auto back = gemini_codec.decode_request(body, model);
  REQUIRE(back);
  CHECK(back->turns == what.turns);
  CHECK(back->tools == what.tools);
  CHECK(back->choice == what.choice);
  CHECK(back->reasoning == what.reasoning);
}

TEST_CASE("canonical Gemini: to Gemini: system text alone is the user's turn") {
  auto what = chat({});
  what.system = {{{"be"}, system_origin::system, {}}};
  CHECK(encode(what).body == R"({"contents":[{"role":"user","parts":[{"text":"be"}]}]})");
  CHECK(lost(encode(what), "gemini.system_alone"));
}

TEST_CASE("canonical Gemini: to Gemini: thoughts of Messages without a token are dropped") {
  reasoning_part thought;
  thought.texts.push_back({"t"});
  const std::vector<turn> turns{hello, said(turn_role::assistant, {thought, text("a")}), hello};
  CHECK(lost(encode(from(wire::anthropic_messages, turns)), "gemini.unsigned_reasoning"));
  CHECK(encode(chat(turns)).lost.empty());
}
