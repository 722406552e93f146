#include "protocol/failure.hpp"
#include "tests/support/catch.hpp"

#include <tuple>

using namespace tidegate;
using namespace tidegate::protocol;
using namespace std::chrono_literals;

namespace {

constexpr instant t0 = from_unix(1'800'000'000);

failure plain(failure_kind kind) {
  failure what;
  what.kind = kind;
  what.message = "some words";
  what.model = "gpt-x";
  what.providers = "codex";
  return what;
}

std::string header_of(const reply& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "-";
}

using row = std::tuple<failure_kind, int, std::string>;

}  // namespace

TEST_CASE("the gateway's own errors in the OpenAI shape") {
  const auto [kind, status, body] = GENERATE(table<failure_kind, int, std::string>({
      row{failure_kind::invalid_request, 400,
          R"({"error":{"message":"some words","type":"invalid_request_error"}})"},
      row{failure_kind::unsupported_encoding, 415,
          R"j({"error":{"message":"Invalid request: unsupported request content encoding: )j"
          R"j(some words","type":"invalid_request_error"}})j"},
      row{failure_kind::missing_key, 401,
          R"j({"error":{"message":"Missing API key","type":"authentication_error","code":")j"
          R"j(invalid_api_key"}})j"},
      row{failure_kind::invalid_key, 401,
          R"j({"error":{"message":"Invalid API key","type":"authentication_error","code":")j"
          R"j(invalid_api_key"}})j"},
      row{failure_kind::forbidden, 403,
          R"({"error":{"message":"some words","type":"permission_error","code":"forbidden"}})"},
      row{failure_kind::model_not_found, 400,
          R"j({"error":{"message":"unknown provider for model gpt-x","type":"invalid_reque)j"
          R"j(st_error","code":"model_not_found","param":"model"}})j"},
      row{failure_kind::route_not_found, 404,
          R"({"error":{"message":"some words","type":"invalid_request_error"}})"},
      row{failure_kind::method_not_allowed, 405,
          R"({"error":{"message":"some words","type":"invalid_request_error"}})"},
      row{failure_kind::body_too_large, 413,
          R"({"error":{"message":"some words","type":"invalid_request_error"}})"},
      row{failure_kind::upgrade_not_served, 426,
          R"({"error":{"message":"some words","type":"invalid_request_error"}})"},
      row{failure_kind::busy, 429,
          R"({"error":{"message":"some words","type":"rate_limit_error",)"
          R"("code":"rate_limit_exceeded"}})"},
      row{failure_kind::not_supported, 501,
          R"({"error":{"message":"some words","type":"server_error","code":"not_supported"}})"},
      row{failure_kind::auth_unavailable, 503,
          R"j({"error":{"message":"auth_unavailable: no auth available (providers=codex, m)j"
          R"j(odel=gpt-x)","type":"server_error","code":"internal_server_error"}})j"},
      row{failure_kind::auth_not_found, 503,
          R"j({"error":{"message":"auth_not_found: no auth available (providers=codex, mod)j"
          R"j(el=gpt-x)","type":"server_error","code":"internal_server_error"}})j"},
      row{failure_kind::auth_required, 503,
          R"j({"error":{"message":"auth_required: every login must be renewed (providers=c)j"
          R"j(odex, model=gpt-x)","type":"authentication_error","code":"upstream_authentic)j"
          R"j(ation_required","retryable":false}})j"},
      row{failure_kind::upstream_failure, 502,
          R"j({"error":{"message":"some words","type":"server_error","code":"internal_serv)j"
          R"j(er_error"}})j"},
      row{failure_kind::upstream_timeout, 504,
          R"j({"error":{"message":"some words","type":"server_error","code":"internal_serv)j"
          R"j(er_error"}})j"},
      row{failure_kind::internal, 500,
          R"j({"error":{"message":"some words","type":"server_error","code":"internal_serv)j"
          R"j(er_error"}})j"},
      row{failure_kind::draining, 503,
          R"j({"error":{"message":"some words","type":"server_error","code":"internal_serv)j"
          R"j(er_error"}})j"},
  }));
  for (const auto form : {wire::openai_responses, wire::openai_chat}) {
    const reply answer = encode_failure(form, plain(kind), t0);
    CHECK(answer.status == status);
    CHECK(answer.body == body);
    CHECK(header_of(answer, "Content-Type") == "application/json");
  }
}

TEST_CASE("a bound that nobody explains is that of the credentials' requests") {
  auto what = plain(failure_kind::busy);
  what.message.clear();
  CHECK(encode_failure(wire::openai_chat, what, t0).body ==
        R"({"error":{"message":"All credentials for model gpt-x are busy with as many requests as )"
        R"(they may have; try again shortly","type":"rate_limit_error",)"
        R"("code":"rate_limit_exceeded"}})");
}

