/// Failures before and after the first byte, seen by every client of every provider.

#include "tests/integration/client_forms.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

rig_options replying(const std::string& reply, const std::string& mode = "usage-limit") {
  rig_options options;
  options.mode = mode;
  options.sim_script = "rules: [{replies: [" + reply + "]}]\n";
  return options;
}

bool passes_through(client who, const std::string& model) {
  return (who == client::responses && model == "gpt-x") ||
         (who == client::chat && model == "chat-x") ||
         (who == client::messages && model == "claude-x");
}

const std::string codex_agent = "User-Agent: codex_cli_rs/0.50.0 (Linux)\r\n";

}  // namespace

TEST_CASE("an error before the first byte has the client's own shape and the provider's words") {
  struct row {
    std::string error;
    int status;
  };
  const std::vector<row> rows{{"{status: 400, message: not like this}", 400},
                              {"{status: 401, message: not like this}", 401},
                              {"{status: 403, message: not like this}", 403},
                              {"{status: 429, message: not like this}", 429},
                              {"{status: 500, message: not like this}", 500},
                              {"{status: 529, message: not like this}", 529}};
  for (const auto& row : rows) {
    for (const auto who : every_client) {
      for (const auto& model : every_model) {
        for (const bool stream : {false, true}) {
          CAPTURE(row.error, to_string(who), model, stream);
          rig gateway{replying("{error: " + row.error + "}")};
          const auto answer = ask(gateway, who, model, stream);
          const bool unknown_to_google =
              who == client::gemini && model != "gemini-x" && row.status == 529;
          CHECK(answer.status == (unknown_to_google ? 503 : row.status));
          CHECK(answer.complete);
          CHECK_THAT(error_message(who, answer), ContainsSubstring("not like this"));
        }
      }
    }
  }
}

TEST_CASE("an error in the middle of a stream ends it in the client's own shape") {
  for (const auto who : every_client) {
    for (const auto& model : every_model) {
      CAPTURE(to_string(who), model);
      rig gateway{replying(
          "{ok: {chunks: 6}, fault: {error-event-after-chunks: 2, error-event: {status: 503, "
          "message: too much tide}}}")};
      const auto answer = ask(gateway, who, model, true);
      CHECK(answer.status == 200);
      CHECK(answer.complete);
      CHECK_THAT(answer.body, ContainsSubstring("part1"));
      CHECK_THAT(stream_error(who, answer.body), ContainsSubstring("too much tide"));
    }
  }
}

TEST_CASE("a stream that breaks behind its first words ends with an error, never well") {
  for (const std::string fault :
       {"cut-after-chunks: 2", "reset-after-chunks: 2", "bad-json-after-chunks: 2",
        "malformed-chunk-after-chunks: 2", "no-terminator: true"}) {
    for (const auto who : every_client) {
      for (const auto& model : every_model) {
        CAPTURE(fault, to_string(who), model);
        rig gateway{replying("{ok: {chunks: 6}, fault: {" + fault + "}}")};
        const auto answer = ask(gateway, who, model, true);
        CHECK(answer.status == 200);
        CHECK(answer.complete);
        // A Chat answer is whole without its last event.
        if (fault == "no-terminator: true" && model == "chat-x") continue;
        stream_error(who, answer.body);
      }
    }
  }
}

TEST_CASE("a stream that breaks before its first words is served by another credential") {
  for (const std::string fault : {"cut-after-chunks: opening", "bad-json-after-chunks: 0",
                                  "error-event-after-chunks: 0", "empty-stream: true"}) {
    for (const auto who : every_client) {
      for (const auto& model : every_model) {
        // What is only passed through is not read.
        if (fault.starts_with("bad-json") && passes_through(who, model)) continue;
        CAPTURE(fault, to_string(who), model);
        rig_options options;
        options.sim_script = "rules: [{count-by: rule, replies: [{ok: {}, fault: {" + fault +
                             "}}, {ok: {text: second, chunks: 1}}]}]\n";
        rig gateway{options};
        const auto answer = ask(gateway, who, model, true);
        CHECK(answer.status == 200);
        CHECK_THAT(answer.body, ContainsSubstring("second"));
        CHECK_THAT(answer.body, ContainsSubstring(good_ending(who)));
      }
    }
  }
}

