#include "protocol/upstream_error.hpp"

#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace tidegate;
using namespace tidegate::protocol;
using namespace std::chrono_literals;

namespace {

std::string relayed(wire form, int status, std::string_view body,
                    std::string_view type = "application/json") {
  return relay_error(form, status, body, type, std::nullopt).body;
}

std::string retry_after(const reply& answer) {
  for (const auto& [key, value] : answer.headers) {
    if (key == "Retry-After") return value;
  }
  return "-";
}

}  // namespace

TEST_CASE("text that is no JSON is wrapped by status") {
  const auto [status, type, code] = GENERATE(table<int, std::string, std::string>({
      {400, "invalid_request_error", ""},
      {401, "authentication_error", "invalid_api_key"},
      {402, "invalid_request_error", ""},
      {403, "permission_error", "insufficient_quota"},
      {404, "invalid_request_error", "model_not_found"},
      {408, "invalid_request_error", ""},
      {429, "rate_limit_error", "rate_limit_exceeded"},
      {500, "server_error", "internal_server_error"},
      {529, "server_error", "internal_server_error"},
  }));
  const std::string tail = code.empty() ? "}}" : ",\"code\":\"" + code + "\"}}";
  for (const auto form : {wire::openai_responses, wire::openai_chat}) {
    const reply answer = relay_error(form, status, " no \"luck\"\n", "text/plain", std::nullopt);
    CHECK(answer.status == status);
    CHECK(answer.body ==
          R"({"error":{"message":"no \"luck\"","type":")" + type + "\"" + tail);
  }
}

TEST_CASE("text that is no JSON is wrapped for Gemini by status") {
  const auto [status, name] = GENERATE(table<int, std::string>({{400, "INVALID_ARGUMENT"},
                                                                {401, "UNAUTHENTICATED"},
                                                                {403, "PERMISSION_DENIED"},
                                                                {404, "NOT_FOUND"},
                                                                {429, "RESOURCE_EXHAUSTED"}}));
  const reply answer = relay_error(wire::gemini, status, "no luck", "text/plain", std::nullopt);
  CHECK(answer.status == status);
  CHECK(answer.body == R"({"error":{"code":)" + std::to_string(status) +
                           R"(,"message":"no luck","status":")" + name + R"("}})");
}

TEST_CASE("text that is no JSON is wrapped for Messages by status") {
  const auto [status, type] = GENERATE(table<int, std::string>({
      {400, "invalid_request_error"}, {401, "authentication_error"}, {402, "billing_error"},
      {403, "permission_error"},      {404, "not_found_error"},      {413, "request_too_large"},
      {422, "invalid_request_error"}, {429, "rate_limit_error"},     {500, "api_error"},
      {503, "api_error"},             {504, "timeout_error"},        {529, "overloaded_error"},
  }));
  CHECK(relayed(wire::anthropic_messages, status, "oops", "text/plain") ==
        R"({"type":"error","error":{"type":")" + type + R"(","message":"oops"}})");
}

TEST_CASE("JSON of the same protocol goes out as it came") {
  const auto [form, body] = GENERATE(table<wire, std::string>({
      {wire::openai_chat, " {\"error\" : {\"message\":\"x\", \"n\":1.0}}\n"},
      {wire::openai_responses, R"({"error":{"type":"insufficient_quota"}})"},
      {wire::gemini, R"({"error":{"code":429,"message":"x","status":"S","details":[{"n":1.0}]}})"},
      {wire::anthropic_messages,
       R"({"type":"error", "error":{"type":"overloaded_error","message":"x"},"request_id":"r"})"},
  }));
  CHECK(relayed(form, 429, body) == body);
}

TEST_CASE("a Gemini client gets Google's shape whatever the provider sent") {
  const auto [status, body, expected] = GENERATE(table<int, std::string, std::string>({
      {429, R"([ {"error":{"code":429,"message":"x","status":"S"}} ])",
       R"({"error":{"code":429,"message":"x","status":"S"}})"},
      {429, R"({"error":{"type":"rate_limit_error","message":"slow \"down\"","code":"r"}})",
       R"({"error":{"code":429,"message":"slow \"down\"","status":"RESOURCE_EXHAUSTED"}})"},
      {400, R"({"error":"just words"})",
       R"({"error":{"code":400,"message":"just words","status":"INVALID_ARGUMENT"}})"},
      {500, R"({"message":"top"})", R"({"error":{"code":500,"message":"top","status":"INTERNAL"}})"},
      {503, R"({"error":{"code":503,"status":"UNAVAILABLE"}})",
       R"({"error":{"code":503,"message":"Service Unavailable","status":"UNAVAILABLE"}})"},
      {404, "[1]", R"({"error":{"code":404,"message":"Not Found","status":"NOT_FOUND"}})"},
      {404, "[", R"({"error":{"code":404,"message":"[","status":"NOT_FOUND"}})"},
  }));
  CHECK(relayed(wire::gemini, status, body) == expected);
}

