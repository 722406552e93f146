/// The surfaces beside plain answers: text completions, counts, compaction, bare Gemini streams.

#include "tests/integration/client_forms.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

rig_options replies(const std::string& reply) {
  rig_options options;
  options.sim_script = "rules: [{replies: [" + reply + "]}]\n";
  return options;
}

json parsed(const raw_response& answer) {
  CAPTURE(answer.body);
  const auto body = json::parse(answer.body, nullptr, false);
  REQUIRE(body.is_object());
  return body;
}

std::uint64_t all_calls(rig& gateway) {
  const auto seen = gateway.upstream().requests();
  return seen ? seen->requests.size() : 0;
}

const std::string one_message = R"("messages":[{"role":"user","content":"how high is the tide"}])";
const std::string one_content =
    R"({"contents":[{"role":"user","parts":[{"text":"how high is the tide"}]}]})";

}  // namespace

TEST_CASE("a text completion is served by every provider") {
  rig gateway{replies("{ok: {text: high at noon, chunks: 3}}")};
  for (const auto& model : every_model) {
    CAPTURE(model);
    const auto whole = gateway.post(
        "/v1/completions", R"({"model":")" + model + R"(","prompt":["The tide is"],"echo":true})");
    CHECK(whole.status == 200);
    const auto body = parsed(whole);
    CHECK(body["object"] == "text_completion");
    CHECK(body["choices"][0]["text"] == "The tide ishigh at noon");
    CHECK(body["choices"][0]["finish_reason"] == "stop");
    CHECK_FALSE(body["choices"][0].contains("message"));
    const auto stream = gateway.post(
        "/v1/completions", R"({"model":")" + model + R"(","prompt":"The tide is","stream":true})");
    CHECK(stream.field("content-type").starts_with("text/event-stream"));
    std::string text;
    const auto events = data_of(stream.body);
    CHECK(events.back() == "[DONE]");
    for (const auto& event : events) {
      if (event == "[DONE]") continue;
      const auto chunk = json::parse(event);
      CHECK(chunk["object"] == "text_completion");
      for (const auto& choice : chunk["choices"]) text += choice["text"].get<std::string>();
    }
    CHECK(text == "high at noon");
  }
}

TEST_CASE("a text completion that one message cannot say costs no call") {
  rig gateway{replies("{ok: {}}")};
  for (const std::string prompt : {R"(["a","b"])", "[1,2]", "[[1]]", "{}"}) {
    const auto answer =
        gateway.post("/v1/completions", R"({"model":"chat-x","prompt":)" + prompt + "}");
    CHECK(answer.status == 400);
    CHECK_THAT(error_message(client::chat, answer), ContainsSubstring("prompt"));
  }
  CHECK(all_calls(gateway) == 0);
}

TEST_CASE("failures of a text completion look as they do in Chat") {
  rig refused{replies("{error: {status: 400, message: not like this}}")};
  rig failing{replies("{ok: {chunks: 6}, fault: {error-event-after-chunks: 2}}")};
  for (const auto& model : every_model) {
    CAPTURE(model);
    const auto body = R"({"model":")" + model + R"(","prompt":"p","stream":true})";
    const auto before = refused.post("/v1/completions", body);
    CHECK(before.status == 400);
    CHECK(error_message(client::chat, before) == "not like this");
    stream_error(client::chat, failing.post("/v1/completions", body).body);
  }
}

TEST_CASE("a Responses body on the Chat path is answered as Chat by every provider") {
  rig gateway{replies("{ok: {text: high at noon, chunks: 3}}")};
  for (const auto& model : every_model) {
    for (const std::string said :
         {R"("input":"say it")", R"("instructions":"say it","input":"x")"}) {
      CAPTURE(model, said);
      const auto ask = [&](const std::string& stream) {
        return gateway.post("/v1/chat/completions", R"({"model":")" + model + "\"," + said +
                                                        R"(,"stream":)" + stream + "}");
      };
      const auto whole = parsed(ask("false"));
      CHECK(whole["object"] == "chat.completion");
      CHECK(whole["choices"][0]["message"]["content"] == "high at noon");
      const auto stream = ask("true");
      CHECK(data_of(stream.body).back() == "[DONE]");
      CHECK_THAT(stream.body, ContainsSubstring("chat.completion.chunk"));
    }
  }
}

