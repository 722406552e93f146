/// Providers that share their protocol with another one, through sockets: where they are asked,
/// what they are sent, what becomes of their answers.

#include <nlohmann/json.hpp>

#include "tests/integration/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/script_server.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

constexpr const char* served = "rules:\n  - replies: [{ok: {text: served}}]\n";

const std::string service_account = R"({"type":"vertex","access_token":"vertex-token",)"
                                    R"("expired":"2030-01-01T00:00:00Z","project_id":"invented",)"
                                    R"("location":"europe-west4","base_url":"${sim}"})";
const std::string antigravity_account =
    R"({"type":"antigravity","access_token":"antigravity-token","project_id":"invented",)"
    R"("base_url":"${sim}"})";

rig_options key_at(const std::string& family, const std::string& path) {
  rig_options options;
  options.sim_script = served;
  options.keys = "  " + family + ":\n    - {name: one, base-url: \"${sim}" + path +
                 "\", keys: [{api-key: " + family + "-1}]}\n";
  return options;
}

rig_options account(const std::string& file) {
  auto options = key_at("gemini", "");
  options.keys = "  claude: []\n";
  options.files["account.json"] = file;
  return options;
}

struct call_row {
  const char* what;
  std::string path;
  std::string body;
  std::string upstream_path;
};

void check_rows(rig& gateway, const std::vector<call_row>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const auto answer = gateway.post(row.path, row.body);
    CAPTURE(answer.body);
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK_THAT(answer.body, ContainsSubstring("served"));
    CHECK_THAT(answer.body, !ContainsSubstring("traceId"));
    CHECK(gateway.paths().back() == row.upstream_path);
  }
}

std::string chat(const std::string& model, bool stream = false) {
  return R"({"model":")" + model + R"(","messages":[{"role":"user","content":"hello"}],"stream":)" +
         (stream ? "true" : "false") + "}";
}

std::string messages(const std::string& model, bool stream = false) {
  return R"({"max_tokens":99,)" + chat(model, stream).substr(1);
}

std::string responses(const std::string& model, bool stream = false) {
  return R"({"model":")" + model + R"(","input":"hello","stream":)" + (stream ? "true" : "false") +
         "}";
}

const std::string contents = R"({"contents":[{"role":"user","parts":[{"text":"hello"}]}]})";

}  // namespace

TEST_CASE("Vertex: an express key serves every client at Google's own models") {
  rig gateway{key_at("vertex", "")};
  const std::string model = "/v1/publishers/google/models/gemini-2.5-flash:";
  check_rows(
      gateway,
      {
          {"own", "/v1beta/models/gemini-2.5-flash:generateContent", contents,
           model + "generateContent"},
          {"own stream", "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", contents,
           model + "streamGenerateContent"},
          {"Chat", "/v1/chat/completions", chat("gemini-2.5-flash"), model + "generateContent"},
          {"Messages stream", "/v1/messages", messages("gemini-2.5-flash", true),
           model + "streamGenerateContent"},
      });
  CHECK(gateway.calls("vertex-1") == 4);
  const auto open = gateway.post("/v1/chat/completions", chat("meta/llama-x-maas"));
  CHECK(open.status == 400);
  CHECK_THAT(open.body, ContainsSubstring("model_not_found"));
}

TEST_CASE("Vertex: a service account serves both kinds of models") {
  rig gateway{account(service_account)};
  const std::string place = "/v1/projects/invented/locations/europe-west4/";
  check_rows(gateway, {
                          {"own", "/v1beta/models/gemini-2.5-flash:generateContent", contents,
                           place + "publishers/google/models/gemini-2.5-flash:generateContent"},
                          {"open", "/v1/chat/completions", chat("meta/llama-x-maas"),
                           place + "endpoints/openapi/chat/completions"},
                          {"open stream", "/v1/chat/completions", chat("meta/llama-x-maas", true),
                           place + "endpoints/openapi/chat/completions"},
                          {"open, translated", "/v1/messages", messages("meta/llama-x-maas", true),
                           place + "endpoints/openapi/chat/completions"},
                          {"open, Gemini", "/v1beta/models/meta/llama-x-maas:generateContent",
                           contents, place + "endpoints/openapi/chat/completions"},
                      });
  CHECK(gateway.calls("vertex-token") == 5);
}

TEST_CASE("Vertex: a used-up quota of an open model is a final answer [T74]") {
  for (const std::string wrapped : {"false", "true"}) {
    auto options = account(service_account);
    options.sim_script =
        "rules:\n  - replies:\n      - error: {preset: google-quota, resets-in: 2h, wrapped: " +
        wrapped + "}\n";
    rig gateway{options};
    const auto answer = gateway.post("/v1/chat/completions", chat("meta/llama-x-maas"));
    CAPTURE(answer.body);
    CHECK(answer.status == 429);
    CHECK(answer.field("x-should-retry") == "false");
    CHECK(json::parse(answer.body)["error"]["type"] == "usage_limit_reached");
  }
}