TEST_CASE("an official Codex client gets response.failed of every provider") {
  rig gateway{replying(
      "{ok: {chunks: 6}, fault: {error-event-after-chunks: 2, error-event: {status: 429, message: "
      "too much tide}}}")};
  rig cut{replying("{ok: {chunks: 6}, fault: {cut-after-chunks: 2}}")};
  for (const auto& model : every_model) {
    CAPTURE(model);
    for (auto* const one : {&gateway, &cut}) {
      const auto answer = ask(*one, client::responses, model, true, codex_agent);
      const auto last = json::parse(data_of(answer.body).back());
      CHECK(last["type"] == "response.failed");
      stream_error(client::responses, answer.body);
      if (one == &gateway) CHECK(last["response"]["error"]["message"] == "too much tide");
    }
  }
}

TEST_CASE("every front end of Codex gets response.failed") {
  rig gateway{
      replying("{ok: {chunks: 6}, fault: {error-event-after-chunks: 2, error-event: {status: 400, "
              "message: prompt is too long}}}")};
  const std::string agent = "User-Agent: codex_exec/0.171.0 (Linux)\r\nOriginator: codex_exec\r\n";
  const auto answer = ask(gateway, client::responses, "claude-x", true, agent);
  const auto last = json::parse(data_of(answer.body).back());
  CHECK(last["type"] == "response.failed");
  CHECK(last["response"]["error"]["message"] == "prompt is too long");
  CHECK(last["response"]["error"]["code"] == "invalid_prompt");
}

TEST_CASE("a conversation that only its own provider can read is refused by its place") {
  rig gateway{replying("{ok: {}}")};
  const std::string items = R"("input":[{"type":"compaction","encrypted_content":"gAAAAx"},)"
                            R"({"role":"user","content":"continue"}]})";
  for (const std::string model : {"claude-x", "gemini-x", "chat-x"}) {
    CAPTURE(model);
    const auto answer = gateway.post("/v1/responses", R"({"model":")" + model + R"(",)" + items);
    CHECK(answer.status == 400);
    CHECK_THAT(error_message(client::responses, answer), ContainsSubstring("input[0]"));
  }
  CHECK(gateway.post("/v1/responses", R"({"model":"gpt-x",)" + items).status == 200);
}

TEST_CASE("an answer that is an error under 200 has the status that its words stand for") {
  const auto status = [](client who, const std::string& model, const std::string& body) {
    rig gateway{replying("{error: {status: 200, body: '" + body + "'}}")};
    const auto answer = ask(gateway, who, model, false);
    error_message(who, answer);
    return answer.status;
  };
  CHECK(status(client::chat, "claude-x",
               R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})") == 529);
  CHECK(status(client::messages, "gpt-x",
               R"({"id":"r","status":"failed","output":[],"error":{"code":"rate_limit_exceeded",)"
               R"("message":"slow"}})") == 429);
}

TEST_CASE("a call that would run without its arguments is a failure to clients of objects") {
  const std::string body =
      R"({"id":"c","choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function",)"
      R"("function":{"name":"delete","arguments":"{\"path\": "}}]},"finish_reason":"tool_calls"}]})";
  const std::string reply = "{error: {status: 200, body: '" + body + "'}}";
  for (const auto who : {client::messages, client::gemini}) {
    rig gateway{replying(reply)};
    const auto answer = ask(gateway, who, "chat-x", false);
    CHECK(answer.status == 502);
    CHECK_THAT(error_message(who, answer), ContainsSubstring("delete"));
  }
  rig gateway{replying(reply)};
  CHECK(ask(gateway, client::responses, "chat-x", false).status == 200);
}