TEST_CASE("other JSON becomes a Messages error [6.4]") {
  const auto [status, body, type, message] =
      GENERATE(table<int, std::string, std::string, std::string>({
          {429, R"({"error":{"type":"usage_limit_reached","message":"used up"}})",
           "rate_limit_error", "used up"},
          {429, R"({"error":{"type":"insufficient_quota","message":"pay"}})", "rate_limit_error",
           "pay"},
          {429, R"({"type":"error","error":{"type":"usage_limit_reached","message":"used up"}})",
           "rate_limit_error", "used up"},
          {400, R"({"error":{"type":"bad_request_error","message":"no"}})", "bad_request_error",
           "no"},
          {500, R"({"error":{"code":"broken"}})", "api_error", "broken"},
          {500, R"({"error":{"message":7}})", "api_error", "Internal Server Error"},
          {403, R"({"type":"permission_error","message":"top"})", "permission_error", "top"},
          {404, R"({"type":"error","message":"top"})", "not_found_error", "top"},
          {400, R"({"error":"just words"})", "invalid_request_error", "just words"},
          {502, "{}", "api_error", "Bad Gateway"},
          {400, "[1]", "invalid_request_error", "[1]"},
      }));
  CAPTURE(body);
  CHECK(relayed(wire::anthropic_messages, status, body) ==
        R"({"type":"error","error":{"type":")" + type + R"(","message":")" + message + R"("}})");
}

TEST_CASE("markup and empty bodies are replaced by the reason phrase") {
  CHECK_THAT(relayed(wire::openai_chat, 502, "<html>x</html>", ""),
             ContainsSubstring("\"message\":\"Bad Gateway\""));
  CHECK_THAT(relayed(wire::openai_chat, 503, "x", "Text/HTML; charset=utf-8"),
             ContainsSubstring("\"message\":\"Service Unavailable\""));
  CHECK_THAT(relayed(wire::anthropic_messages, 429, "  "),
             ContainsSubstring("\"message\":\"Too Many Requests\""));
  CHECK_THAT(relayed(wire::openai_chat, 599, ""), ContainsSubstring("\"message\":\"Error\""));
}

TEST_CASE("a status that is no error becomes 500") {
  const int status = GENERATE(0, 200, 302, -1, 600);
  CHECK(relay_error(wire::openai_chat, status, "x", "", std::nullopt).status == 500);
}

TEST_CASE("a known wait is passed on with 429 and 503, at least one second") {
  const auto form = GENERATE(wire::openai_responses, wire::anthropic_messages, wire::gemini);
  CHECK(retry_after(relay_error(form, 429, "{}", "", 30s)) == "30");
  CHECK(retry_after(relay_error(form, 503, "{}", "", 0s)) == "1");
  CHECK(retry_after(relay_error(form, 429, "{}", "", -3s)) == "1");
  CHECK(retry_after(relay_error(form, 500, "{}", "", 30s)) == "-");
  CHECK(retry_after(relay_error(form, 429, "{}", "", std::nullopt)) == "-");
}

TEST_CASE("a long text is cut between characters") {
  std::string text;
  for (std::size_t i = 0; i < upstream_message_max + 10; ++i) text += "é";
  const auto body = nlohmann::json::parse(relayed(wire::openai_chat, 500, text));
  CHECK(body["error"]["message"].get<std::string>().size() == 2 * upstream_message_max);
}

TEST_CASE("any bytes become a JSON body") {
  REQUIRE(rc::check("relay", [](const std::string& bytes, bool messages) {
    const auto form = messages ? wire::anthropic_messages : wire::openai_chat;
    RC_ASSERT(nlohmann::json::accept(relayed(form, 500, bytes)));
    RC_ASSERT(nlohmann::json::accept(relayed(form, 500, "{" + bytes)));
  }));
}

TEST_CASE("official Codex clients are told from others") {
  const auto [agent, originator, codex] = GENERATE(table<std::string, std::string, bool>({
      {"codex_cli_rs/0.171.0 (Linux)", "", true},
      {"codex_cli_rs", "", true},
      {"codex-tui/1.0", "", true},
      {"codex_exec/0.171.0 (Debian 12.0.0; x86_64)", "", true},
      {"codex_execx/1", "", false},
      {"", "codex_exec", true},
      {"", "codex_vscode", true},
      {"", "codex_sdk_ts", true},
      {"Codex Desktop/1.0", "", true},
      {"codex desktop/1.0", "", false},
      {"Codex_cli_rs/1", "", false},
      {"codex_cli_rsx", "", false},
      {"my codex_cli_rs/1", "", false},
      {"", "Codex Desktop", true},
      {"", "CODEX_CLI_RS/1", true},
      {"", "codex-tui", true},
      {"", "codex-tuix", false},
      {"", "codex", false},
      {"", "", false},
  }));
  CAPTURE(agent, originator);
  CHECK(is_codex_client(agent, originator) == codex);
}
