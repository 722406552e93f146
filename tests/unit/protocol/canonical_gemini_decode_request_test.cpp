#include "tests/unit/protocol/canonical_gemini_maker.hpp"

using namespace gemini_test;

namespace {

const std::string own_token = "EgsKCQEAAAAAAAAAAAA=";

template <class Part>
const Part& part_at(const canonical_request& request, std::size_t turn, std::size_t part) {
  REQUIRE(request.turns.size() > turn);
  REQUIRE(request.turns[turn].parts.size() > part);
  const auto* found = std::get_if<Part>(&request.turns[turn].parts[part]);
  REQUIRE(found != nullptr);
  return *found;
}

std::string contents(std::string_view list) {
  return R"({"contents":[)" + std::string{list} + "]}";
}

}  // namespace

TEST_CASE("canonical Gemini: the model comes from the URL and streaming from the caller") {
  const auto read = decode(R"({"contents":[{"role":"user","parts":[{"text":"hi\n"}]}]})");
  CHECK(read.request.source == wire::gemini);
  CHECK(read.request.model.escaped == model);
  CHECK_FALSE(read.request.stream);
  CHECK(part_at<text_part>(read.request, 0, 0).text.escaped == R"(hi\n)");
}

TEST_CASE("canonical Gemini: a system instruction is a list of texts in either spelling") {
  const auto key = GENERATE(as<std::string>{}, "systemInstruction", "system_instruction");
  const auto read = decode("{\"" + key + R"(":{"parts":[{"text":"a"},{"text":"b"}]}})");
  REQUIRE(read.request.system.size() == 2);
  CHECK(read.request.system[1].text.escaped == "b");
  CHECK(decode("{\"" + key + R"(":"plain"})").request.system[0].text.escaped == "plain");
}

TEST_CASE("canonical Gemini: roles that are missing take turns, calls and results name their own") {
  const auto read = decode(contents(R"({"parts":[{"text":"a"}]},{"parts":[{"text":"b"}]},
      {"role":"odd","parts":[{"text":"c"}]},{"parts":[{"functionCall":{"name":"f"}}]},
      {"parts":[{"functionResponse":{"name":"f","response":{}}}]})"));
  std::vector<turn_role> roles;
  for (const auto& turn : read.request.turns) roles.push_back(turn.role);
  CHECK(roles == std::vector{turn_role::user, turn_role::assistant, turn_role::user,
                             turn_role::assistant, turn_role::tool});
}

TEST_CASE("canonical Gemini: thoughts, signatures and texts") {
  const auto read = decode(contents(R"({"role":"model","parts":[
      {"text":"think","thought":true,"thoughtSignature":")" +
                                    own_token + R"("},
      {"text":"say","thought_signature":"x"},{"text":"","thoughtSignature":"y"},{"text":""},
      {"functionCall":{"name":"f"},"thoughtSignature":"skip_thought_signature_validator"}]})"));
  const auto& thought = part_at<reasoning_part>(read.request, 0, 0);
  CHECK(thought.texts == std::vector<raw_text>{{"think"}});
  CHECK(thought.token->owner == token_owner::gemini);
  CHECK(part_at<text_part>(read.request, 0, 1).signature->bytes.escaped == "x");
  CHECK(part_at<text_part>(read.request, 0, 1).signature->owner == token_owner::unknown);
  CHECK(part_at<reasoning_part>(read.request, 0, 2).token->bytes.escaped == "y");
  CHECK_FALSE(part_at<tool_call_part>(read.request, 0, 3).signature.has_value());
}

TEST_CASE("canonical Gemini: whose token it is shows in its form") {
  const auto [token, owner] = GENERATE(table<std::string, token_owner>({
      {"gAAAAABo", token_owner::gpt},
      {"EgsKCQEAAAAAAAAAAAA=", token_owner::gemini},
      {"EvkBCkYIBxgCKkDlrC8mNk5PqwOnTc4Y2lWx5dUt1cAJ6r3Qv7H0bEoGxZsXkFpM", token_owner::claude},
      {"EvkB", token_owner::unknown},
      {"zzz", token_owner::unknown},
  }));
  const auto read = decode(
      contents(R"({"role":"model","parts":[{"text":"a","thoughtSignature":")" + token + "\"}]}"));
  CHECK(part_at<text_part>(read.request, 0, 0).signature->owner == owner);
}

