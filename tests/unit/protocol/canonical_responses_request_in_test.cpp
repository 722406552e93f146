#include "tests/support/catch.hpp"
#include "tests/unit/protocol/canonical_responses_rig.hpp"

using namespace tidegate;
using namespace tidegate::protocol;
using tidegate::test::decoded;

namespace {

std::string with_input(const std::string& items) {
  return R"({"model":"m","input":[)" + items + "]}";
}

std::string problem_of(const std::string& body) {
  const decoded got(body);
  return got.what ? "" : got.what.error().detail;
}

template <class Part>
const Part& part_at(const canonical_request& what, std::size_t turn, std::size_t index) {
  REQUIRE(turn < what.turns.size());
  REQUIRE(index < what.turns[turn].parts.size());
  REQUIRE(std::holds_alternative<Part>(what.turns[turn].parts[index]));
  return std::get<Part>(what.turns[turn].parts[index]);
}

}  // namespace

TEST_CASE("responses: a string input is one user turn, instructions the system prompt") {
  const decoded got(R"({"input":"hi \"you\"","instructions":"be\nbrief","model":"gpt-5"})");
  REQUIRE(got.what);
  CHECK(got->source == wire::openai_responses);
  CHECK(got->model.escaped == "gpt-5");
  REQUIRE(got->system.size() == 1);
  CHECK(got->system[0].origin == system_origin::instructions);
  CHECK(plain(got->system[0].text) == "be\nbrief");
  CHECK(got->turns.at(0).role == turn_role::user);
  CHECK(part_at<text_part>(*got, 0, 0).text.escaped == R"(hi \"you\")");
}

TEST_CASE("responses: a request without a model has the one of its route") {
  CHECK(decoded(R"({"input":"x"})")->model.escaped == "m");
}

TEST_CASE("responses: a body without padding behind it is read all the same") {
  std::string body = R"({"model":"x","input":[{"role":"user","content":"abc"}]})";
  body.shrink_to_fit();
  const auto got = responses::decode_request(body, "m");
  REQUIRE(got);
  CHECK(got->turns.size() == 1);
}

TEST_CASE("responses: system text leads or keeps its place") {
  const decoded got(with_input(
      R"({"type":"message","role":"developer","content":[{"type":"input_text","text":"a"},)"
      R"({"type":"input_image","image_url":"http://x"}],"cache_control":{"type":"ephemeral"}},)"
      R"({"role":"system","content":"b"},{"role":"user","content":"c"},)"
      R"({"role":"developer","content":"d"},{"role":"user","content":"e"})"));
  REQUIRE(got.what);
  REQUIRE(got->system.size() == 3);
  CHECK(got->system[0].origin == system_origin::developer);
  CHECK(got->system[1].text.escaped == "[image]");
  CHECK(got->system[2].origin == system_origin::system);
  REQUIRE(got->turns.size() == 3);
  CHECK(got->turns[1].role == turn_role::inline_system);
  CHECK(part_at<text_part>(*got, 1, 0).text.escaped == "d");
}