TEST_CASE("Vertex: Imagen's picture is an answer to every client, streamed or not") {
  const std::string predictions = R"({"predictions":[{"bytesBase64Encoded":"c2VydmVk"}]})";
  transcript seen;
  script_server vertex([&](peer& at, int) {
    const auto request = at.read_request();
    seen.add(request.substr(0, request.find(' ', request.find(' ') + 1)));
    at.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
            std::to_string(predictions.size()) + "\r\n\r\n" + predictions);
  });
  auto options = key_at("vertex", "");
  options.keys = "  vertex:\n    - {name: one, base-url: \"" + vertex.url("") +
                 "\", keys: [{api-key: vertex-1}]}\n";
  rig gateway{options};
  const std::string model = "/v1beta/models/imagen-4.0-generate-001:";
  const auto whole = gateway.post(model + "generateContent", contents);
  CAPTURE(whole.body);
  CHECK(whole.status == 200);
  const auto part = json::parse(whole.body)["candidates"][0]["content"]["parts"][0];
  CHECK(part["inlineData"]["data"] == "c2VydmVk");
  const auto events = gateway.post(model + "streamGenerateContent?alt=sse", contents);
  CAPTURE(events.body);
  CHECK(events.status == 200);
  CHECK(events.field("content-type") == "text/event-stream");
  CHECK(events.body == "data: " + whole.body + "\n\n");
  const auto list = gateway.post(model + "streamGenerateContent", contents);
  CAPTURE(list.body);
  CHECK(json::parse(list.body) == json::array({json::parse(whole.body)}));
  const auto chat_answer =
      gateway.post("/v1/chat/completions", chat("imagen-4.0-generate-001", true));
  CAPTURE(chat_answer.body);
  CHECK(chat_answer.status == 200);
  CHECK_THAT(chat_answer.body, ContainsSubstring("c2VydmVk"));
  CHECK(seen.size() == 4);
  for (const auto& one : seen.all()) {
    CHECK(one == "POST /v1/publishers/google/models/imagen-4.0-generate-001:predict");
  }
}

TEST_CASE("Vertex: what is no answer of Imagen's is a failed attempt, for a Gemini client, too") {
  script_server vertex([&](peer& at, int) {
    while (!at.read_request().empty()) {
      at.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n"
              R"({"predictions":7})");
    }
  });
  auto options = key_at("vertex", "");
  options.keys = "  vertex:\n    - {name: one, base-url: \"" + vertex.url("") +
                 "\", keys: [{api-key: vertex-1}]}\n";
  rig gateway{options};
  const std::string model = "/v1beta/models/imagen-4.0-generate-001:";
  for (const auto* method : {"generateContent", "streamGenerateContent?alt=sse"}) {
    const auto answer = gateway.post(model + method, contents);
    CHECK(answer.status == 502);
    CHECK_THAT(answer.body, ContainsSubstring("no predictions"));
  }
}

TEST_CASE("xAI: a conversation that a header names reaches it, translated or not") {
  rig gateway{key_at("xai", "/v1")};
  for (const std::string path : {"/v1/responses", "/v1/chat/completions"}) {
    const auto body = path == "/v1/responses" ? responses("grok-4.5") : chat("grok-4.5");
    CHECK(gateway.post(path, body, "X-Session-ID: s-1\r\n").status == 200);
    const auto seen = gateway.upstream().requests();
    REQUIRE(seen);
    CHECK(json::parse(seen->requests.back().body)["prompt_cache_key"] == "s-1");
  }
}

TEST_CASE("xAI: answers are streams for the gateway and what they asked for to clients") {
  rig gateway{key_at("xai", "/v1")};
  check_rows(gateway,
             {
                 {"whole", "/v1/responses", responses("grok-4.5"), "/v1/responses"},
                 {"stream", "/v1/responses", responses("grok-4.5", true), "/v1/responses"},
                 {"Chat", "/v1/chat/completions", chat("grok-4.5"), "/v1/responses"},
                 {"Messages stream", "/v1/messages", messages("grok-4.5", true), "/v1/responses"},
             });
  const auto seen = gateway.upstream().requests();
  REQUIRE(seen);
  for (const auto& one : seen->requests) {
    CHECK(json::parse(one.body)["stream"] == true);
  }
}

TEST_CASE("xAI: free usage that is used up is waited for, not final") {
  auto options = key_at("xai", "/v1");
  options.sim_script =
      "rules:\n  - replies:\n      - error: {status: 429, code: "
      "\"subscription:free-usage-exhausted\", message: used up}\n";
  rig gateway{options};
  const auto answer = gateway.post("/v1/responses", responses("grok-4.5"));
  CAPTURE(answer.body);
  CHECK(answer.status == 429);
  CHECK(answer.fields.count("x-should-retry") == 0);
  CHECK(answer.field("retry-after") == "86400");
}