TEST_CASE("canonical Gemini: media are sorted by their MIME type") {
  const auto [mime, kind] = GENERATE(table<std::string, media_kind>({
      {"image/png", media_kind::image},
      {"audio/wav", media_kind::audio},
      {"video/mp4", media_kind::video},
      {"application/pdf", media_kind::file},
  }));
  const auto read = decode(contents(R"({"role":"user","parts":[
      {"inlineData":{"mimeType":")" +
                                    mime + R"(","data":"QQ=="}},
      {"file_data":{"mime_type":")" +
                                    mime + R"(","file_uri":"gs://b/o"}}]})"));
  const auto& inline_media = part_at<media_part>(read.request, 0, 0);
  CHECK(inline_media.kind == kind);
  CHECK(inline_media.source.base64.escaped == "QQ==");
  const auto& stored = part_at<media_part>(read.request, 0, 1);
  CHECK(stored.kind == kind);
  CHECK(stored.source.url.escaped == "gs://b/o");
}

TEST_CASE("canonical Gemini: a response is a text, an error, a list or an object") {
  const auto read = decode(contents(R"({"role":"user","parts":[
      {"functionResponse":{"id":"1","name":"f","response":{"result":"t"}}},
      {"functionResponse":{"id":"2","name":"f","response":{"error":"e"}}},
      {"functionResponse":{"id":"3","name":"f","response":{"output":[1, 2]}}},
      {"functionResponse":{"id":"4","name":"f","response":{"a":1,"b":{"c":[]}}}},
      {"inlineData":{"mimeType":"image/png","data":"QQ=="}},
      {"functionResponse":{"id":"5","name":"f","response":{}}}]})"));
  CHECK(read.request.turns[0].role == turn_role::tool);
  CHECK(part_at<tool_result_part>(read.request, 0, 0).content ==
        std::vector<result_content>{text("t")});
  CHECK(part_at<tool_result_part>(read.request, 0, 1).is_error);
  CHECK(part_at<tool_result_part>(read.request, 0, 2).json == "[1, 2]");
  const auto& object = part_at<tool_result_part>(read.request, 0, 3);
  CHECK(object.json == R"({"a":1,"b":{"c":[]}})");
  REQUIRE(object.content.size() == 2);
  CHECK(object.content[0] == result_content{text(R"({\"a\":1,\"b\":{\"c\":[]}})")});
  CHECK(part_at<tool_result_part>(read.request, 0, 4).content.empty());
}

TEST_CASE(
    "canonical Gemini: calls without ids get the same ids each time, and results find them by "
    "name") {
  const std::string history = R"({"role":"model","parts":[
      {"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"g"}},
      {"functionCall":{"name":"f","args":{"a":1}}}]},
      {"role":"function","parts":[{"functionResponse":{"name":"f","response":{"result":"1"}}},
      {"functionResponse":{"name":"f","response":{"result":"2"}}},
      {"functionResponse":{"name":"unknown","response":{"result":"3"}}}]})";
  const auto read = decode(contents(history));
  const auto longer = decode(contents(history + R"(,{"role":"model","parts":[{"text":"x"}]})"));
  const auto id = [](const decoded& from, std::size_t at) {
    return std::string{part_at<tool_call_part>(from.request, 0, at).id.escaped};
  };
  const auto answered = [&](std::size_t at) {
    return std::string{part_at<tool_result_part>(read.request, 1, at).call_id.escaped};
  };
  CHECK(id(read, 0).size() == 29);
  CHECK(id(read, 0).starts_with("call_"));
  CHECK(id(read, 0) != id(read, 2));
  CHECK(id(read, 2) == id(longer, 2));
  CHECK(answered(0) == id(read, 0));
  CHECK(answered(1) == id(read, 2));
  CHECK(answered(2) == id(read, 1));
  CHECK(part_at<tool_result_part>(read.request, 1, 2).name.escaped == "g");
}

