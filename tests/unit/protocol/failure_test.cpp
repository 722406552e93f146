#include "protocol/failure.hpp"

#include "tests/support/catch.hpp"

#include <optional>
#include <string>
#include <string_view>

using namespace tidegate;
using namespace tidegate::protocol;
using namespace std::chrono_literals;

namespace {

constexpr instant t0 = from_unix(1'800'000'000);

failure exhausted(failure_kind kind) {
  failure what;
  what.kind = kind;
  what.model = "gpt-x";
  what.providers = "codex";
  what.last_error = "usage_limit_reached: Window used up";
  what.reset_at = t0 + 2h;
  what.window = 300min;
  return what;
}

std::optional<std::string> find(const reply& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

bool has_prefix(const reply& answer, std::string_view prefix) {
  for (const auto& [key, value] : answer.headers) {
    if (key.starts_with(prefix)) return true;
  }
  return false;
}

const std::string cooldown_json =
    R"({"error":{"code":"model_cooldown","last_upstream_error":"usage_limit_reached: Window used )"
    R"(up","message":"All credentials for model gpt-x are cooling down via provider codex (last )"
    R"j(error: usage_limit_reached: Window used up)","model":"gpt-x","provider":"codex",)j"
    R"("reset_seconds":7200,"reset_time":"2h0m0s"}})";

const std::string usage_limit_json =
    R"({"error":{"code":"model_cooldown","type":"usage_limit_reached","resets_at":1800007200,)"
    R"("retryable":false,"limit_window_minutes":300,"message":"All credentials for model gpt-x )"
    R"j(are cooling down via provider codex (last error: usage_limit_reached: Window used )j"
    R"j(up)","model":"gpt-x","provider":"codex","reset_seconds":7200,"reset_time":"2h0m0s",)j"
    R"("last_upstream_error":"usage_limit_reached: Window used up"}})";

const std::string cooldown_messages =
    R"({"type":"error","error":{"type":"rate_limit_error","message":"All credentials for model )"
    R"(gpt-x are cooling down via provider codex (last error: usage_limit_reached: Window used )"
    R"j(up)"}})j";

const std::string usage_limit_messages =
    R"({"type":"error","error":{"type":"rate_limit_error","message":"All credentials for model )"
    R"(gpt-x are cooling down via provider codex (last error: usage_limit_reached: Window used )"
    R"j(up) (reset after 2h0m0s)","resets_at":1800007200,"retryable":false}})j";

}  // namespace

TEST_CASE("each mode has its exact body on each surface [T10-T33][T87][T88]") {
  const auto [kind, form, body] = GENERATE(table<failure_kind, wire, std::string>({
      {failure_kind::model_cooldown, wire::openai_responses, cooldown_json},
      {failure_kind::model_cooldown, wire::openai_chat, cooldown_json},
      {failure_kind::model_cooldown, wire::gemini, cooldown_json},
      {failure_kind::model_cooldown, wire::anthropic_messages, cooldown_messages},
      {failure_kind::usage_limit, wire::openai_responses, usage_limit_json},
      {failure_kind::usage_limit, wire::openai_chat, usage_limit_json},
      {failure_kind::usage_limit, wire::gemini, usage_limit_json},
      {failure_kind::usage_limit, wire::anthropic_messages, usage_limit_messages},
  }));
  const reply answer = encode_failure(form, exhausted(kind), t0);
  CHECK(answer.status == 429);
  CHECK(answer.body == body);
}

TEST_CASE("a retryable answer says when, and nothing that belongs to a final one [T87]") {
  const auto form = GENERATE(wire::openai_responses, wire::openai_chat, wire::anthropic_messages,
                             wire::gemini);
  const reply answer = encode_failure(form, exhausted(failure_kind::model_cooldown), t0);
  CHECK(answer.headers == std::vector<header>{{"Content-Type", "application/json"},
                                              {"Retry-After", "7200"}});
}

TEST_CASE("a final answer names the window and never a wait [T84]") {
  const std::vector<header> common{{"Content-Type", "application/json"},
                                   {"X-Should-Retry", "false"},
                                   {"X-Codex-Primary-Used-Percent", "100"},
                                   {"X-Codex-Primary-Window-Minutes", "300"},
                                   {"X-Codex-Primary-Reset-At", "1800007200"}};
  for (const auto form : {wire::openai_responses, wire::openai_chat, wire::gemini}) {
    CHECK(encode_failure(form, exhausted(failure_kind::usage_limit), t0).headers == common);
  }
  auto messages = common;
  messages.emplace_back("anthropic-ratelimit-unified-status", "rejected");
  messages.emplace_back("anthropic-ratelimit-unified-reset", "1800007200");
  messages.emplace_back("anthropic-ratelimit-unified-representative-claim", "five_hour");
  CHECK(encode_failure(wire::anthropic_messages, exhausted(failure_kind::usage_limit), t0)
            .headers == messages);
}

TEST_CASE("the window decides between primary and secondary [T51][A7]") {
  const auto [minutes, stem, other, claim] =
      GENERATE(table<int, std::string, std::string, std::string>({
          {1, "X-Codex-Primary-", "X-Codex-Secondary-", "-"},
          {300, "X-Codex-Primary-", "X-Codex-Secondary-", "five_hour"},
          {1439, "X-Codex-Primary-", "X-Codex-Secondary-", "-"},
          {1440, "X-Codex-Secondary-", "X-Codex-Primary-", "seven_day"},
          {10080, "X-Codex-Secondary-", "X-Codex-Primary-", "seven_day"},
          {43200, "X-Codex-Secondary-", "X-Codex-Primary-", "seven_day"},
      }));
  failure what = exhausted(failure_kind::usage_limit);
  what.window = std::chrono::minutes{minutes};
  const reply answer = encode_failure(wire::anthropic_messages, what, t0);
  CHECK(find(answer, stem + "Used-Percent") == "100");
  CHECK(find(answer, stem + "Window-Minutes") == std::to_string(minutes));
  CHECK(find(answer, stem + "Reset-At") == "1800007200");
  CHECK_FALSE(has_prefix(answer, other));
  CHECK(find(answer, "anthropic-ratelimit-unified-representative-claim").value_or("-") == claim);
}