TEST_CASE("a used-up pool gives the same final answer to every client of a provider") {
  const std::vector<std::pair<std::string, std::string>> providers{{"gpt-x", "usage-limit"},
                                                                   {"chat-x", "insufficient-quota"},
                                                                   {"claude-x", "claude-unified"},
                                                                   {"gemini-x", "google-quota"}};
  for (const auto& [model, preset] : providers) {
    rig gateway{replying("{error: {preset: " + preset + ", resets-in: 2h, window-minutes: 300}}")};
    std::string openai_body;
    for (const auto who : every_client) {
      for (const bool stream : {false, true}) {
        CAPTURE(to_string(who), model, stream);
        const auto answer = ask(gateway, who, model, stream);
        CHECK(answer.status == 429);
        CHECK(answer.field("content-type") == "application/json");
        CHECK(answer.field("x-should-retry") == "false");
        CHECK(answer.fields.count("retry-after") == 0);
        const bool account = who == client::messages;
        CHECK((answer.fields.count("anthropic-ratelimit-unified-status") == 1) == account);
        const auto body = json::parse(answer.body);
        const auto& error = body["error"];
        CHECK(error["retryable"] == false);
        CHECK(error["resets_at"].get<std::int64_t>() >= to_unix_ceil(t0 + std::chrono::hours{2}));
        CHECK_THAT(error["message"].get<std::string>(),
                   ContainsSubstring("All credentials for model " + model + " are cooling down"));
        if (who == client::messages) {
          CHECK(body["type"] == "error");
          CHECK(error["type"] == "rate_limit_error");
          CHECK(error.size() == 4);
          CHECK_THAT(error["message"].get<std::string>(), ContainsSubstring("(reset after 2h0m"));
          continue;
        }
        CHECK(error["code"] == "model_cooldown");
        CHECK(error["type"] == "usage_limit_reached");
        CHECK(error["model"] == model);
        if (openai_body.empty()) openai_body = answer.body;
        CHECK(answer.body == openai_body);
      }
    }
  }
}

TEST_CASE("a cooling pool gives the same retryable answer to every client of a provider") {
  for (const auto& model : every_model) {
    rig gateway{replying("{error: {status: 429, retry-after: \"600\"}}", "retryable")};
    (void)ask(gateway, client::chat, model, false);
    std::string openai_body;
    for (const auto who : every_client) {
      CAPTURE(to_string(who), model);
      const auto answer = ask(gateway, who, model, false);
      CHECK(answer.status == 429);
      CHECK(answer.fields.count("x-should-retry") == 0);
      CHECK_FALSE(answer.field("retry-after").empty());
      const auto error = json::parse(answer.body)["error"];
      CHECK_FALSE(error.contains("resets_at"));
      CHECK_FALSE(error.contains("retryable"));
      if (who == client::messages) {
        CHECK(error["type"] == "rate_limit_error");
        CHECK(error.size() == 2);
        continue;
      }
      CHECK(error["code"] == "model_cooldown");
      if (openai_body.empty()) openai_body = answer.body;
      CHECK(answer.body == openai_body);
    }
  }
}

TEST_CASE("a used-up quota told inside a stream, before any words, is final for every client") {
  const std::vector<std::pair<std::string, std::string>> providers{{"gpt-x", "usage-limit"},
                                                                   {"gemini-x", "google-quota"}};
  for (const auto& [model, preset] : providers) {
    for (const auto who : every_client) {
      CAPTURE(to_string(who), model);
      rig gateway{
          replying("{ok: {}, fault: {error-event: {preset: " + preset + ", resets-in: 2h}}}")};
      const auto answer = ask(gateway, who, model, true);
      CHECK(answer.status == 429);
      CHECK(answer.field("x-should-retry") == "false");
      CHECK(json::parse(answer.body)["error"]["retryable"] == false);
    }
  }
}

TEST_CASE("an answer that its provider withheld ends as withheld for every client") {
  const std::vector<std::pair<client, std::string>> words{
      {client::responses, R"("reason":"content_filter")"},
      {client::chat, R"("finish_reason":"content_filter")"},
      {client::messages, R"("stop_reason":"refusal")"},
      {client::gemini, R"("SAFETY")"}};
  for (const bool block : {false, true}) {
    const std::string body =
        block
            ? R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}})"
            : R"({"candidates":[{"finishReason":"SAFETY","index":0}]})";
    for (const auto& [who, word] : words) {
      for (const bool stream : {false, true}) {
        CAPTURE(to_string(who), stream, block);
        rig gateway{replying("{error: {status: 200, body: '" + body + "'}}")};
        const auto answer = ask(gateway, who, "gemini-x", stream);
        CHECK(answer.status == 200);
        CHECK_THAT(answer.body, ContainsSubstring(word));
        CHECK_THAT(answer.body, !ContainsSubstring(R"("error":{)"));
      }
    }
  }
}

}  // namespace tidegate::test
