#include <nlohmann/json.hpp>

#include "base/time_text.hpp"
#include "provider/credential.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using nlohmann::json;

namespace {

result<credential> read(const json& file) {
  return from_file("a.json", "/var/lib/tidegate/a.json", file.dump(), {});
}

json account(const char* type) {
  return {{"type", type}, {"access_token", "at-invented"}, {"refresh_token", "rt-invented"}};
}

}  // namespace

TEST_CASE("Codex: the id token tells account, plan and how long it is paid for") {
  auto file = account("codex");
  file["id_token"] = testing::token_with(
      R"({"https://api.openai.com/auth":{"chatgpt_account_id":"acct-1","chatgpt_plan_type":"pro",)"
      R"("chatgpt_subscription_active_start":"2026-12-01T00:00:00+00:00",)"
      R"("chatgpt_subscription_active_until":"2027-01-01T00:00:00Z"}})");
  const auto made = read(file);
  REQUIRE(made);
  CHECK(made->account_id == "acct-1");
  CHECK(made->plan_type == "pro");
  CHECK(made->subscribed_from == parse_rfc3339("2026-12-01T00:00:00Z"));
  CHECK(made->subscribed_until == parse_rfc3339("2027-01-01T00:00:00Z"));
  file["id_token"] = testing::token_with(
      R"({"https://api.openai.com/auth":{"chatgpt_subscription_active_until":"soon"}})");
  CHECK_FALSE(read(file)->subscribed_until);
}

TEST_CASE("every type of account is served at its provider's address") {
  struct row {
    const char* type;
    kind provider;
    const char* base_url;
  };
  for (const auto& row : {
           row{"codex", kind::codex, "https://chatgpt.com/backend-api/codex"},
           row{"claude", kind::claude, "https://api.anthropic.com"},
           row{"antigravity", kind::antigravity, "https://daily-cloudcode-pa.googleapis.com"},
           row{"xai", kind::xai, "https://api.x.ai/v1"},
           row{"kimi", kind::kimi, "https://api.kimi.com/coding"},
       }) {
    CAPTURE(row.type);
    const auto who = read(account(row.type));
    REQUIRE(who);
    CHECK(who->provider == row.provider);
    CHECK(who->provider_name == row.type);
    CHECK(who->auth == auth_kind::account);
    CHECK(who->base_url == row.base_url);
    CHECK(who->secret.reveal() == "at-invented");
    CHECK(who->refresh_token.reveal() == "rt-invented");
    CHECK(who->label == "a.json");
    CHECK_FALSE(who->expires_at);
    CHECK_FALSE(who->signer);
  }
}

TEST_CASE("a token that is absent or has ended is no fault of a file that can renew it") {
  for (const char* type : {"codex", "claude", "antigravity", "xai", "kimi"}) {
    CAPTURE(type);
    auto file = account(type);
    file.erase("access_token");
    CHECK(read(file));
    file["expired"] = "2020-01-01T00:00:00Z";
    CHECK(read(file));
    file["refresh_token"] = nullptr;
    const auto who = read(file);
    REQUIRE_FALSE(who);
    CHECK(who.error().detail == "`access_token` is missing");
  }
}

TEST_CASE("files that only say how long a token lasts say when it ends") {
  auto google = account("antigravity");
  google["timestamp"] = 1'800'000'000'000;
  google["expires-in"] = "3600";
  CHECK(read(google)->expires_at == from_unix(1'800'003'600));
  google["expired"] = "2027-01-15T08:00:00Z";
  CHECK(read(google)->expires_at == from_unix(1'800'000'000));
  auto grok = account("xai");
  grok["last_refresh"] = "2027-01-15T08:00:00Z";
  CHECK_FALSE(read(grok)->expires_at);
  grok["expires_in"] = 60;
  CHECK(read(grok)->expires_at == from_unix(1'800'000'060));
}

TEST_CASE("each type has fields of its own") {
  auto google = account("antigravity");
  google["project-id"] = "invented-project";
  google["email"] = "bob@invented.example";
  CHECK(read(google)->project_id == "invented-project");
  CHECK(read(google)->label == "bob@invented.example");
  auto kimi = account("kimi");
  kimi["device_id"] = "device-1";
  CHECK(read(kimi)->device_id == "device-1");
  auto grok = account("xai");
  grok["sub"] = "subject-1";
  CHECK(read(grok)->label == "subject-1");
}

TEST_CASE("xAI: the address of another program is not called") {
  auto file = account("xai");
  struct row {
    const char* given;
    const char* called;
  };
  for (const auto& row : {row{"https://cli-chat-proxy.grok.com/v1", "https://api.x.ai/v1"},
                          row{"https://CLI-chat-proxy.grok.com", "https://api.x.ai/v1"},
                          row{"https://cli-chat-proxy.grok.com.own.example",
                              "https://cli-chat-proxy.grok.com.own.example"},
                          row{"https://own.example/v1", "https://own.example/v1"}}) {
    file["base_url"] = row.given;
    CHECK(read(file)->base_url == row.called);
  }
}

TEST_CASE("a field of one type that cannot be used is named") {
  struct row {
    const char* type;
    const char* field;
    json value;
  };
  const std::vector<row> rows{
      {"kimi", "device_id", "two words"},
      {"kimi", "device_id", "line\nbreak"},
      {"kimi", "device_id", 7},
      {"kimi", "device_id", std::string(200, 'x')},
      {"antigravity", "project_id", 7},
      {"antigravity", "expires_in", "soon"},
      {"antigravity", "timestamp", "today"},
      {"xai", "last_refresh", {}},
      {"xai", "last_refresh", "soon"},
      {"codex", "lastRefresh", {{"at", 1}}},
      {"claude", "expiresAt", "soon"},
      {"claude", "expires", true},
      {"xai", "sub", 7},
      {"codex", "refresh_token", 7},
      {"claude", "refresh_token", {{"a", 1}}},
      {"codex", "refresh_interval", "often"},
      {"codex", "access_token", "a\nb"},
      {"codex", "account_id", std::string{"a\0b", 3}},
      {"claude", "headers", {{"X-A", "b\r\nc: d"}}},
      {"codex", "refresh_interval_seconds", -1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type, row.field);
    auto file = account(row.type);
    file[row.field] = row.value;
    const auto who = read(file);
    if (row.value.is_null()) {
      CHECK(who);
      continue;
    }
    REQUIRE_FALSE(who);
    CHECK(who.error().code == errc::invalid_input);
    CHECK_THAT(who.error().detail, ContainsSubstring(std::string{"`"} + row.field));
  }
}