TEST_CASE("xAI: a free-form tool is one for its client, whole and streamed, and searches are hidden") {
  const auto event = [](const std::string& type, const std::string& members) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + members + "}\n\n";
  };
  const std::string search = R"({"type":"custom_tool_call","id":"s","call_id":"xs_call_1",)"
                             R"("name":"x_user_search","input":"q","status":"completed"})";
  const std::string call = R"({"type":"function_call","id":"f","call_id":"c","name":"run",)"
                           R"("arguments":"{\"input\":\"served\"}","status":"completed"})";
  const auto frames =
      event("response.created", R"("response":{"id":"r","status":"in_progress","output":[]})") +
      event("response.output_item.added", R"("output_index":0,"item":)" + search) +
      event("response.output_item.done", R"("output_index":0,"item":)" + search) +
      event("response.output_item.added", R"("output_index":1,"item":)" + call) +
      event("response.function_call_arguments.done",
            R"("output_index":1,"item_id":"f","arguments":"{\"input\":\"served\"}")") +
      event("response.output_item.done", R"("output_index":1,"item":)" + call) +
      event("response.completed", R"("response":{"id":"r","status":"completed","model":"grok-4.5",)"
                                  R"("output":[)" + search + "," + call + "]}");
  script_server xai([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
            frames);
  });
  auto options = key_at("xai", "/v1");
  options.keys = "  xai:\n    - {name: one, base-url: \"" + xai.url("/v1") +
                 "\", keys: [{api-key: xai-1}]}\n";
  rig gateway{options};
  for (const std::string stream : {"false", "true"}) {
    const auto got = gateway.post(
        "/v1/responses", R"({"model":"grok-4.5","input":"x","tools":[{"type":"x_search"},)"
                         R"({"type":"custom","name":"run"}],"stream":)" + stream + "}");
    CAPTURE(got.body);
    CHECK(got.status == 200);
    CHECK(got.complete);
    CHECK_THAT(got.body, ContainsSubstring(R"("type":"custom_tool_call")"));
    CHECK_THAT(got.body, ContainsSubstring(R"("input":"served")"));
    CHECK_THAT(got.body, !ContainsSubstring("function_call"));
    CHECK_THAT(got.body, !ContainsSubstring("x_user_search"));
    CHECK_THAT(got.body, !ContainsSubstring(R"("output_index":1)"));
  }
  const auto chat = gateway.post(
      "/v1/chat/completions",
      R"({"model":"grok-4.5","messages":[{"role":"user","content":"x"}],)"
      R"("tools":[{"type":"custom","custom":{"name":"run"}}]})");
  CAPTURE(chat.body);
  CHECK(chat.status == 200);
  CHECK(json::parse(chat.body)["choices"][0]["message"]["tool_calls"].back()["custom"]["input"] ==
        "served");
}

TEST_CASE("Kimi: Chat and Messages clients are passed on, the others are translated") {
  rig gateway{key_at("kimi", "/coding")};
  const std::string chat_path = "/coding/v1/chat/completions";
  check_rows(
      gateway,
      {
          {"Chat", "/v1/chat/completions", chat("kimi-k2.6"), chat_path},
          {"Messages", "/v1/messages", messages("kimi-k2.6"), "/coding/v1/messages"},
          {"Messages stream", "/v1/messages", messages("kimi-k2.6", true), "/coding/v1/messages"},
          {"Responses", "/v1/responses", responses("kimi-k2.6"), chat_path},
          {"Gemini", "/v1beta/models/kimi-k2.6:generateContent", contents, chat_path},
      });
}

TEST_CASE("Antigravity: clients see answers without their envelope") {
  rig gateway{account(antigravity_account)};
  const std::string whole = "/v1internal:generateContent";
  const std::string stream = "/v1internal:streamGenerateContent";
  const std::string flash = "/v1beta/models/gemini-3-flash:";
  const std::string claude = "/v1beta/models/claude-sonnet-4-5:";
  check_rows(
      gateway,
      {
          {"whole", flash + "generateContent", contents, whole},
          {"stream", flash + "streamGenerateContent?alt=sse", contents, stream},
          {"put together", claude + "generateContent", contents, stream},
          {"Claude stream", claude + "streamGenerateContent?alt=sse", contents, stream},
          {"Chat", "/v1/chat/completions", chat("gemini-3-flash"), whole},
          {"Chat stream", "/v1/chat/completions", chat("gemini-3-flash", true), stream},
          {"Messages", "/v1/messages", messages("claude-sonnet-4-5"), stream},
          {"Responses stream", "/v1/responses", responses("claude-sonnet-4-5", true), stream},
      });
  CHECK(gateway.calls("antigravity-token") == 8);
}

