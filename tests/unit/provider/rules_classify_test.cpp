#include <rapidcheck.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using quota::outcome_class;
using quota::scope;

namespace {

struct shared_row {
  int status;
  const char* body;
  outcome_class kind;
  scope covers = scope::model;
};

}  // namespace

TEST_CASE("tells request faults from faults of the credential, the model and the provider") {
  const std::vector<shared_row> rows{
      {400, R"({"error":{"message":"bad"}})", outcome_class::request_fault},
      {409, "", outcome_class::request_fault},
      {413, "too big", outcome_class::request_fault},
      {422, "{}", outcome_class::request_fault},
      {500, R"({"error":{"code":"Context_Length_Exceeded"}})", outcome_class::request_fault},
      {403, R"({"code":"cyber_policy"})", outcome_class::request_fault},
      {502, R"({"response":{"error":{"code":"invalid_prompt"}}})", outcome_class::request_fault},
      {500, R"({"body":{"error":{"code":"message_too_big"}}})", outcome_class::request_fault},
      {404, R"({"error":{"type":"invalid_request_error","message":"bad path"}})",
       outcome_class::request_fault},
      {404,
       R"({"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when )"
       R"(`store` is set to false."}})",
       outcome_class::request_fault},
      {404, "", outcome_class::not_found},
      {404, "<html>nothing here</html>", outcome_class::not_found},
      {402, R"({"error":{"type":"invalid_request_error"}})", outcome_class::payment_required,
       scope::credential},
      {403, R"({"error":{"message":"verify your account"}})", outcome_class::payment_required},
      {429, R"({"error":{"code":"invalid_value"}})", outcome_class::quota},
      {401, R"({"error":{"type":"authentication_error"}})", outcome_class::unauthorized,
       scope::credential},
      {401, R"({"error":{"type":"invalid_request_error","code":"invalid_api_key"}})",
       outcome_class::unauthorized, scope::credential},
      {400, R"({"error":"invalid_grant","error_description":"expired"})",
       outcome_class::invalid_grant, scope::credential},
      {401, R"({"error":{"message":"refresh: invalid_grant"}})", outcome_class::invalid_grant,
       scope::credential},
      {403, R"({"error":"invalid_grant"})", outcome_class::payment_required},
      {408, "", outcome_class::transient},
      {500, "", outcome_class::transient},
      {522, "error code: 522", outcome_class::transient},
      {529, "", outcome_class::transient},
      {418, "", outcome_class::transient},
      {200, "", outcome_class::transient},
      {0, "", outcome_class::transient},
  };
  for (const auto& row : rows) {
    CAPTURE(row.status, row.body);
    for (const auto& one : provider::registry()) {
      CAPTURE(one.name);
      const auto got = attempt{one.id}.reply(row.status, row.body);
      CHECK(got.kind == row.kind);
      CHECK(got.covers == row.covers);
      CHECK(got.status == row.status);
      CHECK(got.observed_at == t0);
      CHECK(got.started_at < t0);
    }
  }
}

TEST_CASE("reads a refusal of the model from code or wording") {
  const std::vector<shared_row> rows{
      {404, R"({"error":{"type":"invalid_request_error","code":"model_not_found"}})",
       outcome_class::model_not_supported},
      {400, R"({"detail":"The 'gpt-x' model is not supported when using this account."})",
       outcome_class::model_not_supported},
      {400, R"({"error":{"message":"Unsupported model: abc"}})",
       outcome_class::model_not_supported},
      {422, R"({"error":{"message":"This model is unavailable"}})",
       outcome_class::model_not_supported},
      {404, R"({"error":{"message":"The model `abc-1` does not exist or you do not have access"}})",
       outcome_class::model_not_supported},
      {400, R"({"error":{"message":"abc is not available for your plan"}})",
       outcome_class::model_not_supported},
      {404, R"({"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}})",
       outcome_class::model_not_supported},
      {400,
       R"({"error":{"message":"'temperature' is not supported with this model","param":)"
       R"("temperature"}})",
       outcome_class::request_fault},
      {400, R"({"error":{"message":"Model output is not supported","param":"modalities"}})",
       outcome_class::request_fault},
      {500, R"({"error":{"message":"model is not available"}})", outcome_class::transient},
      {429, R"({"error":{"code":"model_not_found"}})", outcome_class::quota},
  };
  for (const auto& row : rows) {
    CAPTURE(row.status, row.body);
    const auto got = attempt{kind::openai_compatibility}.reply(row.status, row.body);
    CHECK(got.kind == row.kind);
    CHECK(got.covers == scope::model);
  }
}