TEST_CASE("canonical Gemini: explicit ids take their calls before names do") {
  const auto read = decode(contents(R"({"role":"model","parts":[
      {"functionCall":{"id":"a","name":"f"}},{"functionCall":{"id":"b","name":"f"}}]},
      {"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}},
      {"functionResponse":{"id":"a","name":"f","response":{}}},
      {"functionResponse":{"name":"f","response":{}}}]})"));
  CHECK(part_at<tool_result_part>(read.request, 1, 0).call_id.escaped == "b");
  CHECK(part_at<tool_result_part>(read.request, 1, 1).call_id.escaped == "a");
  CHECK(part_at<tool_result_part>(read.request, 1, 2).call_id.escaped.starts_with("call_"));
}

TEST_CASE("canonical Gemini: calls of an earlier round are not answered later") {
  const auto read = decode(contents(R"({"role":"model","parts":[{"functionCall":{"name":"f"}},
      {"functionCall":{"name":"f"}}]},
      {"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]},
      {"role":"model","parts":[{"functionCall":{"name":"f"}}]},
      {"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]})"));
  CHECK(part_at<tool_result_part>(read.request, 3, 0).call_id ==
        part_at<tool_call_part>(read.request, 2, 0).id);
}

TEST_CASE("canonical Gemini: tools and their choice") {
  const auto read = decode(R"({"tools":[{"functionDeclarations":[
      {"name":"f","description":"d","parameters":{"type":"OBJECT","properties":{"OBJECT":
        {"type":"STRING","nullable":true},"n":{"type":"INTEGER","minimum":1}}}},
      {"name":"g","parametersJsonSchema":{"type":"object", "title":"STRING"}}]},
      {"google_search":{}},{"codeExecution":{},"urlContext":{}},{"googleMaps":{"a":1}}],
      "toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}})");
  const auto& tools = read.request.tools;
  REQUIRE(tools.size() == 6);
  CHECK(tools[0].schema == R"({"type":"object","properties":{"OBJECT":{"type":["string","null"]},)"
                           R"("n":{"type":"integer","minimum":1}}})");
  CHECK(tools[1].schema == R"({"type":"object", "title":"STRING"})");
  CHECK(tools[2].server == server_tool::web_search);
  CHECK(tools[3].server == server_tool::code_execution);
  CHECK(tools[4].server == server_tool::url_context);
  CHECK(tools[5].server == server_tool::other);
  CHECK(tools[5].json == R"({"a":1})");
  CHECK(read.request.choice.mode == choice_mode::specific);
  CHECK(read.request.choice.names == std::vector<raw_text>{{"f"}});
}

TEST_CASE("canonical Gemini: every calling mode has a meaning") {
  struct row {
    std::string config;
    choice_mode mode;
    bool required;
  };
  const auto [config, mode, required] = GENERATE(values<row>({
      {R"("mode":"AUTO")", choice_mode::automatic, false},
      {R"("mode":"auto")", choice_mode::automatic, false},
      {R"("mode":"NONE")", choice_mode::none, false},
      {R"("mode":"ANY")", choice_mode::required, false},
      {R"("allowed_function_names":["a","b"],"mode":"ANY")", choice_mode::subset, true},
      {R"("mode":"VALIDATED","allowedFunctionNames":["a"])", choice_mode::subset, false},
      {R"("mode":"MODE_UNSPECIFIED")", choice_mode::unset, false},
      {R"("mode":null)", choice_mode::unset, false},
  }));
  const auto read = decode(R"({"tool_config":{"function_calling_config":{)" + config + "}}}");
  CHECK(read.request.choice.mode == mode);
  CHECK(read.request.choice.subset_required == required);
}