TEST_CASE("Antigravity: a Gemini call to a model that only streams goes out as it was written") {
  rig gateway{account(antigravity_account)};
  const std::string body =
      R"("contents":[{"role":"user","parts":[{"text":"hello", "zeta":1.50e3}]}])";
  const auto got = gateway.post("/v1beta/models/claude-sonnet-4-5:generateContent",
                                "{" + body + R"(,"session_id":"s"})");
  CAPTURE(got.body);
  CHECK(got.status == 200);
  CHECK(got.field("content-type") == "application/json");
  const auto answer = json::parse(got.body);
  CHECK(answer["candidates"][0]["content"]["parts"][0]["text"] == "served");
  CHECK(answer["candidates"][0]["finishReason"] == "STOP");
  CHECK(answer.contains("usageMetadata"));
  const auto seen = gateway.upstream().requests();
  REQUIRE(seen);
  CHECK_THAT(seen->requests.back().body, ContainsSubstring(body));
}

TEST_CASE("Antigravity: a Messages client's search is a request of its own") {
  rig gateway{account(antigravity_account)};
  const auto got = gateway.post(
      "/v1/messages",
      R"({"model":"gemini-3-flash","max_tokens":99,"messages":[{"role":"user","content":"x"}],)"
      R"("tools":[{"type":"web_search_20250305","name":"web_search","max_uses":2}]})");
  CAPTURE(got.body);
  CHECK(got.status == 200);
  const auto seen = gateway.upstream().requests();
  REQUIRE(seen);
  const auto sent = json::parse(seen->requests.back().body);
  CHECK(sent["requestType"] == "web_search");
  CHECK(sent["request"]["tools"][0]["googleSearch"]["enhancedContent"]["imageSearch"]
            ["maxResultCount"] == 2);
}

TEST_CASE("Antigravity: a used-up quota is a final answer, a limit is not") {
  for (const std::string preset : {"google-quota", "google-rate"}) {
    auto options = account(antigravity_account);
    options.sim_script =
        "rules:\n  - replies:\n      - error: {preset: " + preset + ", resets-in: 2h}\n";
    rig gateway{options};
    const auto answer = gateway.post("/v1beta/models/gemini-3-flash:generateContent", contents);
    CAPTURE(answer.body, preset);
    CHECK(answer.status == 429);
    CHECK((answer.field("x-should-retry") == "false") == (preset == "google-quota"));
  }
}

TEST_CASE("Antigravity: what is local to the first address is tried at the second, once") {
  struct row {
    const char* what;
    std::string first;
    std::string second;
    int status;
    std::size_t calls;
  };
  const auto answer = [](const char* status, const std::string& body) {
    return std::string{"HTTP/1.1 "} + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  };
  const auto good = answer("200 OK", R"({"response":{"candidates":[{"content":{"role":"model",)"
                                     R"("parts":[{"text":"served"}]},"finishReason":"STOP"}]}})");
  const auto limit = answer("429 Too Many Requests", R"({"error":{"code":429,"message":"busy"}})");
  const auto full =
      answer("503 Service Unavailable", R"({"error":{"message":"No capacity available"}})");
  const auto broken = answer("500 Internal Server Error", R"({"error":{"message":"broken"}})");
  const std::vector<row> rows{{"limit", limit, good, 200, 2}, {"capacity", full, good, 200, 2},
                              {"no reply", "", good, 200, 2}, {"fault", broken, good, 500, 1},
                              {"both", limit, limit, 429, 2}, {"silent second", limit, "", 429, 2}};
  for (const auto& row : rows) {
    CAPTURE(row.what);
    transcript seen;
    script_server proxy([&](peer& at, int) {
      const auto request = at.read_request();
      seen.add(request.substr(0, request.find(' ', request.find(' ') + 1)));
      at.send(seen.size() == 1 ? row.first : row.second);
    });
    auto options = account(R"({"type":"antigravity","access_token":"a","project_id":"invented",)"
                           R"("base_url":"http://daily-cloudcode-pa.googleapis.com"})");
    options.extra = "requests: {proxy-url: \"" + proxy.url("") + "\"}\n";
    rig gateway{options};
    const auto got = gateway.post("/v1beta/models/gemini-3-flash:generateContent", contents);
    CAPTURE(got.body);
    CHECK(got.status == row.status);
    CHECK(seen.size() == row.calls);
    CHECK(seen.all()[0] ==
          "POST http://daily-cloudcode-pa.googleapis.com/v1internal:generateContent");
    if (row.calls == 2) {
      CHECK(seen.all()[1] == "POST http://cloudcode-pa.googleapis.com/v1internal:generateContent");
    }
  }
}

}  // namespace tidegate::test
