#include "provider/login/import.hpp"

#include <nlohmann/json.hpp>

#include "provider/credential_mask.hpp"
#include "provider/login/account_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/signing_key.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using namespace tidegate::provider::login;
using nlohmann::json;

namespace {

/// The first line of what the key's own lines enclose.
const std::string pem_body = test::signing_key_pem().substr(28, 64);

json service_key() {
  return {
      {"type", "service_account"},
      {"project_id", "my-project"},
      {"private_key_id", "k1"},
      {"private_key", test::signing_key_pem()},
      {"client_email", "bot@my-project.iam.gserviceaccount.com"}};
}

imported_file imported(const json& file, std::string_view name = "x.json") {
  auto made = import_account(file.dump(), name, t0);
  if (!made) FAIL(made.error().detail);
  return std::move(*made);
}

credential record_of(const account_file& file) {
  const auto who = from_file(file.name, "/" + file.name, file.text, {});
  if (!who) FAIL(who.error().detail);
  return *who;
}

}  // namespace

TEST_CASE("Codex's own file becomes an account with its identity and its times") {
  const auto id = token_with(R"({"email":"bob@example.com","https://api.openai.com/auth":)"
                             R"({"chatgpt_account_id":"acct-1","chatgpt_plan_type":"plus"}})");
  const auto made = imported({{"OPENAI_API_KEY", nullptr},
                              {"tokens",
                               {{"id_token", id},
                                {"access_token", token_with(R"({"exp":1800003600})")},
                                {"refresh_token", "rt-1"},
                                {"account_id", "acct-1"}}},
                              {"last_refresh", "2027-01-15T07:00:00.123456Z"}});
  CHECK(made.origin == file_origin::codex_program);
  CHECK(made.named_by_account);
  CHECK(made.file.name == "codex-ba36a4ed-bob@example.com-plus.json");
  const auto who = record_of(made.file);
  CHECK(who.account_id == "acct-1");
  CHECK(who.refresh_token.reveal() == "rt-1");
  CHECK(who.expires_at == from_unix(1'800'003'600));
  CHECK(who.refreshed_at == from_unix(1'799'996'400));
}

TEST_CASE("Codex's file with an API key alone is no account") {
  const auto made =
      import_account(R"({"OPENAI_API_KEY":"sk-example-secret","tokens":null})", "auth.json", t0);
  REQUIRE_FALSE(made);
  CHECK_THAT(made.error().detail,
             ContainsSubstring("api-keys.codex") && !ContainsSubstring("secret"));
}

TEST_CASE("Claude's own file becomes an account") {
  const auto made = imported({{"claudeAiOauth",
                               {{"accessToken", "at-1"},
                                {"refreshToken", "rt-1"},
                                {"expiresAt", 1'800'003'600'000},
                                {"scopes", {"user:inference"}}}}});
  CHECK(made.origin == file_origin::claude_program);
  CHECK_FALSE(made.named_by_account);
  const auto who = record_of(made.file);
  CHECK(who.provider == kind::claude);
  CHECK(who.secret.reveal() == "at-1");
  CHECK(who.expires_at == from_unix(1'800'003'600));
}

TEST_CASE("a date that is none, and a name that is there twice, are not passed over") {
  const auto [text, why] = GENERATE(table<std::string, std::string>({
      {R"({"claudeAiOauth":{"accessToken":"a","expiresAt":"soon"}})", "expiresAt` is no time"},
      {R"({"claudeAiOauth":{"accessToken":"a","expiresAt":{}}})", "expiresAt` is no time"},
      {R"({"tokens":{"access_token":"a","refresh_token":"r"},"last_refresh":"soon"})", "`last_refresh` is no time"},
      {R"({"tokens":{"access_token":"a","access_token":"b"}})", "`access_token` is there twice"},
  }));
  CAPTURE(text);
  const auto made = import_account(text, "a.json", t0);
  REQUIRE_FALSE(made.has_value());
  CHECK_THAT(made.error().detail, ContainsSubstring(why));
}

TEST_CASE("a service account key becomes a Vertex credential, its key's lines restored") {
  auto key = service_key();
  auto spelled = test::signing_key_pem();
  for (auto at = spelled.find('\n'); at != std::string::npos; at = spelled.find('\n')) {
    spelled.replace(at, 1, "\\n");
  }
  key["private_key"] = spelled;
  const auto made = vertex_file(key.dump(), {"europe-west4", "/team-a/"});
  REQUIRE(made);
  CHECK(made->name == "vertex-team-a-my-project.json");
  const auto file = json::parse(made->text);
  CHECK(file["location"] == "europe-west4");
  CHECK(file["prefix"] == "team-a");
  CHECK(file["service_account"]["private_key"] == test::signing_key_pem());
  const auto plain = vertex_file(service_key().dump(), {});
  REQUIRE(plain);
  CHECK(plain->name == "vertex-my-project.json");
  CHECK(record_of(*plain).location == "us-central1");
  const auto slash = vertex_file(service_key().dump(), {"", "team/a"});
  REQUIRE_FALSE(slash);
  CHECK(slash.error().detail == "the prefix must not hold a slash");
}

TEST_CASE("a service account key that lacks something is refused by what it lacks") {
  const auto [member, value, expected] = GENERATE(table<std::string, json, std::string>({
      {"type", "authorized_user", "invalid service account"},
      {"project_id", nullptr, "project_id missing"},
      {"project_id", "../x", "project_id"},
      {"client_email", nullptr, "client_email"},
      {"private_key", "no key", "private_key"},
      {"private_key", "-----BEGIN PRIVATE KEY-----\nVKEYSECRET\n-----END PRIVATE KEY-----\n",
       "`private_key` is no PEM private key without a password"},
      {"token_uri", "http://evil.example/token", "`token_uri` must be an https URL"},
  }));
  auto key = service_key();
  key[member] = value;
  const auto made = vertex_file(key.dump(), {});
  REQUIRE_FALSE(made);
  CHECK_THAT(made.error().detail, ContainsSubstring(expected) && !ContainsSubstring("VKEY"));
  CHECK(vertex_file("{", {}).error().detail == "invalid json");
}

TEST_CASE("an own credential file is imported byte by byte under its own name") {
  const std::string text = "{\"type\": \"kimi\",\n \"access_token\": \"a\", \"x\": 1}";
  const auto made = import_account(text, "my-kimi.json", t0);
  REQUIRE(made);
  CHECK(made->origin == file_origin::own);
  CHECK(made->of == kind::kimi);
  CHECK(made->file.name == "my-kimi.json");
  CHECK(made->file.text == text);
}

TEST_CASE("what is no credential file is not imported") {
  const auto* const text = GENERATE("", "[]", "{}", "{\"type\":\"codex\"}", "{\"type\":\"other\"}",
                                    R"({"claudeAiOauth":7})", R"({"claudeAiOauth":{}})",
                                    R"({"tokens":{"access_token":"a"}})", "{\"tokens\":");
  CAPTURE(text);
  CHECK_FALSE(import_account(text, "x.json", t0));
}

TEST_CASE("a new login keeps what a person set in the file") {
  const std::string present =
      R"({"type":"codex","email":"b@example.com","access_token":"old","refresh-token":"old-r",)"
      R"("expires_at":1,"priority":7,"note":"mine","disabled":true,"unknown":{"kept":1}})";
  const auto made = account_file_of(
      kind::codex,
      {secret_string{"at-2"}, secret_string{"rt-2"},
       secret_string{token_with(R"({"email":"c@example.com"})")}, t0 + std::chrono::hours{1}},
      {}, t0);
  REQUIRE(made);
  const auto over = text_over(present, made->text, t0);
  CHECK(over.merged);
  const auto file = json::parse(over.text);
  CHECK(file["access_token"] == "at-2");
  CHECK(file["refresh-token"] == "rt-2");
  CHECK(file["expires_at"] == 1'800'003'600);
  CHECK(file["email"] == "c@example.com");
  CHECK(file["priority"] == 7);
  CHECK(file["note"] == "mine");
  CHECK(file["disabled"] == true);
  CHECK(file["unknown"]["kept"] == 1);
}

TEST_CASE("a file that cannot be read or is another provider's gives way to the new login") {
  const std::string made = R"({"type":"codex","access_token":"a","refresh_token":"r"})";
  for (const std::string present : {"{", "[]", R"({"type":"xai","access_token":"x"})"}) {
    const auto over = text_over(present, made, t0);
    CHECK_FALSE(over.merged);
    CHECK(over.text == made);
  }
}

TEST_CASE("a file is shown without its secrets") {
  auto key = service_key();
  const auto shown = masked_file(json{{"type", "vertex"}, {"service_account", key}}.dump());
  REQUIRE(shown);
  CHECK_THAT(*shown, ContainsSubstring("bot@my-project") && !ContainsSubstring(pem_body));
  CHECK_FALSE(masked_file("{"));
}