TEST_CASE("the gateway's own errors in the Messages and the Gemini shape") {
  const auto [kind, type, google] = GENERATE(table<failure_kind, std::string, std::string>({
      {failure_kind::invalid_request, "invalid_request_error", "INVALID_ARGUMENT"},
      {failure_kind::forbidden, "permission_error", "PERMISSION_DENIED"},
      {failure_kind::route_not_found, "not_found_error", "NOT_FOUND"},
      {failure_kind::method_not_allowed, "invalid_request_error", "INVALID_ARGUMENT"},
      {failure_kind::body_too_large, "request_too_large", "INVALID_ARGUMENT"},
      {failure_kind::upgrade_not_served, "invalid_request_error", "INVALID_ARGUMENT"},
      {failure_kind::upstream_failure, "api_error", "UNAVAILABLE"},
      {failure_kind::upstream_timeout, "timeout_error", "DEADLINE_EXCEEDED"},
      {failure_kind::internal, "api_error", "INTERNAL"},
      {failure_kind::draining, "api_error", "UNAVAILABLE"},
  }));
  const reply messages = encode_failure(wire::anthropic_messages, plain(kind), t0);
  CHECK(messages.body ==
        R"({"type":"error","error":{"type":")" + type + R"(","message":"some words"}})");
  const reply gemini = encode_failure(wire::gemini, plain(kind), t0);
  CHECK(gemini.status == messages.status);
  CHECK(gemini.body == R"({"error":{"code":)" + std::to_string(gemini.status) +
                           R"(,"message":"some words","status":")" + google + R"("}})");
}

TEST_CASE("a surface that no provider has is not asked for again") {
  const reply answer = encode_failure(wire::openai_responses, plain(failure_kind::not_supported), t0);
  CHECK(header_of(answer, "X-Should-Retry") == "false");
  CHECK(header_of(answer, "Retry-After") == "-");
}

TEST_CASE("fixed wordings reach every surface") {
  const auto [kind, type, google, text] =
      GENERATE(table<failure_kind, std::string, std::string, std::string>({
          {failure_kind::missing_key, "authentication_error", "UNAUTHENTICATED",
           "Missing API key"},
          {failure_kind::invalid_key, "authentication_error", "UNAUTHENTICATED",
           "Invalid API key"},
          {failure_kind::model_not_found, "invalid_request_error", "INVALID_ARGUMENT",
           "unknown provider for model gpt-x"},
          {failure_kind::auth_unavailable, "api_error", "UNAVAILABLE",
           "auth_unavailable: no auth available (providers=codex, model=gpt-x)"},
          {failure_kind::auth_required, "authentication_error", "UNAVAILABLE",
           "auth_required: every login must be renewed (providers=codex, model=gpt-x)"},
      }));
  CHECK(encode_failure(wire::anthropic_messages, plain(kind), t0).body ==
        R"({"type":"error","error":{"type":")" + type + R"(","message":")" + text + R"("}})");
  const reply gemini = encode_failure(wire::gemini, plain(kind), t0);
  CHECK(gemini.body == R"({"error":{"code":)" + std::to_string(gemini.status) +
                           R"(,"message":")" + text + R"(","status":")" + google + R"("}})");
}

TEST_CASE("without words the reason phrase speaks") {
  failure what;
  what.kind = failure_kind::upstream_failure;
  CHECK(encode_failure(wire::anthropic_messages, what, t0).body ==
        R"({"type":"error","error":{"type":"api_error","message":"Bad Gateway"}})");
}

TEST_CASE("missing names are unknown and the last error is shown") {
  failure what;
  what.kind = failure_kind::auth_unavailable;
  what.last_error = "boom";
  CHECK_THAT(encode_failure(wire::openai_chat, what, t0).body,
             ContainsSubstring("(providers=unknown, model=unknown; last upstream error: boom)"));
  what.model = " m ";
  what.providers = "claude,codex";
  CHECK_THAT(encode_failure(wire::openai_chat, what, t0).body,
             ContainsSubstring("(providers=claude,codex, model=m; last"));
}

TEST_CASE("who may come back is told when, on every surface") {
  const auto form = GENERATE(wire::openai_responses, wire::openai_chat, wire::anthropic_messages,
                             wire::gemini);
  failure what = plain(failure_kind::auth_unavailable);
  CHECK(header_of(encode_failure(form, what, t0), "Retry-After") == "-");
  what.reset_at = t0 + 1500ms;
  CHECK(header_of(encode_failure(form, what, t0), "Retry-After") == "2");
  CHECK(header_of(encode_failure(form, what, t0 + 1h), "Retry-After") == "1");
  CHECK(header_of(encode_failure(form, plain(failure_kind::draining), t0), "Retry-After") == "1");
  CHECK(header_of(encode_failure(form, plain(failure_kind::busy), t0), "Retry-After") == "1");
  CHECK(header_of(encode_failure(form, plain(failure_kind::model_cooldown), t0), "Retry-After") ==
        "1");
  what.kind = failure_kind::auth_required;
  const reply dead = encode_failure(form, what, t0);
  CHECK(header_of(dead, "Retry-After") == "-");
  CHECK(header_of(dead, "X-Should-Retry") == "false");
}
