#include "http/server/routes.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::http {

using protocol::surface;
using protocol::wire;

TEST_CASE("each model path means its surface") {
  const auto [method, path, target, model] =
      GENERATE(table<const char*, const char*, surface, const char*>({
          {"POST", "/v1/chat/completions", surface::chat_completions, ""},
          {"POST", "/v1/completions", surface::completions, ""},
          {"POST", "/v1/responses", surface::responses, ""},
          {"POST", "/v1/responses/compact", surface::responses_compact, ""},
          {"POST", "/backend-api/codex/responses", surface::responses, ""},
          {"POST", "/backend-api/codex/responses/compact", surface::responses_compact, ""},
          {"POST", "/v1/messages", surface::messages, ""},
          {"POST", "/v1/messages/count_tokens", surface::count_tokens, ""},
          {"POST", "/v1beta/models/gem-1:generateContent", surface::gemini_generate, "gem-1"},
          {"POST", "/v1beta/models/gem-1:streamGenerateContent", surface::gemini_stream_generate,
           "gem-1"},
          {"POST", "/v1beta/models/gem-1:countTokens", surface::gemini_count_tokens, "gem-1"},
          {"POST", "/v1/models/gem-1:generateContent", surface::gemini_generate, "gem-1"},
          {"POST", "/v1beta/models/team/gem%281%29:8b:countTokens", surface::gemini_count_tokens,
           "team/gem(1):8b"},
          {"POST", "/v1beta/models/gem%3AgenerateContent", surface::gemini_generate, "gem"},
          {"POST", "/v1beta/models/models/gem-1:generateContent", surface::gemini_generate, "gem-1"},
          {"POST", "/v1beta/models/publishers/google/models/gem-1:countTokens",
           surface::gemini_count_tokens, "gem-1"},
          {"POST", "/v1beta1/publishers/google/models/gem-1:streamGenerateContent",
           surface::gemini_stream_generate, "gem-1"},
          {"POST", "/v1/publishers/google/models/gem-1:generateContent", surface::gemini_generate,
           "gem-1"},
          {"POST",
           "/v1beta1/projects/p/locations/l/publishers/google/models/gem-1:generateContent",
           surface::gemini_generate, "gem-1"},
      }));
  CAPTURE(method, path);
  const auto match = match_route(method, path);
  REQUIRE(match.result == route_result::found);
  CHECK(match.id == route_id::surface);
  CHECK(match.surface == target);
  CHECK(match.form == protocol::wire_of(target));
  CHECK(match.model == model);
  CHECK_FALSE(refuse_route(match));
}

TEST_CASE("each other path means its part") {
  const auto [method, path, id, rest] =
      GENERATE(table<const char*, const char*, route_id, const char*>({
          {"GET", "/v1/models", route_id::models, ""},
          {"GET", "/v1/models/", route_id::models, ""},
          {"HEAD", "/v1/models", route_id::models, ""},
          {"HEAD", "/v1/models/gpt-x", route_id::model, "gpt-x"},
          {"HEAD", "/v1beta/models", route_id::gemini_models, ""},
          {"HEAD", "/v1beta/models/a:b", route_id::gemini_model, "a:b"},
          {"GET", "/v1/models/gpt-x", route_id::model, "gpt-x"},
          {"GET", "/v1beta/models", route_id::gemini_models, ""},
          {"GET", "/v1beta/models/gem%2D1", route_id::gemini_model, "gem-1"},
          {"GET", "/v1beta/models/a:b", route_id::gemini_model, "a:b"},
          {"GET", "/healthz", route_id::health, ""},
          {"HEAD", "/healthz", route_id::health, ""},
          {"GET", "/readyz", route_id::ready, ""},
          {"HEAD", "/readyz", route_id::ready, ""},
          {"GET", "/", route_id::root, ""},
          {"GET", "/v0/management", route_id::management, ""},
          {"PATCH", "/v0/management/auth-files/status", route_id::management, "auth-files/status"},
          {"DELETE", "/v0/management/auth-files", route_id::management, "auth-files"},
          {"TRACE", "/v0/management/config", route_id::management, "config"},
      }));
  CAPTURE(method, path);
  const auto match = match_route(method, path);
  REQUIRE(match.result == route_result::found);
  CHECK(match.id == id);
  CHECK(match.model + std::string{match.tail} == rest);
}

TEST_CASE("a wrong method gets a 405 that says which are right") {
  const auto [method, path, allow, form] =
      GENERATE(table<const char*, const char*, const char*, std::optional<wire>>({
          {"GET", "/v1/messages", "POST", wire::anthropic_messages},
          {"HEAD", "/v1/messages", "POST", wire::anthropic_messages},
          {"DELETE", "/v1/responses", "GET, HEAD, POST", wire::openai_responses},
          {"PUT", "/v1/models", "GET, HEAD", wire::openai_chat},
          {"POST", "/healthz", "GET, HEAD", std::nullopt},
          {"BREW", "/v1/chat/completions", "POST", wire::openai_chat},
          {"post", "/v1/chat/completions", "POST", wire::openai_chat},
          {"PUT", "/v1beta/models/g:countTokens", "POST", wire::gemini},
          {"POST", "/v1beta/models/g", "GET, HEAD", wire::gemini},
      }));
  CAPTURE(method, path);
  const auto match = match_route(method, path);
  CHECK(match.result == route_result::wrong_method);
  CHECK(match.allow == allow);
  CHECK(match.form == form);
  const auto reply = refuse_route(match);
  REQUIRE(reply);
  CHECK(reply->status == 405);
  CHECK(reply->headers.back() == protocol::header{"Allow", allow});
}

TEST_CASE("an unknown path gets a 404 in the shape of its family") {
  const auto [path, form] = GENERATE(table<const char*, std::optional<wire>>({
      {"/nothing", std::nullopt},
      {"", std::nullopt},
      {"/v1/nothing", wire::openai_chat},
      {"/v1/messages/batches", wire::anthropic_messages},
      {"/v1/responses/resp_1", wire::openai_responses},
      {"/backend-api/codex/nothing", wire::openai_responses},
      {"/v1beta/models/g:embedContent", wire::gemini},
      {"/v1/models/g:embedContent", wire::gemini},
      {"/v1beta1/publishers/google/models/g:embedContent", wire::gemini},
      {"/v1beta1/models/g:generateContent", wire::gemini},
      {"/v1/publishers/google/g:generateContent", wire::gemini},
      {"/v1/projects/p/publishers/google/models/g:generateContent", wire::gemini},
      {"/v1/projects//locations/l/publishers/google/models/g:generateContent", wire::gemini},
      {"//v1/messages", std::nullopt},
      {"/v1%2Fmessages", std::nullopt},
      {"/v0/managementx", std::nullopt},
  }));
  CAPTURE(path);
  const auto match = match_route("POST", path);
  CHECK(match.result == route_result::unknown);
  CHECK(match.form == form);
  const auto reply = refuse_route(match);
  REQUIRE(reply);
  CHECK(reply->status == 404);
}

TEST_CASE("a WebSocket upgrade of a Responses path gets a 426") {
  for (const char* path : {"/v1/responses", "/backend-api/codex/responses"}) {
    const auto match = match_route("GET", path);
    CHECK(match.id == route_id::responses_socket);
    const auto reply = refuse_route(match);
    REQUIRE(reply);
    CHECK(reply->status == 426);
  }
}

}  // namespace tidegate::http