TEST_CASE("canonical Gemini: the generation config, with numbers as they were written") {
  const auto read = decode(R"({"generationConfig":{"maxOutputTokens":100,"stopSequences":["a"],
      "temperature":0.70,"topP":1e-1,"top_k":40,"candidateCount":2,"seed":7,"presencePenalty":0.1,
      "frequency_penalty":0.2,"responseLogprobs":true,"logprobs":3,"responseModalities":["TEXT",
      "IMAGE"]},"cachedContent":"cachedContents/x","labels":{"k":"v"},"service_tier":"standard"})");
  const auto& got = read.request;
  CHECK(got.max_output_tokens == 100);
  CHECK(got.stop == std::vector<raw_text>{{"a"}});
  CHECK(got.sampling == sampling{"0.70", "1e-1", "40", "2", "0.2", "0.1", "7", "true", "3"});
  CHECK(got.out_modalities == std::vector<raw_text>{{"text"}, {"image"}});
  CHECK(got.cache.key.escaped == "cachedContents/x");
  CHECK(got.metadata == R"({"k":"v"})");
  CHECK(got.service_tier.escaped == "default");
}

TEST_CASE("canonical Gemini: thinking is off, dynamic, a budget or a level") {
  struct row {
    std::string config;
    reasoning_mode mode;
    std::string level;
    std::int64_t budget;
  };
  const auto [config, mode, level, budget] = GENERATE(values<row>({
      {R"("thinkingBudget":0)", reasoning_mode::off, "", 0},
      {R"("thinkingBudget":-1)", reasoning_mode::automatic, "", 0},
      {R"("thinking_budget":512)", reasoning_mode::budget, "", 512},
      {R"("thinkingLevel":"HIGH")", reasoning_mode::level, "high", 0},
      {R"("thinking_level":"minimal")", reasoning_mode::level, "minimal", 0},
      {R"("includeThoughts":true)", reasoning_mode::unset, "", 0},
      {R"("thinkingBudget":null)", reasoning_mode::unset, "", 0},
  }));
  const auto read = decode(R"({"generationConfig":{"thinkingConfig":{)" + config + "}}}");
  CHECK(read.request.reasoning.mode == mode);
  CHECK(read.request.reasoning.level == level);
  CHECK(read.request.reasoning.budget == budget);
  CHECK(read.request.reasoning.show_thoughts ==
        (mode == reasoning_mode::unset && config.find("include") != std::string::npos));
}

TEST_CASE("canonical Gemini: structured output in both dialects") {
  const auto json = decode(R"({"generationConfig":{"responseMimeType":"application/json"}})");
  CHECK(json.request.format.kind == format_kind::json_object);
  const auto google = decode(R"({"generationConfig":{"responseMimeType":"application/json",
      "responseSchema":{"type":"ARRAY","items":{"type":"STRING"},"minItems":"2"}}})");
  CHECK(google.request.format.kind == format_kind::json_schema);
  CHECK(google.request.format.schema ==
        R"({"type":"array","items":{"type":"string"},"minItems":2})");
  const auto own = decode(R"({"generation_config":{"response_json_schema":{"type":"object" }}})");
  CHECK(own.request.format.schema == R"({"type":"object" })");
}