TEST_CASE("tokens are counted by the provider that can, and estimated for the others") {
  rig gateway{replies("{ok: {}}")};
  for (const auto& model : every_model) {
    CAPTURE(model);
    const auto before = all_calls(gateway);
    const auto messages = gateway.post("/v1/messages/count_tokens",
                                       R"({"model":")" + model + "\"," + one_message + "}");
    CHECK(messages.status == 200);
    const auto count = parsed(messages);
    CHECK(count.size() == 1);
    CHECK(count["input_tokens"].get<int>() > 5);
    CHECK(all_calls(gateway) - before == (model == "claude-x" ? 1 : 0));
    const auto gemini = gateway.post("/v1beta/models/" + model + ":countTokens", one_content);
    CHECK(gemini.status == 200);
    CHECK(parsed(gemini)["totalTokens"].get<int>() > 5);
    CHECK(parsed(gemini)["promptTokensDetails"][0]["modality"] == "TEXT");
  }
}

TEST_CASE("an estimate needs no quota, an unknown model has none") {
  rig gateway{replies("{error: {preset: usage-limit, resets-in: 2h}}")};
  (void)ask(gateway, client::responses, "gpt-x", false);
  CHECK(gateway.post("/v1/messages/count_tokens", R"({"model":"gpt-x",)" + one_message + "}")
            .status == 200);
  const auto unknown =
      gateway.post("/v1/messages/count_tokens", R"({"model":"no-such",)" + one_message + "}");
  CHECK(unknown.status == 400);
  CHECK_THAT(error_message(client::messages, unknown),
             ContainsSubstring("unknown provider for model no-such"));
}

TEST_CASE("a provider without a counting surface leaves the count to the estimate") {
  for (const std::string status : {"404", "405", "501"}) {
    CAPTURE(status);
    rig gateway{replies("{error: {status: " + status + "}}")};
    const auto messages =
        gateway.post("/v1/messages/count_tokens", R"({"model":"claude-x",)" + one_message + "}");
    CHECK(messages.status == 200);
    CHECK(parsed(messages)["input_tokens"].get<int>() > 5);
    CHECK(gateway.post("/v1beta/models/gemini-x:countTokens", one_content).status == 200);
  }
}

TEST_CASE("what cannot be counted is a 400 that names the member") {
  rig gateway{replies("{ok: {}}")};
  const auto [body, why] = GENERATE(table<std::string, std::string>({
      {R"({"model":"gpt-x"})", "messages"},
      {R"({"model":"gpt-x","messages":[]})", "messages"},
      {R"({"model":"gpt-x","messages":{}})", "messages"},
      {R"({"model":"gpt-x","messages":[{"role":"judge","content":"x"}]})", "messages[0].role"},
      {R"({"model":"gpt-x","messages":[{"role":"user","content":7}]})", "messages[0].content"},
      {R"({"model":"gpt-x","messages":[{"role":"user","content":[{"text":"x"}]}]})",
       "messages[0].content[0]"},
  }));
  CAPTURE(body);
  const auto answer = gateway.post("/v1/messages/count_tokens", body);
  CHECK(answer.status == 400);
  CHECK_THAT(error_message(client::messages, answer), ContainsSubstring(why));
}

TEST_CASE("Google's count takes a whole request too, and needs one of both") {
  rig gateway{replies("{ok: {}}")};
  const std::string path = "/v1beta/models/gpt-x:countTokens";
  const auto bare = gateway.post(path, one_content);
  const auto whole = gateway.post(path, R"({"generateContentRequest":)" + one_content + "}");
  CHECK(parsed(bare)["totalTokens"] == parsed(whole)["totalTokens"]);
  const auto neither = gateway.post(path, "{}");
  CHECK(neither.status == 400);
  CHECK_THAT(error_message(client::gemini, neither), ContainsSubstring("contents"));
}

TEST_CASE("compaction goes to the providers that have it, and is a 501 elsewhere") {
  rig gateway{replies("{ok: {}}")};
  const auto compact = [&](const std::string& model, const std::string& more = {}) {
    return gateway.post("/v1/responses/compact",
                        R"({"model":")" + model + R"(","input":"x")" + more + "}");
  };
  for (const std::string model : {"gpt-x", "chat-x"}) {
    CAPTURE(model);
    const auto answer = compact(model, R"(,"stream":false)");
    CHECK(answer.status == 200);
    CHECK(parsed(answer)["object"] == "response.compaction");
    const auto sent = gateway.upstream().requests()->requests.back();
    CHECK_THAT(sent.body, !ContainsSubstring("stream"));
    const auto streamed = compact(model, R"(,"stream":true)");
    CHECK(streamed.status == 400);
    CHECK(error_message(client::responses, streamed) ==
          "Streaming not supported for compact responses");
  }
  for (const std::string model : {"claude-x", "gemini-x"}) {
    CAPTURE(model);
    const auto answer = compact(model);
    CHECK(answer.status == 501);
    CHECK(answer.field("x-should-retry") == "false");
    CHECK_THAT(error_message(client::responses, answer),
               ContainsSubstring("/responses/compact not supported by "));
  }
}