TEST_CASE("responses: what the model did between two others is one turn") {
  const decoded got(with_input(
      R"({"role":"user","content":"q"},)"
      R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s1"},)"
      R"({"type":"summary_text","text":"s2"}],"content":[{"type":"reasoning_text","text":"c"}]},)"
      R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"t",)"
      R"("annotations":[{"type":"url_citation","url":"u","title":"w","start_index":0,)"
      R"("end_index":1}]},{"type":"refusal","refusal":"no"}]},)"
      R"({"type":"function_call","id":"fc_1","call_id":"c1","name":"f","namespace":"ns",)"
      R"("arguments":"{\"a\":\"\\n\"}"},)"
      R"({"type":"custom_tool_call","call_id":"c2","name":"g","input":"x\ny"},)"
      R"({"type":"function_call_output","call_id":"c1","output":"r"},)"
      R"({"call_id":"c2","output":"","type":"custom_tool_call_output"})"));
  REQUIRE(got.what);
  REQUIRE(got->turns.size() == 3);
  const auto& thought = part_at<reasoning_part>(*got, 1, 0);
  CHECK(thought.summary);
  CHECK(thought.texts == std::vector<raw_text>{{"s1"}, {"s2"}});
  CHECK(part_at<text_part>(*got, 1, 1).citations == std::vector<citation>{{{"u"}, {"w"}, 0, 1}});
  CHECK(part_at<refusal_part>(*got, 1, 2).text.escaped == "no");
  const auto& call = part_at<tool_call_part>(*got, 1, 3);
  CHECK(call.arguments == R"({"a":"\n"})");
  CHECK(call.name_space.escaped == "ns");
  CHECK(part_at<tool_call_part>(*got, 1, 4).arguments == R"(x\ny)");
  CHECK(got->turns[2].role == turn_role::tool);
  CHECK(part_at<tool_result_part>(*got, 2, 0).content.size() == 1);
  CHECK(part_at<tool_result_part>(*got, 2, 1).kind == tool_kind::custom);
  CHECK(part_at<tool_result_part>(*got, 2, 1).content.empty());
}

TEST_CASE("responses: a token in encrypted_content has an owner") {
  struct row {
    std::string text;
    token_owner owner;
    bool redacted;
    std::string bytes;
  };
  const auto one = GENERATE(
      as<row>{}, row{test::gpt_token(), token_owner::gpt, false, test::gpt_token()},
      row{"gAAAAshort", token_owner::unknown, false, "gAAAAshort"},
      row{"claude-redacted-thinking:abc", token_owner::claude, true, "abc"},
      row{"EgoKCAECAwQFBgcICQ==", token_owner::claude, false, "EgoKCAECAwQFBgcICQ=="},
      row{"cpa-gemini-responses-carrier-v1:next:function:QUJD", token_owner::gemini, false, "QUJD"},
      row{"c29tZXRoaW5nIG9wYXF1ZQ", token_owner::unknown, false, "c29tZXRoaW5nIG9wYXF1ZQ"});
  const decoded got(
      with_input(R"({"type":"reasoning","summary":[],"encrypted_content":")" + one.text + "\"}"));
  REQUIRE(got.what);
  const auto& thought = part_at<reasoning_part>(*got, 0, 0);
  REQUIRE(thought.token);
  CHECK(thought.token->owner == one.owner);
  CHECK(thought.redacted == one.redacted);
  CHECK(thought.token->bytes.escaped == one.bytes);
}

TEST_CASE("responses: a carried signature returns to its neighbour") {
  const std::string call = R"({"type":"function_call","call_id":"c","name":"f","arguments":"{}"})";
  const auto carrier = [](const std::string& where) {
    return R"({"type":"reasoning","summary":[],"encrypted_content":)"
           R"("cpa-gemini-responses-carrier-v1:)" +
           where + R"(:QUJD"})";
  };
  const decoded before(with_input(carrier("next:function") + "," + call));
  CHECK(part_at<tool_call_part>(*before, 0, 0).signature->bytes.escaped == "QUJD");
  const decoded behind(with_input(call + "," + carrier("previous:function")));
  CHECK(part_at<tool_call_part>(*behind, 0, 0).signature->owner == token_owner::gemini);
  CHECK(behind->turns[0].parts.size() == 1);
  const decoded alone(with_input(carrier("standalone:any") + "," + call));
  CHECK(part_at<reasoning_part>(*alone, 0, 0).token->bind == token_bind::standalone);
}

