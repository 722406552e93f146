#include <rapidcheck.h>

#include "provider/credential.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::provider;

namespace {

constexpr std::string_view path = "/var/lib/tidegate/team/bob.json";

/// Claims: plan `plus`, account `acct-1`; the signature is not one.
constexpr std::string_view id_token =
    "eyJhbGciOiAibm9uZSJ9.eyJlbWFpbCI6ICJib2JAZXhhbXBsZS5jb20iLCAiaHR0cHM6Ly9hcGkub3BlbmFpLmNvbS9h"
    "dXRoIjogeyJjaGF0Z3B0X3BsYW5fdHlwZSI6ICJwbHVzIiwgImNoYXRncHRfYWNjb3VudF9pZCI6ICJhY2N0LTEifX0."
    "c2ln";

result<credential> read(std::string_view text, const credential_options& options = {}) {
  return from_file("team/bob.json", path, text, options);
}

std::string codex_with(std::string_view fields) {
  return R"({"type":"codex","access_token":"at-invented")" +
         std::string{fields.empty() ? "" : ","} + std::string{fields} + "}";
}

credential made(std::string_view fields, const credential_options& options = {}) {
  const auto read_back = read(codex_with(fields), options);
  CAPTURE(fields);
  if (!read_back) FAIL(read_back.error().detail);
  return *read_back;
}

std::string problem(std::string_view text) {
  const auto read_back = read(text);
  CAPTURE(text);
  REQUIRE_FALSE(read_back.has_value());
  CHECK(read_back.error().code == errc::invalid_input);
  return read_back.error().detail;
}

}  // namespace

TEST_CASE("a credential file becomes the record of its account") {
  const auto who = made(R"("email":" bob@example.com ","account_id":"acct-9","note":"spare",)"
                        R"("refresh_token":"rt-invented","refresh-interval-seconds":"900")");
  CHECK(who.id.value == "team/bob.json");
  CHECK(who.file == "team/bob.json");
  CHECK(who.source == path);
  CHECK(who.auth_index == "7d45665b9ab1bc0b");
  CHECK(who.provider == kind::codex);
  CHECK(who.provider_name == "codex");
  CHECK(who.auth == auth_kind::account);
  CHECK(who.label == "bob@example.com");
  CHECK(who.secret.reveal() == "at-invented");
  CHECK(who.refresh_token.reveal() == "rt-invented");
  CHECK(who.refresh_interval == std::chrono::seconds{900});
  CHECK(who.account_id == "acct-9");
  CHECK(who.base_url == "https://chatgpt.com/backend-api/codex");
  CHECK(who.note == "spare");
  CHECK(who.priority == 0);
  CHECK(who.weight == 1);
  CHECK_FALSE(who.disabled);
  CHECK_FALSE(who.status_disabled);
  CHECK_FALSE(who.disable_cooling.has_value());
  CHECK_FALSE(who.request_retry.has_value());
  CHECK_FALSE(who.expires_at.has_value());
}

TEST_CASE("a Claude file is served at Anthropic's address") {
  const auto who = read(R"({"type":" Claude ","access_token":"at-invented"})");
  REQUIRE(who.has_value());
  CHECK(who->provider == kind::claude);
  CHECK(who->provider_name == "claude");
  CHECK(who->base_url == "https://api.anthropic.com");
  CHECK(who->label == "team/bob.json");
}

TEST_CASE("the path is cleaned before it is hashed") {
  const auto who =
      from_file("team/bob.json", "/var/lib//tidegate/x/../team/./bob.json", codex_with(""), {});
  REQUIRE(who.has_value());
  CHECK(who->auth_index == "7d45665b9ab1bc0b");
}

