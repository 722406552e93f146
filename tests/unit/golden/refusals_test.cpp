/// What providers and clients would refuse or take for something else, one test each.

#include <nlohmann/json.hpp>

#include "protocol/canonical/call_check.hpp"
#include "tests/unit/golden/translate.hpp"

namespace tidegate::golden {
namespace {

using nlohmann::json;

const side& chat = sides()[0];
const side& responses = sides()[1];
const side& messages = sides()[2];
const side& gemini = sides()[3];

struct sent {
  json body;
  protocol::lossy_notes lost;

  bool drops(std::string_view rule) const { return std::ranges::find(lost, rule) != lost.end(); }
};

sent ask(const side& client, const side& provider, std::string_view text, bool openai = false) {
  const auto request = decode(client, text);
  INFO(text);
  if (!request.what) FAIL(request.what.error().detail);
  protocol::target_caps caps;
  caps.owner = openai ? protocol::token_owner::gpt : provider.owner;
  auto made = provider.codec.encode_request(*request.what, provider.model, caps);
  sent out{json::parse(made.body), std::move(made.lost)};
  for (const auto rule : request.what->unsaid) out.lost.push_back(rule);
  return out;
}

std::string chat_call(std::string_view arguments) {
  std::string out = R"({"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":)";
  out.append(R"({"name":"delete","arguments":)").append(arguments);
  return out + R"(}}]},"finish_reason":"tool_calls"}]})";
}

/// What is wrong with the calls of an answer; empty = nothing.
std::string call_fault(std::string_view body) {
  const auto events = chat.codec.decode_answer(padded(body), {});
  REQUIRE(events);
  protocol::call_check check;
  for (const auto& one : *events) {
    if (const auto wrong = check.check(one)) return *wrong;
  }
  return {};
}

constexpr std::string_view chat_hi = R"("messages":[{"role":"user","content":"hi"}])";
constexpr std::string_view messages_hi =
    R"("max_tokens":99,"messages":[{"role":"user","content":"hi"}])";
constexpr std::string_view gemini_hi = R"("contents":[{"parts":[{"text":"hi"}]}])";

std::string with(std::string_view conversation, std::string_view more) {
  return "{" + std::string{conversation}.append(more.empty() ? "" : ",").append(more) + "}";
}

}  // namespace

TEST_CASE("OpenAI's Chat gets its own word for the limit, four stops and no top_k") {
  const auto text = with(messages_hi, R"("top_k":3,"stop_sequences":["a","b","c","d","e"])");
  const auto own = ask(messages, chat, text, true);
  CHECK(own.body["max_completion_tokens"] == 99);
  CHECK_FALSE(own.body.contains("max_tokens"));
  CHECK(own.body["stop"].size() == 4);
  CHECK_FALSE(own.body.contains("top_k"));
  CHECK(own.drops("chat.stop"));
  CHECK(own.drops("chat.top_k"));
  const auto other = ask(messages, chat, text);
  CHECK(other.body["max_tokens"] == 99);
  CHECK(other.body["stop"].size() == 5);
  CHECK(other.body["top_k"] == 3);
}

TEST_CASE("OpenAI's Chat gets metadata with what it keeps, and the wish for log probabilities") {
  const auto text = R"({"input":"hi","top_logprobs":2,"metadata":{"a":"b"}})";
  const auto made = ask(responses, chat, text, true);
  CHECK(made.body["logprobs"] == true);
  CHECK(made.body["top_logprobs"] == 2);
  CHECK_FALSE(made.body.contains("metadata"));
  CHECK(made.drops("chat.metadata"));
  const auto kept =
      ask(responses, chat, R"({"input":"hi","store":true,"metadata":{"a":"b"}})", true);
  CHECK(kept.body["metadata"]["a"] == "b");
  CHECK(ask(responses, gemini, text).body["generationConfig"]["responseLogprobs"] == true);
}

TEST_CASE("a JSON format is closed for Claude, and limits that it refuses move to descriptions") {
  const auto made =
      ask(gemini, messages,
          with(gemini_hi, R"("generationConfig":{"responseMimeType":"application/json",)"
                          R"("responseSchema":{"type":"OBJECT","properties":{"a":{"type":"STRING",)"
                          R"("minLength":1,"description":"d"},"b":{"type":"ARRAY","items":)"
                          R"({"type":"OBJECT","properties":{}}}}}})"));
  const auto& schema = made.body["output_config"]["format"]["schema"];
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["properties"]["b"]["items"]["additionalProperties"] == false);
  CHECK_FALSE(schema["properties"]["a"].contains("minLength"));
  CHECK(schema["properties"]["a"]["description"] == "d (minLength: 1)");
  CHECK(made.drops("messages.output_schema"));
}