TEST_CASE("responses: media come from data URLs, URLs and file ids") {
  const decoded got(with_input(
      R"({"role":"user","content":[)"
      R"({"type":"input_image","image_url":"data:image\/png;x=1;base64,QUJD","detail":"low"},)"
      R"({"type":"input_image","image_url":{"url":"https://h/i.png"}},)"
      R"({"type":"input_image","file_id":"file_1"},)"
      R"({"type":"input_file","filename":"a.pdf","file_data":"JVBERi0"},)"
      R"({"type":"input_file","file_url":"https://h/a"},)"
      R"({"type":"input_audio","input_audio":{"data":"QQ","format":"mp3"}},)"
      R"({"type":"input_image","image_url":"data:text/plain,hi"},)"
      R"({"type":"input_video","video":1}]})"));
  REQUIRE(got.what);
  const auto& inline_image = part_at<media_part>(*got, 0, 0);
  CHECK(inline_image.source.mime.escaped == "image/png");
  CHECK(inline_image.source.base64.escaped == "QUJD");
  CHECK(inline_image.detail.escaped == "low");
  CHECK(part_at<media_part>(*got, 0, 1).source.url.escaped == "https://h/i.png");
  CHECK(part_at<media_part>(*got, 0, 2).source.file_id.escaped == "file_1");
  CHECK(part_at<media_part>(*got, 0, 3).source.mime.escaped == "application/pdf");
  CHECK(part_at<media_part>(*got, 0, 4).source.url.escaped == "https://h/a");
  CHECK(part_at<media_part>(*got, 0, 5).kind == media_kind::audio);
  CHECK(part_at<media_part>(*got, 0, 6).source.url.escaped == "data:text/plain,hi");
  CHECK(part_at<unknown_part>(*got, 0, 7).json == R"({"type":"input_video","video":1})");
}

TEST_CASE("responses: an output is text, parts or any JSON") {
  const auto output = [](const std::string& json) {
    return decoded(
        with_input(R"({"type":"function_call_output","call_id":"c","output":)" + json + "}"));
  };
  const auto parts = output(R"([{"type":"input_text","text":"a"},)"
                            R"({"type":"input_image","image_url":"data:image/png;base64,QQ"}])");
  CHECK(part_at<tool_result_part>(*parts, 0, 0).content.size() == 2);
  for (const std::string json :
       {R"({"a":[1]})", "[1,2]", R"([{"type":"text","text":"a"},{"b":1}])", "12", "true"}) {
    CAPTURE(json);
    const auto other = output(json);
    REQUIRE(other.what);
    CHECK(part_at<tool_result_part>(*other, 0, 0).content.empty());
    CHECK(part_at<tool_result_part>(*other, 0, 0).json == json);
  }
  CHECK(part_at<tool_result_part>(*output("null"), 0, 0).json.empty());
}

TEST_CASE("responses: items of its own are kept as they are") {
  const std::string search = R"({"type":"web_search_call","id":"ws","action":{"type":"search"}})";
  const std::string shell = R"({"type":"local_shell_call_output","call_id":"c","output":"o"})";
  const decoded got(with_input(search + " , " + shell));
  REQUIRE(got.what);
  CHECK(part_at<unknown_part>(*got, 0, 0) == unknown_part{"web_search_call", search});
  CHECK(got->turns[1].role == turn_role::tool);
  CHECK(part_at<unknown_part>(*got, 1, 0).json == shell);
}

