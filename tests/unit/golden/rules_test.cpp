/// The decisions of translation.md 6, one test each: what other gateways are known to get wrong.

#include <nlohmann/json.hpp>

#include "tests/unit/golden/translate.hpp"

namespace tidegate::golden {
namespace {

using nlohmann::json;

const side& chat = sides()[0];
const side& responses = sides()[1];
const side& messages = sides()[2];
const side& gemini = sides()[3];

/// The provider's request.
json asked(const side& client, const side& provider, std::string_view text) {
  const auto request = decode(client, text);
  INFO(text);
  if (!request.what) FAIL(request.what.error().detail);
  return json::parse(encode(provider, *request.what).body);
}

constexpr std::string_view cut_by_claude =
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\",\"usage\":"
    "{\"input_tokens\":1,\"cache_creation_input_tokens\":5,\"cache_read_input_tokens\":7}}}\n\n"
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\","
    "\"text\":\"a\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"},\"usage\":"
    "{\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
constexpr std::string_view cut_by_gemini =
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"finishReason\":"
    "\"MAX_TOKENS\"}]}\n\n";

}  // namespace

TEST_CASE("1: a token limit at Claude is MAX_TOKENS in a Gemini stream") {
  const auto frames = streamed(gemini, messages, cut_by_claude);
  CHECK(frames.back()["candidates"][0]["finishReason"] == "MAX_TOKENS");
}

TEST_CASE("2: a token limit at Gemini is length in Chat, streamed and whole") {
  const auto frames = streamed(chat, gemini, cut_by_gemini);
  CHECK(frames[frames.size() - 2]["choices"][0]["finish_reason"] == "length");
  const auto whole = answered(
      chat, gemini,
      R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MAX_TOKENS"}]})");
  CHECK(whole["choices"][0]["finish_reason"] == "length");
}

TEST_CASE("3: a token limit is response.incomplete in Responses") {
  for (const auto& [provider, stream] :
       {std::pair{&messages, cut_by_claude}, std::pair{&gemini, cut_by_gemini}}) {
    const auto last = streamed(responses, *provider, stream).back();
    CHECK(last["type"] == "response.incomplete");
    CHECK(last["response"]["incomplete_details"]["reason"] == "max_output_tokens");
  }
}

TEST_CASE("4: thoughts are counted once, in everything that went out") {
  const auto from_gemini = answered(
      chat, gemini,
      R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],)"
      R"("usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"thoughtsTokenCount":5}})");
  CHECK(from_gemini["usage"]["completion_tokens"] == 9);
  CHECK(from_gemini["usage"]["total_tokens"] == 12);
  const auto to_gemini = answered(
      gemini, chat,
      R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,)"
      R"("completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":5}}})");
  CHECK(to_gemini["usageMetadata"]["candidatesTokenCount"] == 4);
  CHECK(to_gemini["usageMetadata"]["thoughtsTokenCount"] == 5);
  CHECK(to_gemini["usageMetadata"]["totalTokenCount"] == 12);
}

TEST_CASE(
    "5: Responses' cached and thought tokens reach Gemini, and messages name the client's model") {
  constexpr std::string_view body =
      R"({"status":"completed","model":"theirs","output":[{"type":"message","id":"m","content":)"
      R"([{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":9,"output_tokens":8,)"
      R"("input_tokens_details":{"cached_tokens":7},"output_tokens_details":{"reasoning_tokens":6}}})";
  const auto counts = answered(gemini, responses, body)["usageMetadata"];
  CHECK(counts["cachedContentTokenCount"] == 7);
  CHECK(counts["thoughtsTokenCount"] == 6);
  CHECK(answered(messages, responses, body)["model"] == client_model);
  const auto first = streamed(messages, gemini, cut_by_gemini).front();
  CHECK(first["message"]["model"] == client_model);
}

TEST_CASE("6: what Chat filtered is a refusal in Messages") {
  const auto answer =
      answered(messages, chat,
               R"({"choices":[{"message":{"content":"a"},"finish_reason":"content_filter"}]})");
  CHECK(answer["stop_reason"] == "refusal");
}