TEST_CASE("an unknown window gives no window headers and no field [T52][A8]") {
  failure what = exhausted(failure_kind::usage_limit);
  what.window = GENERATE(as<std::optional<std::chrono::minutes>>{}, std::nullopt, 0min);
  const reply chat = encode_failure(wire::openai_chat, what, t0);
  CHECK_FALSE(has_prefix(chat, "X-Codex-"));
  CHECK(chat.body.find("limit_window_minutes") == std::string::npos);
  CHECK(find(chat, "X-Should-Retry") == "false");
  const reply messages = encode_failure(wire::anthropic_messages, what, t0);
  CHECK_FALSE(has_prefix(messages, "X-Codex-"));
  CHECK(find(messages, "anthropic-ratelimit-unified-status") == "rejected");
  CHECK(find(messages, "anthropic-ratelimit-unified-reset") == "1800007200");
  CHECK_FALSE(find(messages, "anthropic-ratelimit-unified-representative-claim"));
}

TEST_CASE("the reset is one whole second in every form of a final answer [A9]") {
  failure what = exhausted(failure_kind::usage_limit);
  what.reset_at = t0 + 7200s + 400ms;
  const reply answer = encode_failure(wire::openai_chat, what, t0 + 900ms);
  CHECK_THAT(answer.body, ContainsSubstring("\"resets_at\":1800007201,"));
  CHECK_THAT(answer.body, ContainsSubstring("\"reset_seconds\":7201,"));
  CHECK_THAT(answer.body, ContainsSubstring("\"reset_time\":\"2h0m0s\""));
  CHECK(find(answer, "X-Codex-Primary-Reset-At") == "1800007201");
}

TEST_CASE("a wait is rounded up, its text to the nearest second, and never below one") {
  const auto [left, header_text, seconds, text] =
      GENERATE(table<std::chrono::milliseconds, std::string, std::string, std::string>({
          {7'200'400ms, "7201", "7201", "2h0m0s"},
          {301s, "301", "301", "5m1s"},
          {45s, "45", "45", "45s"},
          {60s, "60", "60", "1m0s"},
          {450'000s, "450000", "450000", "125h0m0s"},
          {300ms, "1", "1", "1s"},
          {0ms, "1", "0", "0s"},
          {-5s, "1", "0", "0s"},
      }));
  failure what = exhausted(failure_kind::model_cooldown);
  what.reset_at = t0 + left;
  const reply answer = encode_failure(wire::openai_chat, what, t0);
  CHECK(find(answer, "Retry-After") == header_text);
  CHECK_THAT(answer.body, ContainsSubstring("\"reset_seconds\":" + seconds + ","));
  CHECK_THAT(answer.body, ContainsSubstring("\"reset_time\":\"" + text + "\""));
}

TEST_CASE("unknown parts are left out of the sentence and the body [A15][A28]") {
  failure what;
  what.kind = GENERATE(failure_kind::model_cooldown, failure_kind::usage_limit);
  what.reset_at = t0 + 1h;
  SECTION("no model") {
    const auto body = encode_failure(wire::openai_chat, what, t0).body;
    CHECK_THAT(body, ContainsSubstring(
                         "\"message\":\"All credentials for requested model are cooling down\""));
    CHECK_THAT(body, ContainsSubstring("\"model\":\"\""));
    CHECK(body.find("last_upstream_error") == std::string::npos);
  }
  SECTION("several providers") {
    what.model = "team/fast(high)";
    what.providers = "claude,codex";
    const auto body = encode_failure(wire::openai_chat, what, t0).body;
    CHECK_THAT(body, ContainsSubstring("model team/fast(high) are cooling down\""));
    CHECK(body.find("\"provider\"") == std::string::npos);
  }
}

TEST_CASE("texts from outside cannot break out of the body") {
  failure what = exhausted(failure_kind::usage_limit);
  what.model = "a\"},{\"b\":\"";
  what.last_error = "line\nbreak \xFF";
  const std::string body = encode_failure(wire::openai_chat, what, t0).body;
  CHECK_THAT(body, ContainsSubstring(R"("model":"a\"},{\"b\":\"")"));
  CHECK_THAT(body, ContainsSubstring("line\\nbreak \xEF\xBF\xBD"));
}

TEST_CASE("a request's own fault names its code, where a shape has no member for it in the message") {
  failure what;
  what.kind = failure_kind::invalid_request;
  what.code = "UNKNOWN_LEVEL";
  what.message = "no such level";
  CHECK(encode_failure(wire::openai_chat, what, t0).body ==
        R"({"error":{"message":"no such level","type":"invalid_request_error",)"
        R"("code":"UNKNOWN_LEVEL"}})");
  CHECK(encode_failure(wire::anthropic_messages, what, t0).body ==
        R"({"type":"error","error":{"type":"invalid_request_error",)"
        R"("message":"UNKNOWN_LEVEL: no such level"}})");
  CHECK(encode_failure(wire::gemini, what, t0).body ==
        R"({"error":{"code":400,"message":"UNKNOWN_LEVEL: no such level",)"
        R"("status":"INVALID_ARGUMENT"}})");
  CHECK_THAT(encode_stream_failure(wire::openai_responses, what, t0, false),
             ContainsSubstring(R"("code":"UNKNOWN_LEVEL")"));
}