TEST_CASE("responses: tools of every kind; the nearest declaration of a name wins") {
  const decoded got(
      R"({"input":[{"type":"additional_tools","tools":[{"type":"function","name":"f"},)"
      R"({"type":"function","name":"late"},{"type":"function","name":"ns__h"}]}],)"
      R"("tools":[{"type":"namespace","description":"d","tools":[{"type":"function","name":"h",)"
      R"("parameters":{"type":"object"}},{"type":"custom","name":"g"}],"name":"ns"},)"
      R"({"type":"function","name":"f","description":"D","strict":true,)"
      R"("parameters":{"type":"object","properties":{"type":{"type":"string"}}}},)"
      R"({"type":"custom","name":"f","format":{"type":"text"}},)"
      R"({"type":"function","name":"ns__g"},{"type":"custom","name":"ns__g"},)"
      R"({"type":"web_search_preview"},{"type":"image_generation"},{"type":"mcp","x":1}]})");
  REQUIRE(got.what);
  const auto& tools = got->tools;
  REQUIRE(tools.size() == 9);
  CHECK(tools[0].name.escaped == "h");
  CHECK(tools[0].name_space.escaped == "ns");
  CHECK(tools[0].json.starts_with(R"({"type":"function","name":"h")"));
  CHECK(tools[1].description.escaped == "D");
  CHECK(tools[1].strict == true);
  CHECK(tools[1].schema == R"({"type":"object","properties":{"type":{"type":"string"}}})");
  CHECK(tools[2].kind == tool_kind::custom);
  CHECK(tools[2].format == R"({"type":"text"})");
  CHECK(tools[3].name.escaped == "ns__g");
  CHECK(tools[4].kind == tool_kind::custom);
  CHECK(tools[5].server == server_tool::web_search);
  CHECK(tools[6].server == server_tool::image_generation);
  CHECK(tools[7].server == server_tool::other);
  CHECK(tools[7].json == R"({"type":"mcp","x":1})");
  CHECK(tools[8].name.escaped == "late");
}

TEST_CASE("responses: the tool choice") {
  struct row {
    std::string json;
    choice_mode mode;
    std::string name;
    std::string name_space;
  };
  const auto one = GENERATE(
      as<row>{}, row{R"("auto")", choice_mode::automatic, "", ""},
      row{R"("none")", choice_mode::none, "", ""},
      row{R"("required")", choice_mode::required, "", ""}, row{"null", choice_mode::unset, "", ""},
      row{R"({"type":"function","name":"f"})", choice_mode::specific, "f", ""},
      row{R"({"type":"function","name":"h"})", choice_mode::specific, "h", "ns"},
      row{R"({"name":"ns__h","type":"function"})", choice_mode::specific, "h", "ns"},
      row{R"({"type":"function","name":"h","namespace":"ns"})", choice_mode::specific, "h", "ns"},
      row{R"({"type":"custom","name":"g"})", choice_mode::specific, "g", ""},
      row{R"({"type":"web_search"})", choice_mode::specific, "web_search", ""},
      row{R"({"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"}]})",
          choice_mode::subset, "f", ""});
  CAPTURE(one.json);
  const decoded got(R"({"tool_choice":)" + one.json +
                    R"(,"tools":[{"type":"function","name":"f"},{"type":"namespace","name":"ns",)"
                    R"("tools":[{"type":"function","name":"h"}]}]})");
  REQUIRE(got.what);
  CHECK(got->choice.mode == one.mode);
  CHECK(got->choice.name_space.escaped == one.name_space);
  if (one.name.empty()) {
    CHECK(got->choice.names.empty());
  } else {
    REQUIRE(got->choice.names.size() == 1);
    CHECK(got->choice.names[0].escaped == one.name);
  }
}

