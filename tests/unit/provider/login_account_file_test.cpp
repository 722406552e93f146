#include "provider/login/account_file.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using namespace tidegate::provider::login;
using std::chrono::seconds;

namespace {

fresh_tokens tokens_with(std::string_view claims) {
  return {secret_string{"at-1"}, secret_string{"rt-1"}, secret_string{token_with(claims)},
          t0 + seconds{3600}};
}

account_file made(kind k, std::string_view claims) {
  const auto file = account_file_of(k, tokens_with(claims), "dev-1", t0);
  if (!file) FAIL(file.error().detail);
  return *file;
}

}  // namespace

TEST_CASE("a Codex account is named by account, e-mail and plan") {
  const auto [claims, name] = GENERATE(table<std::string, std::string>({
      {R"({"email":"bob@example.com","https://api.openai.com/auth":)"
       R"({"chatgpt_account_id":"acct-1","chatgpt_plan_type":"Plus"}})",
       "codex-ba36a4ed-bob@example.com-plus.json"},
      {R"({"email":"bob@example.com","https://api.openai.com/auth":{"chatgpt_plan_type":"pro"}})",
       "codex-bob@example.com-pro.json"},
      {R"({"email":"bob@example.com"})", "codex-bob@example.com.json"},
      {R"({"https://api.openai.com/auth":{"chatgpt_account_id":"acct-1"}})", "codex-ba36a4ed.json"},
      {R"({"email":7,"https://api.openai.com/auth":[]})", "codex-account-a33d8c62.json"},
      {"no object", "codex-account-a33d8c62.json"},
  }));
  CHECK(made(kind::codex, claims).name == name);
}

TEST_CASE("a new file is read back as the account that it is") {
  const auto file =
      made(kind::codex, R"({"email":"bob@example.com","https://api.openai.com/auth":)"
                        R"({"chatgpt_account_id":"acct-1","chatgpt_plan_type":"plus"}})");
  CHECK(file.label == "bob@example.com");
  const auto who = from_file(file.name, "/" + file.name, file.text, {});
  REQUIRE(who.has_value());
  CHECK(who->provider == kind::codex);
  CHECK(who->label == "bob@example.com");
  CHECK(who->account_id == "acct-1");
  CHECK(who->plan_type == "plus");
  CHECK(who->secret.reveal() == "at-1");
  CHECK(who->refresh_token.reveal() == "rt-1");
  CHECK(who->expires_at == t0 + seconds{3600});
  CHECK(who->refreshed_at == t0);
  CHECK(renewable(*who));
}

TEST_CASE("an xAI account is named by its e-mail, else by its subject") {
  CHECK(made(kind::xai, R"({"email":"b@example.com","sub":"s-1"})").name ==
        "xai-b@example.com.json");
  CHECK(made(kind::xai, R"({"sub":"s-1"})").name == "xai-s-1.json");
  CHECK(made(kind::xai, "{}").name == "xai-account-a33d8c62.json");
  const fresh_tokens opaque{
      secret_string{token_with(R"({"sub":"s-2"})")}, secret_string{"rt"}, {}, {}};
  const auto file = account_file_of(kind::xai, opaque, "", t0);
  REQUIRE(file.has_value());
  CHECK(file->name == "xai-s-2.json");
  const auto text = nlohmann::json::parse(file->text);
  CHECK(text["type"] == "xai");
  CHECK(text["auth_kind"] == "oauth");
  CHECK(text["sub"] == "s-2");
  CHECK_FALSE(text.contains("expired"));
  CHECK_FALSE(text.contains("id_token"));
}

TEST_CASE("two logins that say nothing of their account do not share a file") {
  for (const auto of : {kind::codex, kind::xai}) {
    auto other = tokens_with("{}");
    other.refresh_token = secret_string{"rt-2"};
    CHECK(made(of, "{}").name != account_file_of(of, other, "", t0)->name);
  }
  CHECK(account_file_of(kind::codex, tokens_with("{}"), "", t0, "acct-1")->name ==
        "codex-ba36a4ed.json");
}

TEST_CASE("a Kimi account is named by its time and keeps its device") {
  const auto file = made(kind::kimi, "{}");
  CHECK(file.name == "kimi-1800000000000.json");
  const auto text = nlohmann::json::parse(file.text);
  CHECK(text["device_id"] == "dev-1");
  CHECK(text["token_type"] == "Bearer");
  CHECK(text["timestamp"] == 1800000000000);
  CHECK(text["expired"] == "2027-01-15T09:00:00Z");
}

TEST_CASE("claims cannot choose a path") {
  const auto* const email =
      GENERATE("../../etc/passwd", "a/b\\\\c", "-rf *", "\\u0000x", "\\u00e9@example.com", "a\\nb");
  const auto file = made(kind::xai, R"({"email":")" + std::string{email} + R"(","sub":"../s"})");
  CAPTURE(file.name);
  CHECK(file.name.starts_with("xai-"));
  CHECK(file.name.ends_with(".json"));
  CHECK(file.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "@._+-") == std::string::npos);
  CHECK(made(kind::codex, R"({"email":")" + std::string(250, 'a') + "\"}").name.size() <= 200);
  CHECK(made(kind::codex, R"({"email":")" + std::string(5000, 'a') + "\"}").name ==
        "codex-account-a33d8c62.json");
}

TEST_CASE("tokens that cannot be renewed make no account") {
  fresh_tokens fresh = tokens_with("{}");
  fresh.refresh_token = {};
  CHECK(account_file_of(kind::codex, fresh, "", t0).error().code == errc::invalid_input);
  CHECK(account_file_of(kind::claude, tokens_with("{}"), "", t0).error().code ==
        errc::invalid_input);
}
