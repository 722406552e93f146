/// Every client protocol reaches every provider, through the whole gateway.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

/// A client's own protocol: how it asks, and how it knows that an answer is whole.
struct client_form {
  std::string name;
  std::string path;         ///< `{m}` is the model
  std::string stream_path;
  std::string ending;       ///< of a stream
  json call(const std::string& model, bool stream) const;
  /// All text of a whole answer.
  std::string text_of(const json& answer) const;
};

json client_form::call(const std::string& model, bool stream) const {
  if (name == "responses") return {{"model", model}, {"input", "say it"}, {"stream", stream}};
  if (name == "gemini") {
    return {{"contents", {{{"role", "user"}, {"parts", {{{"text", "say it"}}}}}}}};
  }
  return {{"model", model},
          {"max_tokens", 64},
          {"stream", stream},
          {"messages", {{{"role", "user"}, {"content", "say it"}}}}};
}

std::string client_form::text_of(const json& answer) const {
  if (name == "chat") return answer["choices"][0]["message"]["content"];
  if (name == "messages") return answer["content"][0]["text"];
  if (name == "gemini") return answer["candidates"][0]["content"]["parts"][0]["text"];
  for (const auto& item : answer["output"]) {
    if (item["type"] == "message") return item["content"][0]["text"];
  }
  return {};
}

const std::vector<client_form>& clients() {
  static const std::vector<client_form> all{
      {"responses", "/v1/responses", "/v1/responses", "response.completed"},
      {"chat", "/v1/chat/completions", "/v1/chat/completions", "data: [DONE]"},
      {"messages", "/v1/messages", "/v1/messages", "message_stop"},
      {"gemini", "/v1beta/models/{m}:generateContent",
       "/v1beta/models/{m}:streamGenerateContent?alt=sse", "finishReason"}};
  return all;
}

const std::vector<std::string> models{"gpt-x", "chat-x", "claude-x", "gemini-x"};

std::string at(std::string path, const std::string& model) {
  const auto mark = path.find("{m}");
  return mark == std::string::npos ? path : path.replace(mark, 3, model);
}

rig_options says(const std::string& reply) {
  rig_options options;
  options.sim_script = "rules: [{replies: [" + reply + "]}]\n";
  return options;
}

}  // namespace

TEST_CASE("every client gets a whole answer of every provider in its own words") {
  rig gateway{says("{ok: {text: high tide at noon, usage: {input: 11, output: 7}}}")};
  for (const auto& client : clients()) {
    for (const auto& model : models) {
      CAPTURE(client.name, model);
      const auto answer =
          gateway.post(at(client.path, model), client.call(model, false).dump());
      CHECK(answer.status == 200);
      CHECK(answer.field("content-type").starts_with("application/json"));
      const auto body = json::parse(answer.body, nullptr, false);
      REQUIRE(body.is_object());
      CHECK(client.text_of(body) == "high tide at noon");
    }
  }
}

TEST_CASE("every client gets a stream of every provider with its own protocol's ending") {
  rig gateway{says("{ok: {text: high tide at noon, chunks: 4}}")};
  for (const auto& client : clients()) {
    for (const auto& model : models) {
      CAPTURE(client.name, model);
      const auto answer =
          gateway.post(at(client.stream_path, model), client.call(model, true).dump());
      CHECK(answer.status == 200);
      CHECK(answer.complete);
      CHECK(answer.field("content-type").starts_with("text/event-stream"));
      CHECK_THAT(answer.body, ContainsSubstring("high"));
      CHECK_THAT(answer.body, ContainsSubstring("noon"));
      const auto ending = answer.body.find(client.ending);
      REQUIRE(ending != std::string::npos);
      if (client.name != "gemini" && client.name != "messages") {
        CHECK(answer.body.find(client.ending, ending + client.ending.size() + 40) ==
              std::string::npos);
      }
    }
  }
}

TEST_CASE("a used-up pool is final in every client's shape, whatever the provider") {
  struct row {
    std::string model;
    std::string preset;
  };
  const std::vector<row> providers{{"gpt-x", "usage-limit"},
                                   {"chat-x", "insufficient-quota"},
                                   {"claude-x", "claude-unified"},
                                   {"gemini-x", "google-quota"}};
  for (const auto& provider : providers) {
    rig gateway{says("{error: {preset: " + provider.preset + ", resets-in: 2h}}")};
    for (const auto& client : clients()) {
      CAPTURE(client.name, provider.model);
      const auto answer = gateway.post(at(client.path, provider.model),
                                       client.call(provider.model, false).dump());
      CHECK(answer.status == 429);
      CHECK(answer.field("x-should-retry") == "false");
      const auto body = json::parse(answer.body, nullptr, false);
      REQUIRE(body.contains("error"));
      if (client.name == "messages") CHECK(body["type"] == "error");
    }
  }
}

TEST_CASE("a cut after content ends a translated stream with the client's own error") {
  const std::vector<std::string> good{"response.completed", "data: [DONE]", "message_stop", "STOP"};
  rig gateway{says("{ok: {chunks: 6}, fault: {cut-after-chunks: 2}}")};
  for (std::size_t i = 0; i < clients().size(); ++i) {
    for (const auto& model : models) {
      CAPTURE(clients()[i].name, model);
      const auto answer = gateway.post(at(clients()[i].stream_path, model),
                                       clients()[i].call(model, true).dump());
      CHECK(answer.status == 200);
      CHECK_THAT(answer.body, ContainsSubstring("part1"));
      CHECK_THAT(answer.body, ContainsSubstring("error"));
      CHECK_THAT(answer.body, !ContainsSubstring(good[i]));
    }
  }
}

TEST_CASE("a stream's failure before its first word is an error reply in the client's shape") {
  rig gateway{says("{ok: {chunks: 6}, fault: {error-event-after-chunks: 0}}")};
  for (const auto& client : clients()) {
    for (const auto& model : models) {
      CAPTURE(client.name, model);
      const auto answer =
          gateway.post(at(client.stream_path, model), client.call(model, true).dump());
      CHECK(answer.status >= 500);
      const auto body = json::parse(answer.body, nullptr, false);
      REQUIRE(body.is_object());
      REQUIRE(body.contains("error"));
      CHECK(body["error"]["message"].is_string());
      CHECK_FALSE(body.contains("response"));
    }
  }
}

TEST_CASE("a tool call of every provider reaches every client with its name and arguments") {
  rig gateway{says(R"({ok: {tool-calls: [{name: get_tide, arguments: '{"port":"Kiel"}'}]}})")};
  for (const auto& client : clients()) {
    for (const auto& model : models) {
      for (const bool stream : {false, true}) {
        CAPTURE(client.name, model, stream);
        const auto& path = stream ? client.stream_path : client.path;
        const auto answer = gateway.post(at(path, model), client.call(model, stream).dump());
        CHECK(answer.status == 200);
        CHECK_THAT(answer.body, ContainsSubstring("get_tide"));
        CHECK_THAT(answer.body, ContainsSubstring("Kiel"));
      }
    }
  }
}

}  // namespace tidegate::test