TEST_CASE("responses: settings") {
  const decoded got(
      R"({"stream":true,"store":false,"parallel_tool_calls":false,"max_output_tokens":77,)"
      R"("temperature":0.10,"top_p":1,"top_logprobs":3,"service_tier":"flex",)"
      R"("prompt_cache_key":"k","prompt_cache_retention":"24h","metadata":{"a":"b"},)"
      R"("safety_identifier":"s","user":"u","previous_response_id":"resp_1",)"
      R"("include":["reasoning.encrypted_content","x"],)"
      R"("reasoning":{"effort":"high","summary":"auto"},)"
      R"("text":{"verbosity":"low","format":{"type":"json_schema","name":"n","strict":true,)"
      R"("schema":{"type":"object"},"description":"d"}},"truncation":"auto","x":{}})");
  REQUIRE(got.what);
  CHECK(got->stream);
  CHECK(got->store == false);
  CHECK(got->parallel_tool_calls == false);
  CHECK(got->max_output_tokens == 77);
  CHECK(got->sampling.temperature == "0.10");
  CHECK(got->sampling.top_p == "1");
  CHECK(got->sampling.top_logprobs == "3");
  CHECK(got->service_tier.escaped == "flex");
  CHECK(got->cache == cache_hints{{"k"}, {"24h"}});
  CHECK(got->metadata == R"({"a":"b"})");
  CHECK(got->end_user.escaped == "u");
  CHECK(got->previous_response_id.escaped == "resp_1");
  CHECK(got->reasoning.want_encrypted);
  CHECK(got->reasoning.mode == reasoning_mode::level);
  CHECK(got->reasoning.level == "high");
  CHECK(got->reasoning.summary == "auto");
  CHECK(
      got->format ==
      response_format{format_kind::json_schema, {"n"}, {"d"}, R"({"type":"object"})", true, "low"});
  CHECK(decoded(R"({"reasoning":{"effort":"none"}})")->reasoning.mode == reasoning_mode::off);
  CHECK(decoded(R"({"reasoning":null,"text":null,"tools":null,"input":null})").what);
}

TEST_CASE("responses: a wrong type is told with its path") {
  struct row {
    std::string body;
    std::string problem;
  };
  const auto one = GENERATE(
      as<row>{}, row{"[]", "request: expected a JSON object"},
      row{R"({"input":7})", "input: expected a string or an array"},
      row{R"({"input":[7]})", "input[0]: expected an item"},
      row{R"({"input":[{"role":"user","content":"a"},{"role":"user","content":[{"type":)"
          R"("input_text","text":7}]}]})",
          "input[1].content[0].text: expected a string"},
      row{R"({"input":[{"role":"robot","content":"a"}]})",
          "input[0].role: expected user, assistant, system or developer"},
      row{R"({"input":[{"type":"function_call","call_id":"c"}]})", "input[0].name: is missing"},
      row{R"({"input":[{"type":"function_call_output"}]})", "input[0].call_id: is missing"},
      row{R"({"input":[{"role":"user","content":[{"text":"a"}]}]})",
          "input[0].content[0].type: is missing"},
      row{R"({"tools":{}})", "tools: expected an array"},
      row{R"({"tools":[{"type":"function"}]})", "tools[0].name: is missing"},
      row{R"({"tools":[{"type":"function","name":"f","parameters":"x"}]})",
          "tools[0].parameters: expected an object"},
      row{R"({"tools":[{"type":"namespace","name":"a","tools":[{"type":"namespace"}]}]})",
          "tools[0].tools[0]: a namespace in a namespace"},
      row{R"({"tool_choice":"perhaps"})",
          "tool_choice: expected auto, none, required or an object"},
      row{R"({"max_output_tokens":1.5})", "max_output_tokens: expected a whole number"},
      row{R"({"stream":"yes"})", "stream: expected true or false"},
      row{R"({"temperature":"hot"})", "temperature: expected a number"},
      row{R"({"text":{"format":{"type":"xml"}}})",
          "text.format.type: expected text, json_object or json_schema"},
      row{R"({"reasoning":{"effort":3}})", "reasoning.effort: expected a string"});
  CHECK(problem_of(one.body) == one.problem);
}

TEST_CASE("responses: a request cut anywhere is refused") {
  const std::string whole =
      R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"a\n"}]},)"
      R"({"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"},)"
      R"({"type":"function_call_output","call_id":"c","output":[{"type":"input_text"}]}],)"
      R"("tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]}]})";
  REQUIRE(decoded(whole).what);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK_FALSE(decoded(whole.substr(0, cut)).what);
  }
  CHECK_FALSE(decoded(std::string(5000, '[')).what);
  CHECK_FALSE(decoded(R"({"input":)" + std::string(5000, '[')).what);
}