TEST_CASE("a property that is named like a limit stays a property") {
  const auto made = ask(
      chat, messages,
      with(chat_hi, R"("response_format":{"type":"json_schema","json_schema":{"name":"n",)"
                    R"("schema":{"type":"object","properties":{"minimum":{"type":"integer"}}}}})"));
  const auto& schema = made.body["output_config"]["format"]["schema"];
  CHECK(schema["properties"]["minimum"]["type"] == "integer");
  CHECK_FALSE(made.drops("messages.output_schema"));
}

TEST_CASE("what stands for a conversation elsewhere is told by its place") {
  const auto place = [](const side& client, std::string_view text) {
    const auto request = decode(client, text);
    REQUIRE(request.what);
    return request.what->kept_elsewhere;
  };
  const std::string more = R"(,{"role":"user","content":"go on"}]})";
  CHECK(place(responses, R"({"input":[{"type":"compaction","encrypted_content":"g"})" + more) ==
        "input[0]");
  CHECK(place(responses, R"({"input":[{"role":"user","content":"a"},)"
                         R"({"type":"item_reference","id":"m"})" +
                             more) == "input[1]");
  CHECK(place(gemini, with(gemini_hi, R"("cachedContent":"cachedContents/a")")) == "cachedContent");
  CHECK(place(responses, R"({"input":"hi"})").empty());
}