TEST_CASE("7: stop sequences reach Gemini; Messages get a temperature or top_p, never both") {
  constexpr std::string_view request =
      R"({"messages":[{"role":"user","content":"q"}],"stop":"END","temperature":0.5,"top_p":0.9})";
  CHECK(asked(chat, gemini, request)["generationConfig"]["stopSequences"] == json{"END"});
  const auto claude = asked(chat, messages, request);
  CHECK(claude["temperature"] == 0.5);
  CHECK_FALSE(claude.contains("top_p"));
  const auto google = asked(gemini, messages,
                            R"({"contents":[{"role":"user","parts":[{"text":"q"}]}],)"
                            R"("generationConfig":{"temperature":0.5}})");
  CHECK(google["temperature"] == 0.5);
}

TEST_CASE("8: Gemini's system instruction is the system prompt of Messages") {
  const auto request = asked(gemini, messages,
                             R"({"systemInstruction":{"parts":[{"text":"s"}]},)"
                             R"("contents":[{"role":"user","parts":[{"text":"q"}]}]})");
  CHECK(request["system"][0]["text"] == "s");
  CHECK(request["messages"].size() == 1);
}

TEST_CASE("9: a developer's text is system text in Chat") {
  const auto request = asked(responses, chat,
                             R"({"input":[{"role":"developer","content":"d"},)"
                             R"({"role":"user","content":"q"}]})");
  CHECK(request["messages"][0]["role"] == "system");
}

TEST_CASE("10: the URL of an image reaches Gemini") {
  const auto request =
      asked(chat, gemini,
            R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":)"
            R"({"url":"https://img.example/a.png"}}]}]})");
  CHECK(request["contents"][0]["parts"][0]["fileData"]["fileUri"] == "https://img.example/a.png");
}

TEST_CASE("11: a failure has the name of its status in every protocol") {
  struct row {
    std::string_view type;
    std::string_view chat;
    std::string_view messages;
    int code;
    std::string_view gemini;
  };
  const std::vector<row> rows{
      {"overloaded_error", "server_error", "overloaded_error", 503, "UNAVAILABLE"},
      {"rate_limit_error", "rate_limit_error", "rate_limit_error", 429, "RESOURCE_EXHAUSTED"},
      {"invalid_request_error", "invalid_request_error", "invalid_request_error", 400,
       "INVALID_ARGUMENT"},
      {"permission_error", "permission_error", "permission_error", 403, "PERMISSION_DENIED"},
      {"api_error", "server_error", "api_error", 500, "INTERNAL"}};
  for (const auto& row : rows) {
    INFO(row.type);
    const std::string stream = R"(data: {"type":"error","error":{"type":")" +
                               std::string{row.type} + R"(","message":"why"}})" + "\n\n";
    CHECK(streamed(chat, messages, stream).back()["error"]["type"] == row.chat);
    CHECK(streamed(messages, messages, stream).back()["error"]["type"] == row.messages);
    const auto google = streamed(gemini, messages, stream).back()["error"];
    CHECK(google["code"] == row.code);
    CHECK(google["status"] == row.gemini);
    const auto openai = streamed(responses, messages, stream).back();
    CHECK(openai["type"] == "error");
    CHECK(openai["message"] == "why");
  }
}

TEST_CASE("11: Codex is told of a failure by response.failed") {
  auto with = context_of(client_model);
  with.codex_client = true;
  const protocol::failed_event why{429, "", "", "slow down"};
  const auto frames = frames_of({stream_of(responses, {why}, with)});
  CHECK(frames[0] == "response.failed");
  const auto failed = json::parse(frames[1])["response"];
  CHECK(failed["status"] == "failed");
  CHECK(failed["error"]["code"] == "rate_limit_exceeded");
}

TEST_CASE("11: Codex does not repeat a request that its provider calls wrong") {
  auto with = context_of(client_model);
  with.codex_client = true;
  const auto code_of = [&with](const protocol::failed_event& why) {
    const auto frames = frames_of({stream_of(responses, {why}, with)});
    return json::parse(frames[1])["response"]["error"]["code"];
  };
  CHECK(code_of({400, "invalid_request_error", "", "prompt is too long"}) == "invalid_prompt");
  CHECK(code_of({400, "", "context_length_exceeded", "too long"}) == "context_length_exceeded");
}