TEST_CASE("other types are not found, with their name") {
  const auto* const type = GENERATE("gemini", "openai-compatibility", "meta", "devin");
  const auto who = read(std::string{R"({"type":")"} + type + R"(","access_token":"x"})");
  REQUIRE_FALSE(who.has_value());
  CHECK(who.error().code == errc::not_found);
  CHECK_THAT(who.error().detail, ContainsSubstring(type));
}

TEST_CASE("a file without type is not found, an odd type is not repeated") {
  CHECK(read("{}").error().code == errc::not_found);
  CHECK(read(R"({"type":null})").error().code == errc::not_found);
  const auto odd = read(R"({"type":"a\nb"})");
  CHECK(odd.error().code == errc::not_found);
  CHECK(odd.error().detail.find('\n') == std::string::npos);
  CHECK(read(R"({"type":")" + std::string(5000, 'x') + R"("})").error().detail.size() < 200);
}

TEST_CASE("snake case and kebab case are read, snake case wins") {
  CHECK(made(R"("proxy-url":"direct")").proxy_url.reveal() == "direct");
  CHECK(made(R"("proxy-url":"direct","proxy_url":"http://p.example:1")").proxy_url.reveal() ==
        "http://p.example:1");
  CHECK(made(R"("request-retry":4)").request_retry == 4);
  CHECK(made(R"("disable-cooling":true,"disable_cooling":false)").disable_cooling == false);
  CHECK(made(R"("base-url":"https://own.example/")").base_url == "https://own.example");
  CHECK(made(R"("base-url":"https://own.example/","base_url":null)").base_url ==
        "https://own.example");
  CHECK(made(R"("excluded-models":["Gpt-4*"])").excluded_models ==
        std::vector<std::string>{"gpt-4*"});
}

TEST_CASE("whole numbers are read as numbers and as text") {
  CHECK(made(R"("priority":5)").priority == 5);
  CHECK(made(R"("priority":"-5")").priority == -5);
  CHECK(made(R"("priority":5.0)").priority == 5);
  CHECK(made(R"("priority":"")").priority == 0);
  CHECK(made(R"("priority":null)").priority == 0);
  CHECK(made(R"("weight":0)").weight == 0);
  CHECK(made(R"("weight":-4)").weight == 0);
  CHECK(made(R"("weight":1000000)").weight == 1'000'000);
  CHECK(made(R"("request_retry":0)").request_retry == 0);
  CHECK_FALSE(made(R"("request_retry":-1)").request_retry.has_value());
}

TEST_CASE("the cooling switch takes booleans, words and numbers") {
  struct row {
    const char* json;
    std::optional<bool> value;
  };
  const auto each =
      GENERATE(row{"true", true}, row{"false", false}, row{"\"true\"", true}, row{"\"1\"", true},
               row{"\"T\"", true}, row{"\"False\"", false}, row{"\"0\"", false}, row{"1", true},
               row{"0", false}, row{"-2.5", true}, row{"0.0", false}, row{"null", std::nullopt},
               row{"\"\"", std::nullopt});
  CAPTURE(each.json);
  CHECK(made(std::string{R"("disable_cooling":)"} + each.json).disable_cooling == each.value);
}

TEST_CASE("the operator's switch and the life cycle's status are two things") {
  const auto off = made(R"("disabled":true)");
  CHECK(off.disabled);
  CHECK_FALSE(off.status_disabled);
  const auto ended = made(R"("status":"Disabled")");
  CHECK_FALSE(ended.disabled);
  CHECK(ended.status_disabled);
  CHECK_FALSE(made(R"("status":"active")").status_disabled);
}

TEST_CASE("an expiry is read in all its spellings and forms") {
  const auto expected = from_unix(1'800'000'000);
  const auto* const fields =
      GENERATE(R"("expired":"2027-01-15T08:00:00Z")", R"("expired":"2027-01-15T10:00:00+02:00")",
               R"("expire":"2027-01-15 08:00")", R"("expires_at":"2027-01-15 08:00:00")",
               R"("expiresAt":1800000000)", R"("expiry":1800000000000)",
               R"("expires":"1800000000")", R"("token":{"expiry":1800000000})",
               R"("expires_at":1800000000,"expires":7)", R"("expired":null,"expires":1800000000)");
  CHECK(made(fields).expires_at == expected);
}

TEST_CASE("Go's zero time and empty text are no expiry") {
  const auto* const fields = GENERATE(R"("expired":"0001-01-01T00:00:00Z")", R"("expired":"")",
                                      R"("expired":0)", R"("token":{})", R"("token":"text")");
  CHECK_FALSE(made(fields).expires_at.has_value());
}

TEST_CASE("plan and account come from the file, else from the id token's claims") {
  const std::string token = R"("id_token":")" + std::string{id_token} + '"';
  CHECK(made(token).plan_type == "plus");
  CHECK(made(token).account_id == "acct-1");
  const auto own = made(token + R"(,"plan_type":"pro","account_id":"acct-2")");
  CHECK(own.plan_type == "pro");
  CHECK(own.account_id == "acct-2");
}

TEST_CASE("an unreadable id token is no reason to refuse the account") {
  const auto* const token = GENERATE("", "a", "a.b", "a..c", "a.!!.c", "a.e30.c", "a.bnVsbA.c",
                                     "a.W10.c", "a.eyJ.c", "...");
  const auto who = made(std::string{R"("id_token":")"} + token + '"');
  CHECK(who.plan_type.empty());
  CHECK(who.account_id.empty());
}

TEST_CASE("a prefix loses its outer slashes and may not have an inner one") {
  CHECK(made(R"("prefix":"/team/")").prefix == "team");
}

TEST_CASE("the file's aliases win over those of its channel") {
  credential_options options;
  options.oauth_model_aliases = {{kind::codex, {"gpt-5", "Fast", false}},
                                 {kind::codex, {"gpt-6", "slow", true}},
                                 {kind::claude, {"opus", "other", false}}};
  const auto who =
      made(R"("model_aliases":[{"name":"gpt-7","alias":"fast","force-mapping":true,"fork":true,)"
           R"("display_name":"Fast","max-context-length":"9000"},)"
           R"({"name":"","alias":"x"},{"name":"gpt-8"}])",
           options);
  CHECK(who.models == std::vector<model_entry>{{"gpt-7", "fast", true, true, "Fast", 9000, {}, {}, {}},
                                               {"gpt-8", "gpt-8", false},
                                               {"gpt-6", "slow", true}});
}

TEST_CASE("exclusions and rules of the channel are added to the file's") {
  credential_options options;
  options.oauth_excluded_models = {{kind::codex, "Gpt-4*"}, {kind::claude, "opus"}};
  options.oauth_error_rules = {{kind::codex, {500, {"x"}, {}, "continue"}},
                               {kind::claude, {501, {"x"}, {}, "continue"}}};
  const auto who = made(R"("excluded_models":[" O3 ",""],"request_scoped_errors":)"
                        R"([{"status":400,"match":["bad"],"match-regex":["b.d"],"action":"Stop"}])",
                        options);
  CHECK(who.excluded_models == std::vector<std::string>{"o3", "gpt-4*"});
  REQUIRE(who.error_rules.size() == 2);
  CHECK(who.error_rules[0] == error_rule{400, {"bad"}, {"b.d"}, "stop"});
  CHECK(who.error_rules[1].status == 500);
}

TEST_CASE("incomplete rules are dropped") {
  const auto who =
      made(R"("request_scoped_errors":[{"status":0,"match":["a"],"action":"stop"},)"
           R"({"status":400,"action":"stop"},{"status":400,"match":["a"]},)"
           R"({"status":"429","match_regexr":["a+"],"action":"continue-and-cooldown"}])");
  REQUIRE(who.error_rules.size() == 1);
  CHECK(who.error_rules[0] == error_rule{429, {}, {"a+"}, "continue-and-cooldown"});
}

TEST_CASE("headers of a file are carried over") {
  CHECK(made(R"("headers":{"X-Team":" blue "})").headers == header_list{{"X-Team", "blue"}});
}

TEST_CASE("a field of a wrong type or value is named") {
  struct row {
    const char* field;
    const char* json;
  };
  const auto each = GENERATE(
      row{"email", "7"}, row{"access_token", "[]"}, row{"account_id", "{}"}, row{"id_token", "1"},
      row{"plan_type", "true"}, row{"base_url", "\"ftp://x\""}, row{"base_url", "1"},
      row{"base_url", "\"https://own.example:0\""}, row{"base_url", "\"https://u:p@own.example\""},
      row{"base_url", R"("https://own.example\u0001")"}, row{"proxy_url", "\"ftp://x\""},
      row{"proxy_url", "\"http://p.example:99999\""}, row{"headers", R"({"X A":"x"})"},
      row{"email", R"("a\u001b[31m@example.com")"}, row{"refresh_token", R"("a\nb")"},
      row{"proxy_url", "[]"}, row{"prefix", "3"}, row{"prefix", "\"a/b\""}, row{"note", "{}"},
      row{"disabled", "\"yes\""},
      row{"disabled", "1"}, row{"status", "5"}, row{"disable_cooling", "\"maybe\""},
      row{"disable_cooling", "[]"}, row{"priority", "\"high\""}, row{"priority", "1.5"},
      row{"priority", "[]"}, row{"priority", "99999999999"},
      row{"priority", "18446744073709551615"}, row{"priority", "1e300"}, row{"weight", "1000001"},
      row{"weight", "\"1.5\""}, row{"request_retry", "true"}, row{"excluded_models", "\"x\""},
      row{"excluded_models", "[1]"}, row{"model_aliases", "{}"}, row{"model_aliases", "[1]"},
      row{"model_aliases", R"([{"name":1}])"}, row{"model_aliases", R"([{"force_mapping":1}])"},
      row{"headers", "[]"}, row{"headers", R"({"a":1})"}, row{"request_scoped_errors", "{}"},
      row{"request_scoped_errors", "[[]]"},
      row{"request_scoped_errors", R"([{"status":400,"match":["a"],"action":"explode"}])"},
      row{"request_scoped_errors", R"([{"status":400,"match_regex":["("],"action":"stop"}])"},
      row{"expired", "\"tomorrow\""}, row{"expired", "{}"}, row{"expired", "-5"},
      row{"expired", "99999999999999999"}, row{"expires_at", "false"});
  CAPTURE(each.json);
  const auto fields = std::string{"\""} + each.field + "\":" + each.json;
  CHECK_THAT(problem(codex_with(fields)), ContainsSubstring(each.field));
}

TEST_CASE("a file without token is refused") {
  CHECK_THAT(problem(R"({"type":"codex"})"), ContainsSubstring("`access_token`"));
  CHECK_THAT(problem(R"({"type":"codex","access_token":" "})"),
             ContainsSubstring("`access_token`"));
}

TEST_CASE("a hostile file is refused with its reason") {
  CHECK_THAT(problem(""), ContainsSubstring("not valid JSON"));
  CHECK_THAT(problem("{"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(problem("[]"), ContainsSubstring("not a JSON object"));
  CHECK_THAT(problem(R"({"type":7})"), ContainsSubstring("`type`"));
  CHECK_THAT(problem(codex_with("\"x\":" + std::string(40, '[') + std::string(40, ']'))),
             ContainsSubstring("nested deeper"));
  CHECK_THAT(problem(std::string(1024 * 1024 + 1, ' ')), ContainsSubstring("larger than"));
  const auto noisy = problem(codex_with("\"headers\":{\"a\\n" + std::string(5000, 'x') + "\":1}"));
  CHECK(noisy.size() <= 200);
  CHECK(noisy.find('\n') == std::string::npos);
  CHECK_FALSE(from_file("", path, codex_with(""), {}).has_value());
}

TEST_CASE("a problem never repeats the token") {
  const auto text = problem(R"({"type":"codex","access_token":"at-invented","priority":[]})");
  CHECK(text.find("at-invented") == std::string::npos);
}

TEST_CASE("any change of one byte never throws") {
  const std::string text = codex_with(
      R"("id_token":")" + std::string{id_token} +
      R"(","expired":"2027-01-15T08:00:00Z","priority":5,"model_aliases":[{"name":"a"}])");
  REQUIRE(rc::check("from_file is total", [&](const std::string& noise) {
    auto changed = text;
    changed[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    static_cast<void>(read(changed));
    static_cast<void>(read(noise));
  }));
}