TEST_CASE("arguments that a Chat server writes as an object are the call's") {
  const auto whole = chat_call(R"({"path":"/tmp/x"})");
  CHECK(answered(messages, chat, whole)["content"][0]["input"]["path"] == "/tmp/x");
  CHECK(answered(responses, chat, whole)["output"][0]["arguments"] == R"({"path":"/tmp/x"})");
  const auto frames = streamed(
      gemini, chat,
      "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":"
      "{\"name\":\"f\",\"arguments\":{\"a\":1}}}]}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n");
  CHECK(frames[0]["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]["a"] == 1);
}

TEST_CASE("a call whose arguments are no object fails its answer, unless the answer was cut") {
  CHECK(call_fault(chat_call(R"("{\"path\": \"/tmp/x")")) ==
        "the arguments of the model's call of delete are no JSON object");
  CHECK(call_fault(chat_call(R"("[1]")")) != "");
  CHECK(call_fault(chat_call(R"("{\"path\": \"/tmp/x\"}")")).empty());
  CHECK(call_fault(chat_call(R"("")")).empty());
  CHECK(call_fault(chat_call("null")).empty());
  auto cut = chat_call(R"("{\"path\": ")");
  cut.replace(cut.rfind("tool_calls"), 10, "length");
  CHECK(call_fault(cut).empty());
}

TEST_CASE("a call that Gemini's model malformed is a failure with Gemini's words") {
  constexpr std::string_view body =
      R"({"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed: f("}]})";
  const auto whole = gemini.codec.decode_answer(padded(body), {});
  REQUIRE_FALSE(whole);
  CHECK(whole.error().detail == "Malformed: f(");
  const std::string stream = "data: " + std::string{body} + "\n\n";
  for (const side* client : {&chat, &responses, &messages}) {
    const auto frames = streamed(*client, gemini, stream);
    CHECK(frames.back().dump().find("Malformed: f(") != std::string::npos);
  }
  CHECK(answered(responses, gemini,
                 R"({"candidates":[{"finishReason":"OTHER"}]})")["incomplete_details"] ==
        json::object());
}

TEST_CASE("a refusal in words ends well in Chat, one without words is filtered") {
  const auto told = answered(
      chat, responses,
      R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]})");
  CHECK(told["choices"][0]["finish_reason"] == "stop");
  CHECK(told["choices"][0]["message"]["refusal"] == "no");
  const auto untold = answered(
      chat, messages, R"({"type":"message","content":[],"stop_reason":"refusal","usage":{}})");
  CHECK(untold["choices"][0]["finish_reason"] == "content_filter");
}

TEST_CASE("log probabilities come back in every protocol that has them") {
  constexpr std::string_view token =
      R"({"token":"x","logprob":-0.5,"bytes":[120],"top_logprobs":[{"token":"y","logprob":-2.5}]})";
  const std::string from_responses =
      R"({"status":"completed","output":[{"type":"message","content":[{"type":"output_text",)"
      R"("text":"x","logprobs":[)" +
      std::string{token} + "]}]}]}";
  const auto in_chat = answered(chat, responses, from_responses);
  CHECK(in_chat["choices"][0]["logprobs"]["content"] == json::array({json::parse(token)}));
  const std::string from_chat =
      R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop","logprobs":{"content":[)" +
      std::string{token} + "]}}]}";
  const auto in_responses = answered(responses, chat, from_chat);
  CHECK(in_responses["output"][0]["content"][0]["logprobs"][0]["logprob"] == -0.5);
  const auto in_gemini = answered(gemini, chat, from_chat)["candidates"][0]["logprobsResult"];
  CHECK(in_gemini["chosenCandidates"][0]["logProbability"] == -0.5);
  CHECK(in_gemini["topCandidates"][0]["candidates"][0]["token"] == "y");
  const auto again = answered(
      chat, gemini,
      R"({"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP","logprobsResult":)" +
          in_gemini.dump() + "}]}");
  CHECK(again["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0]["logprob"] == -2.5);
}

TEST_CASE("log probabilities that are none, or break off, are left out") {
  for (const std::string_view bad : {"[1]", "[{]", R"(["x"])", "{}", "null"}) {
    const auto body =
        R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop","logprobs":{"content":)" +
        std::string{bad} + "}}]}";
    const auto events = chat.codec.decode_answer(padded(body), {});
    if (!events) continue;
    const auto made = json::parse(chat.codec.encode_answer(*events, context_of("m")));
    CHECK_FALSE(made["choices"][0].contains("logprobs"));
  }
}

TEST_CASE("a conversation that begins with the model is begun by its user") {
  const auto text =
      R"({"messages":[{"role":"assistant","content":"Welcome"},{"role":"user","content":"hi"}]})";
  const auto claude = ask(chat, messages, text);
  CHECK(claude.body["messages"][0]["role"] == "user");
  CHECK(claude.body["messages"][0]["content"] == ".");
  CHECK(claude.drops("messages.first_turn"));
  const auto google = ask(chat, gemini, text);
  CHECK(google.body["contents"][0]["parts"][0]["text"] == ".");
  CHECK(google.drops("gemini.first_turn"));
}

TEST_CASE("Google's JSON may have one object for a list, and numbers in strings") {
  const auto made = ask(gemini, messages,
                        R"({"contents":{"parts":{"text":"hi"}},"system_instruction":{"parts":)"
                        R"({"text":"s"}},"generationConfig":{"maxOutputTokens":"55","topK":"3"}})");
  CHECK(made.body["messages"][0]["content"][0]["text"] == "hi");
  CHECK(made.body["system"][0]["text"] == "s");
  CHECK(made.body["max_tokens"] == 55);
  CHECK(made.body["top_k"] == 3);
  for (const auto* bad :
       {R"("")", R"("5x")", R"("+5")", R"("05")", R"(" 5")", R"("1e")", R"("nan")"}) {
    const auto text = with(gemini_hi, R"("generationConfig":{"topK":)" + std::string{bad} + "}");
    CHECK_FALSE(decode(gemini, text).what);
  }
}

TEST_CASE("thinking of Messages is shown unless it is switched off") {
  const auto thinking = R"("thinking":{"type":"enabled","budget_tokens":4000)";
  const auto shown = ask(messages, responses, with(messages_hi, std::string{thinking} + "}"));
  CHECK(shown.body["reasoning"]["summary"] == "auto");
  const auto hidden = ask(messages, responses,
                          with(messages_hi, std::string{thinking} + R"(,"display":"omitted"})"));
  CHECK_FALSE(hidden.body["reasoning"].contains("summary"));
}

TEST_CASE("settings that only the client's protocol has are told, each by its name") {
  const auto all = [](const side& client, const side& provider, const std::string& text,
                      std::initializer_list<const char*> rules) {
    const auto made = ask(client, provider, text);
    for (const auto* rule : rules) {
      CAPTURE(rule);
      CHECK(made.drops(rule));
    }
  };
  all(messages, responses,
      with(messages_hi, R"("mcp_servers":[],"container":"c","context_management":{},)"
                        R"("inference_geo":"us","new_thing":1)"),
      {"request.mcp_servers", "request.container", "request.context_management",
       "request.inference_geo", "request.other"});
  all(chat, messages,
      R"({"messages":[{"role":"user","name":"bob","content":"hi"}],"logit_bias":{},)"
      R"("prediction":{},"audio":{}})",
      {"request.message_name", "request.logit_bias", "request.prediction", "request.audio"});
  all(responses, messages, R"({"input":"hi","truncation":"auto","max_tool_calls":1})",
      {"request.truncation", "request.max_tool_calls"});
  all(gemini, messages,
      with(gemini_hi, R"("safetySettings":[],"generationConfig":{"mediaResolution":"LOW"},)"
                      R"("toolConfig":{"retrievalConfig":{}})"),
      {"request.safety_settings", "request.media_resolution", "request.retrieval_config"});
  all(messages, responses,
      R"({"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","context":"c",)"
      R"("source":{"type":"text","media_type":"text/plain","data":"d"}}]}]})",
      {"request.document_notes"});
  const auto nothing = ask(responses, messages, R"({"input":"hi","truncation":"disabled"})");
  CHECK_FALSE(nothing.drops("request.truncation"));
}

TEST_CASE("the choice of a tool that is not there is told and left out") {
  const auto undeclared =
      with(chat_hi, R"("tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":)"
                    R"({"type":"function","function":{"name":"zzz"}})");
  for (const auto& [to, rule] :
       {std::pair{&chat, "chat.tool_choice"}, std::pair{&responses, "responses.tool_choice"},
        std::pair{&messages, "messages.tool_choice"}, std::pair{&gemini, "gemini.tool_choice"}}) {
    const auto made = ask(chat, *to, undeclared);
    CAPTURE(rule);
    CHECK(made.drops(rule));
    CHECK_FALSE(made.body.contains("tool_choice"));
    CHECK_FALSE(made.body.contains("toolConfig"));
  }
  const auto toolless = with(chat_hi, R"("tool_choice":"required")");
  CHECK(ask(chat, messages, toolless).drops("messages.tool_choice"));
  CHECK(ask(chat, gemini, toolless).drops("gemini.tool_choice"));
}

TEST_CASE("a second tool of a name is told") {
  const auto text = with(chat_hi, R"("tools":[{"type":"function","function":{"name":"f"}},)"
                                  R"({"type":"function","function":{"name":"f"}}])");
  CHECK(ask(chat, gemini, text).drops("gemini.duplicate_tool"));
  const auto clash = ask(responses, messages,
                         R"({"input":"hi","tools":[{"type":"function","name":"ns__inner"},)"
                         R"({"type":"namespace","name":"ns","tools":[{"type":"function",)"
                         R"("name":"inner"}]}]})");
  CHECK(clash.drops("request.tool_clash"));
}

TEST_CASE("null beside a union of Google's dialect stays, and what Gemini lowers is told") {
  const auto made = ask(gemini, responses,
                        with(gemini_hi, R"("tools":[{"functionDeclarations":[{"name":"f",)"
                                        R"("parameters":{"type":"OBJECT","properties":{"a":)"
                                        R"({"anyOf":[{"type":"STRING"},{"type":"INTEGER"}],)"
                                        R"("nullable":true}}}}]}])"));
  const auto& a = made.body["tools"][0]["parameters"]["properties"]["a"];
  CHECK(a["anyOf"].back()["type"] == "null");
  for (const auto* schema :
       {R"({"type":"integer","enum":[1,2]})", R"({"type":["integer","null"]})"}) {
    const auto lowered =
        ask(chat, gemini,
            with(chat_hi, R"("tools":[{"type":"function","function":{"name":"f","parameters":)"
                          R"({"type":"object","properties":{"n":)" +
                              std::string{schema} + "}}}}]"));
    CHECK(lowered.drops("gemini.schema"));
  }
}

TEST_CASE("a JSON format whose root is no object does not reach OpenAI") {
  const auto list =
      with(gemini_hi, R"("generationConfig":{"responseMimeType":"application/json",)"
                      R"("responseSchema":{"type":"ARRAY","items":{"type":"STRING"}}})");
  const auto codex = ask(gemini, responses, list);
  CHECK(codex.drops("responses.schema_root"));
  CHECK_FALSE(codex.body["text"].contains("format"));
  CHECK(ask(gemini, chat, list, true).drops("chat.schema_root"));
  CHECK(ask(gemini, chat, list).body["response_format"]["json_schema"]["schema"]["type"] ==
        "array");
  const auto untyped =
      with(gemini_hi, R"("generationConfig":{"responseMimeType":"application/json",)"
                      R"("responseJsonSchema":{"properties":{"a":{}}}})");
  CHECK(ask(gemini, responses, untyped).body["text"]["format"]["schema"]["type"] == "object");
}

TEST_CASE("tokens of tools' results at Gemini are tokens that went in") {
  const auto counts =
      answered(chat, gemini,
               R"({"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],)"
               R"("usageMetadata":{"promptTokenCount":100,"toolUsePromptTokenCount":7,)"
               R"("candidatesTokenCount":10,"thoughtsTokenCount":40}})")["usage"];
  CHECK(counts["prompt_tokens"] == 107);
  CHECK(counts["total_tokens"] == 157);
}

TEST_CASE("a picture alone is no silence to clients of Messages") {
  const auto made = answered(
      messages, responses,
      R"({"status":"completed","output":[{"type":"image_generation_call","id":"i","result":"iVBO"}]})");
  CHECK(made["content"] == json::parse(R"([{"type":"text","text":"[image]"}])"));
}

TEST_CASE("tools that Anthropic defines and the client runs are functions to other models") {
  const auto text =
      R"({"max_tokens":9,"tools":[{"type":"bash_20250124","name":"bash"},{"type":"web_fetch_20250910",)"
      R"("name":"web_fetch"}],"messages":[{"role":"user","content":"a"}]})";
  const auto made = ask(messages, responses, text);
  REQUIRE(made.body["tools"].size() == 1);
  CHECK(made.body["tools"][0]["name"] == "bash");
  CHECK(made.body["tools"][0]["parameters"]["properties"].contains("command"));
  CHECK(ask(messages, messages, text).body["tools"][0]["type"] == "bash_20250124");
  const auto none = ask(messages, responses,
                        R"({"max_tokens":9,"tools":[{"type":"web_fetch_20250910","name":"f"}],)"
                        R"("messages":[{"role":"user","content":"a"}]})");
  CHECK_FALSE(none.body.contains("tools"));
  CHECK(none.drops("responses.server_tool"));
}

TEST_CASE("search results in a user's words are words to other models") {
  const auto text =
      R"({"max_tokens":9,"messages":[{"role":"user","content":[{"type":"search_result","source":)"
      R"("https://s","title":"st","content":[{"type":"text","text":"IMPORTANT"}]},)"
      R"({"type":"text","text":"q"}]}]})";
  for (const side* to : {&chat, &responses, &gemini}) {
    const auto made = ask(messages, *to, text).body.dump();
    CHECK(made.find("st\\nhttps://s\\nIMPORTANT") != std::string::npos);
  }
  const auto own = ask(messages, messages, text);
  CHECK(own.body["messages"][0]["content"][0]["type"] == "search_result");
}

TEST_CASE("a Chat chunk without choices is harmless, content of a wrong type is not") {
  const std::string end =
      "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
  const auto good = streamed(messages, chat, "data: {\"choices\":null}\n\n" + end);
  CHECK(good.back()["type"] == "message_stop");
  const auto bad =
      streamed(messages, chat, "data: {\"choices\":[{\"delta\":{\"content\":5}}]}\n\n" + end);
  CHECK(bad.back()["type"] == "error");
}

TEST_CASE("a call in a namespace has its full name in Gemini") {
  const auto made = answered(
      gemini, responses,
      R"({"status":"completed","output":[{"type":"function_call","call_id":"c","name":"inner",)"
      R"("namespace":"ns","arguments":"{}"}]})");
  CHECK(made["candidates"][0]["content"]["parts"][0]["functionCall"]["name"] == "ns__inner");
}

}  // namespace tidegate::golden