TEST_CASE("11: a failure is never a whole answer") {
  const protocol::failed_event why{529, "overloaded_error", "", "busy"};
  for (const side& client : sides()) {
    INFO(client.name);
    const auto body = json::parse(
        client.codec.encode_answer({protocol::start_event{}, why}, context_of(client_model)));
    CHECK(body["error"]["message"] == "busy");
    CHECK(json::parse(client.codec.encode_answer({}, context_of(client_model))).contains("error"));
  }
}

TEST_CASE("12: no tools at all is said to Messages") {
  const auto request = asked(chat, messages,
                             R"({"messages":[{"role":"user","content":"q"}],"tool_choice":"none",)"
                             R"("tools":[{"type":"function","function":{"name":"f"}}]})");
  CHECK(request["tool_choice"]["type"] == "none");
}

TEST_CASE("13: what a protocol can spell is carried") {
  const auto choice =
      asked(chat, gemini,
            R"({"messages":[{"role":"user","content":"q"}],"tool_choice":"required",)"
            R"("tools":[{"type":"function","function":{"name":"f"}}]})");
  CHECK(choice["toolConfig"]["functionCallingConfig"]["mode"] == "ANY");
  const auto limits = asked(messages, gemini,
                            R"({"max_tokens":7,"stop_sequences":["x"],)"
                            R"("messages":[{"role":"user","content":"q"}]})")["generationConfig"];
  CHECK(limits["maxOutputTokens"] == 7);
  CHECK(limits["stopSequences"] == json{"x"});
  constexpr std::string_view warm = R"({"input":"q","top_p":0.5})";
  CHECK(asked(responses, chat, warm)["top_p"] == 0.5);
  CHECK(asked(responses, messages, warm)["top_p"] == 0.5);
  const auto schema = asked(responses, messages,
                            R"({"input":"q","text":{"format":{"type":"json_schema","name":"n",)"
                            R"("schema":{"type":"object"}}}})");
  CHECK(schema["output_config"]["format"]["schema"]["type"] == "object");
}

TEST_CASE("14: Gemini's cached tokens are those that were read from a cache") {
  const auto counts = streamed(gemini, messages, cut_by_claude).back()["usageMetadata"];
  CHECK(counts["promptTokenCount"] == 13);
  CHECK(counts["cachedContentTokenCount"] == 7);
  CHECK_FALSE(counts.contains("trafficType"));
}

TEST_CASE("15: a data URL is read, other URLs are not cut") {
  struct row {
    std::string_view url;
    json source;
  };
  const std::vector<row> rows{
      {"data:image/png;base64,QQ==",
       {{"type", "base64"}, {"media_type", "image/png"}, {"data", "QQ=="}}},
      {"data:image/jpeg;name=a.jpg;base64,QQ==",
       {{"type", "base64"}, {"media_type", "image/jpeg"}, {"data", "QQ=="}}},
      {"https://x.example/data:image/png;base64,QQ==",
       {{"type", "url"}, {"url", "https://x.example/data:image/png;base64,QQ=="}}}};
  for (const auto& row : rows) {
    INFO(row.url);
    const std::string url{row.url};
    const auto from_chat =
        asked(chat, messages,
              R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")" +
                  url + R"("}}]}]})");
    CHECK(from_chat["messages"][0]["content"][0]["source"] == row.source);
    const auto from_responses =
        asked(responses, messages,
              R"({"input":[{"role":"user","content":[{"type":"input_image","image_url":")" + url +
                  R"("}]}]})");
    CHECK(from_responses["messages"][0]["content"][0]["source"] == row.source);
  }
}

TEST_CASE("16: what is lost has a name, once") {
  const auto request = decode(chat, R"({"messages":[{"role":"user","content":"q"}],"seed":1,"n":2,)"
                                    R"("frequency_penalty":1,"presence_penalty":1})");
  REQUIRE(request.what);
  CHECK(encode(messages, *request.what).lost ==
        protocol::lossy_notes{"messages.n", "messages.penalties", "messages.seed"});
}

}  // namespace tidegate::golden