TEST_CASE("canonical Gemini: a member of a wrong type is named") {
  const auto [json, wrong] = GENERATE(table<std::string, std::string>({
      {"[]", "the body must be a JSON object"},
      {"", "the body must be a JSON object"},
      {R"({"contents":7})", "contents must be an array"},
      {R"({"contents":[1]})", "contents[0] must be an object"},
      {R"({"contents":[{"role":1}]})", "contents[0].role must be a string"},
      {R"({"contents":[{},{"parts":[{},{"text":7}]}]})",
       "contents[1].parts[1].text must be a string"},
      {R"({"contents":[{"parts":[{"functionCall":{"name":"f","args":[]}}]}]})",
       "contents[0].parts[0].functionCall.args must be an object"},
      {R"({"contents":[{"parts":[{"functionCall":{}}]}]})",
       "contents[0].parts[0].functionCall.name is missing"},
      {R"({"contents":[{"parts":[{"inlineData":{"data":"AAAA"}}]}]})",
       "contents[0].parts[0].inlineData.mimeType is missing"},
      {R"({"tools":[{"functionDeclarations":[{"description":"d"}]}]})",
       "tools[0].functionDeclarations[0].name is missing"},
      {R"({"generationConfig":{"maxOutputTokens":"9.5"}})",
       "generationConfig.maxOutputTokens must be a whole number"},
      {R"({"generationConfig":{"stopSequences":["a",1]}})",
       "generationConfig.stopSequences[1] must be a string"},
      {R"({"generationConfig":{"thinkingConfig":{"thinkingBudget":-2}}})",
       "generationConfig.thinkingConfig.thinkingBudget must be -1, 0 or a number of tokens"},
      {R"({"generationConfig":{"thinkingConfig":{"thinkingLevel":"odd"}}})",
       "generationConfig.thinkingConfig.thinkingLevel is no level of thinking"},
      {R"({"systemInstruction":7})", "systemInstruction must be an object"},
      {R"({"contents":[)", "the body must be a JSON object"},
  }));
  CAPTURE(json);
  CHECK(refusal_of(json) == wrong);
}

TEST_CASE("canonical Gemini: unknown members are passed over, unknown parts are kept") {
  const auto read = decode(R"({"safetySettings":[{"x":1}],"odd":[[[]]],"contents":[{"role":"model",
      "parts":[{"executableCode":{"code":"1"},"mediaResolution":{"level":"x"}}],"odd":{}}]})");
  const auto& unknown = part_at<unknown_part>(read.request, 0, 0);
  CHECK(unknown.type == "executableCode");
  CHECK(unknown.json == R"({"code":"1"})");
}

TEST_CASE("canonical Gemini: no body makes the decoder read past it or throw") {
  const std::string whole = R"({"systemInstruction":{"parts":[{"text":"a\u00e9"}]},"contents":[
      {"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":[1,{"b":null}]}}}]},
      {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"x"}}},
      {"inlineData":{"mimeType":"image/png","data":"QQ=="}}]}],"tools":[{"functionDeclarations":[
      {"name":"f","parameters":{"type":"OBJECT"}}]}],"generationConfig":{"topK":1}})";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const bool all = size == whole.size();
    CHECK(gemini_codec.decode_request(padded(whole.substr(0, size)), model).has_value() == all);
    std::string broken = padded(whole);
    if (!all) broken[size] = '}';
    (void)gemini_codec.decode_request(broken, model);
  }
  CHECK(refusal_of(std::string(100'000, '[')) == "the body must be a JSON object");
  (void)refusal_of(R"({"contents":)" + std::string(100'000, '['));
}

TEST_CASE("canonical Gemini: the pieces of a streamed thought are one thought") {
  const auto read = decode(contents(
      R"({"role":"model","parts":[{"text":"a\n","thought":true},{"text":"b","thought":true},)"
      R"({"text":"","thought":true,"thoughtSignature":")" + own_token + R"("},{"text":"c"}]})"));
  REQUIRE(read.request.turns[0].parts.size() == 2);
  const auto& thought = part_at<reasoning_part>(read.request, 0, 0);
  CHECK(thought.texts == std::vector<raw_text>{{R"(a\nb)"}});
  CHECK(thought.token->bytes.escaped == own_token);
}

TEST_CASE("canonical Gemini: a file that was given to Google is no URL for others") {
  constexpr std::string_view uri = "https://generativelanguage.googleapis.com/v1beta/files/a";
  const auto read = decode(contents(R"({"role":"user","parts":[{"fileData":{"fileUri":")" +
                                    std::string{uri} + R"("}}]})"));
  const auto& source = part_at<media_part>(read.request, 0, 0).source;
  CHECK(source.file_id.escaped == uri);
  CHECK(source.url.empty());
}