TEST_CASE("recognises a challenge page but not JSON that quotes one") {
  const attempt compat{kind::openai_compatibility};
  constexpr auto page =
      "<html><title>Just a moment...</title> challenge-platform Cloudflare</html>";
  CHECK(compat.reply(403, page).kind == outcome_class::cloudflare_challenge);
  CHECK(compat.reply(429, page).kind == outcome_class::cloudflare_challenge);
  CHECK(compat.reply(403, "", {{"Cf-Mitigated", "challenge"}}).kind ==
        outcome_class::cloudflare_challenge);
  CHECK(compat.reply(503, page).kind == outcome_class::transient);
  CHECK(compat.reply(400, R"({"error":{"message":"unknown word challenge-platform"}})").kind ==
        outcome_class::request_fault);
}

TEST_CASE("stops compact calls on client errors and charges nobody for the rest") {
  attempt codex{kind::codex};
  codex.surface = protocol::surface::responses_compact;
  for (const int status : {400, 404, 405, 409, 413, 422, 501}) {
    CAPTURE(status);
    CHECK(codex.reply(status, "").kind == outcome_class::request_fault);
  }
  for (const int status : {500, 502, 503, 408}) {
    CAPTURE(status);
    const auto got = codex.reply(status, "");
    CHECK(got.kind == outcome_class::transient);
    CHECK(got.rule == quota::rule_action::next);
  }
  CHECK(codex.reply(401, "").rule == quota::rule_action::none);
  CHECK(codex.reply(403, "").rule == quota::rule_action::none);
  CHECK(codex.reply(429, "").rule == quota::rule_action::none);
  CHECK(codex.reply(400, R"({"error":"invalid_grant"})").kind == outcome_class::invalid_grant);
}

TEST_CASE("charges nobody for a counting endpoint that is not there") {
  attempt claude{kind::claude};
  claude.surface = protocol::surface::count_tokens;
  CHECK(claude.reply(404, "").rule == quota::rule_action::next);
  CHECK(claude.reply(404, R"({"error":{"code":"model_not_found"}})").rule ==
        quota::rule_action::none);
  CHECK(claude.reply(429, "").rule == quota::rule_action::none);
}

TEST_CASE("gives endings without a reply their own classes and no status") {
  const attempt claude{kind::claude};
  const auto cut = provider::transport_failure("connect to 127.0.0.1: refused", claude.view());
  CHECK(cut.kind == outcome_class::transport);
  CHECK(cut.status == 0);
  CHECK(cut.cause == "connect to 127.0.0.1: refused");
  CHECK(provider::lifecycle_end("closed", claude.view()).kind == outcome_class::lifecycle);
}

TEST_CASE("never throws and never answers success, whatever the bytes") {
  REQUIRE(rc::check("arbitrary reply", [](const std::string& body, const std::string& value) {
    const int status = *rc::gen::inRange(0, 700);
    const headers sent{{"Retry-After", value},
                       {"anthropic-ratelimit-unified-5h-reset", value},
                       {"anthropic-ratelimit-unified-5h-status", "rejected"},
                       {"x-codex-primary-reset-at", value},
                       {"retry-after-ms", value}};
    for (const auto& one : provider::registry()) {
      const attempt made{one.id};
      RC_ASSERT(made.reply(status, body, sent).kind != outcome_class::success);
      RC_ASSERT(made.frame(body).kind != outcome_class::success);
      (void)one.windows(lookup_in(sent), t0);
      (void)one.frame_windows({body, "codex.rate_limits", body}, t0);
    }
  }));
}

TEST_CASE("survives JSON of any shape in the places it looks at") {
  REQUIRE(rc::check("arbitrary values", [] {
    const auto value = *rc::gen::element<std::string>(
        "null", "true", "[]", "[[1]]", "{}", R"({"error":1})", "-1", "1e308", "1e400",
        "99999999999999999999", R"("x")", R"("1800007200")", R"({"details":[1,{"@type":2}]})",
        R"([{"@type":"google.rpc.RetryInfo","retryDelay":"9999999h"}])");
    const auto key = *rc::gen::element<std::string>("error", "type", "code", "message", "details",
                                                    "resets_at", "resets_in_seconds", "status",
                                                    "response", "body", "headers", "rate_limits");
    const auto inner = "{\"type\":\"usage_limit_reached\",\"" + key + "\":" + value + "}";
    const auto body = *rc::gen::elementOf(std::vector<std::string>{
        inner, "{\"error\":" + inner + "}", "{\"response\":{\"error\":" + inner + "}}",
        "[{\"error\":" + inner + "}]", "{\"" + key + "\":" + value + "}", value});
    for (const auto& one : provider::registry()) {
      const attempt made{one.id};
      RC_ASSERT(made.reply(429, body).kind != outcome_class::success);
      RC_ASSERT(made.frame(body).kind != outcome_class::success);
      (void)one.frame_windows({body, "codex.rate_limits", body}, t0);
    }
  }));
}

TEST_CASE("takes a body that is nested too deep for text") {
  const std::string deep(10000, '[');
  CHECK(attempt{kind::codex}.reply(400, deep).kind == outcome_class::request_fault);
  std::string objects;
  for (int i = 0; i < 5000; ++i) objects += R"({"error":)";
  CHECK(attempt{kind::claude}.reply(500, objects).kind == outcome_class::transient);
}