TEST_CASE("a Gemini stream without alt=sse is one JSON array, of every provider") {
  rig gateway{replies("{ok: {text: high at noon, chunks: 3}}")};
  rig failing{replies("{ok: {chunks: 6}, fault: {error-event-after-chunks: 2}}")};
  rig cut{replies("{ok: {chunks: 6}, fault: {cut-after-chunks: 2}}")};
  rig refusing{replies("{error: {status: 400, message: not like this}}")};
  for (const auto& model : every_model) {
    CAPTURE(model);
    const auto path = "/v1beta/models/" + model + ":streamGenerateContent";
    const auto answer = gateway.post(path, one_content);
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.field("content-type") == "application/json");
    const auto list = json::parse(answer.body, nullptr, false);
    REQUIRE(list.is_array());
    std::string text;
    for (const auto& chunk : list) {
      for (const auto& part : chunk["candidates"][0]["content"]["parts"]) {
        text += part.value("text", "");
      }
    }
    CHECK(text == "high at noon");
    CHECK(list.back()["candidates"][0]["finishReason"] == "STOP");
    for (auto* const broken : {&failing, &cut}) {
      const auto ended = json::parse(broken->post(path, one_content).body, nullptr, false);
      REQUIRE(ended.is_array());
      CHECK(ended.size() > 1);
      CHECK(ended.back()["error"]["code"].is_number_integer());
      CHECK(ended.back()["error"]["status"].is_string());
    }
    const auto before = refusing.post(path, one_content);
    CHECK(before.status == 400);
    CHECK(error_message(client::gemini, before) == "not like this");
    const auto events = gateway.post(path + "?alt=sse", one_content);
    CHECK(events.field("content-type").starts_with("text/event-stream"));
  }
}

TEST_CASE("Google's resource names mean the model behind them") {
  rig gateway{replies("{ok: {text: high at noon}}")};
  for (const std::string path :
       {"/v1beta/models/models/claude-x:generateContent",
        "/v1beta1/publishers/google/models/claude-x:generateContent",
        "/v1beta1/projects/p/locations/l/publishers/anthropic/models/claude-x:generateContent"}) {
    CAPTURE(path);
    const auto answer = gateway.post(path, one_content);
    CHECK(answer.status == 200);
    CHECK_THAT(answer.body, ContainsSubstring("high at noon"));
  }
  const auto unknown = gateway.post("/v1beta/models/gemini-x:sing", one_content);
  CHECK(unknown.status == 404);
  error_message(client::gemini, unknown);
}

TEST_CASE("a stored response is unknown to a provider that did not store it") {
  rig gateway{replies("{ok: {}}")};
  for (const std::string model : {"chat-x", "claude-x", "gemini-x", "gpt-x"}) {
    CAPTURE(model);
    const auto before = all_calls(gateway);
    const auto answer = gateway.post(
        "/v1/responses", R"({"model":")" + model + R"(","input":"x","previous_response_id":"r"})");
    CHECK(answer.status == 400);
    const auto error = parsed(answer)["error"];
    CHECK(error["code"] == "previous_response_not_found");
    CHECK(error["param"] == "previous_response_id");
    CHECK(error["type"] == "invalid_request_error");
    CHECK_THAT(error["message"].get<std::string>(), ContainsSubstring("previous_response_id"));
    CHECK(all_calls(gateway) == before);
  }
}

TEST_CASE("a stored response goes to the credential that can take it") {
  rig_options options = replies("{ok: {text: from the store}}");
  options.keys = keys_of("claude", "m", 1) +
                 "  codex:\n    - name: ordinary\n      base-url: ${sim}/v1\n"
                 "      models: [{name: m, alias: m}]\n      keys: [{api-key: codex-1}]\n";
  rig gateway{options};
  for (int i = 0; i < 4; ++i) {
    const auto answer =
        gateway.post("/v1/responses", R"({"model":"m","input":"x","previous_response_id":"r"})");
    CHECK(answer.status == 200);
    CHECK_THAT(answer.body, ContainsSubstring("from the store"));
  }
  CHECK(gateway.calls("claude-1") == 0);
}

}  // namespace tidegate::test
