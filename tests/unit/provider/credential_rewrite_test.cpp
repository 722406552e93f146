#include "provider/credential_rewrite.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/token_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider;
using namespace tidegate::provider::testing;
using std::chrono::seconds;

namespace {

fresh_tokens some_tokens(std::optional<instant> end = t0 + seconds{3600}) {
  return {secret_string{"at-new"}, secret_string{"rt-new"}, secret_string{"id-new"}, end};
}

std::string rewritten(std::string_view text, const fresh_tokens& fresh = some_tokens()) {
  CAPTURE(text);
  const auto made = with_tokens(text, fresh, t0);
  if (!made) FAIL(made.error().detail);
  return *made;
}

}  // namespace

TEST_CASE("tokens and times are replaced, everything else stays in its order") {
  CHECK(rewritten(R"({"z":{"b":1,"a":[1.5,null]},"access_token":"at-old","expired":"x",)"
                  R"("email":"é@example.com","refresh_token":"rt-old","id_token":"id-old",)"
                  R"("last_refresh":"y","type":"codex","a":18446744073709551615})") ==
        R"({"z":{"b":1,"a":[1.5,null]},"access_token":"at-new","expired":"2027-01-15T09:00:00Z",)"
        R"("email":"é@example.com","refresh_token":"rt-new","id_token":"id-new",)"
        R"("last_refresh":"2027-01-15T08:00:00Z","type":"codex","a":18446744073709551615})");
}

TEST_CASE("each spelling that the file uses is written, and no other") {
  CHECK(rewritten(R"({"access-token":"o","refresh-token":"o","id-token":"","expires-at":"o",)"
                  R"("last-refresh":"o"})") ==
        R"({"access-token":"at-new","refresh-token":"rt-new","id-token":"id-new",)"
        R"("expires-at":"2027-01-15T09:00:00Z","last-refresh":"2027-01-15T08:00:00Z"})");
  CHECK(rewritten(R"({"access_token":null,"access-token":"o","refresh_token":"o","id_token":"o",)"
                  R"("expired":"o","last_refresh":"o"})")
            .starts_with(R"({"access_token":"at-new","access-token":"at-new",)"));
}

TEST_CASE("what the file lacks is added in snake case") {
  CHECK(rewritten("{}") ==
        R"({"access_token":"at-new","refresh_token":"rt-new","id_token":"id-new",)"
        R"("expired":"2027-01-15T09:00:00Z","last_refresh":"2027-01-15T08:00:00Z"})");
}

TEST_CASE("tokens that did not come stay as they were") {
  CHECK(rewritten(R"({"access_token":"o","refresh_token":"rt-old","id_token":"id-old",)"
                  R"("expired":"o","last_refresh":"o"})",
                  {secret_string{"at-new"}, {}, {}, t0}) ==
        R"({"access_token":"at-new","refresh_token":"rt-old","id_token":"id-old",)"
        R"("expired":"2027-01-15T08:00:00Z","last_refresh":"2027-01-15T08:00:00Z"})");
}

TEST_CASE("a time keeps the form that it had") {
  const auto* const fields =
      GENERATE("expired", "expire", "expires_at", "expiresAt", "expiry", "expires");
  const std::string name{fields};
  CAPTURE(name);
  const auto with = [&](const std::string& before) {
    return nlohmann::json::parse(rewritten(R"({"type":"claude",")" + name + "\":" + before + "}"));
  };
  CHECK(with("1700000000")[name] == 1800003600);
  CHECK(with("1700000000000")[name] == 1800003600000);
  CHECK(with(R"("2020-01-01 10:00")")[name] == "2027-01-15T09:00:00Z");
  CHECK(with("null")[name] == "2027-01-15T09:00:00Z");
}

TEST_CASE("a nested token object is kept in step, and none of its fields is added") {
  CHECK(rewritten(R"({"token":{"access_token":"o","expiry":"o","x":1},"refresh_token":"o",)"
                  R"("id_token":"o","last_refresh":"o","access_token":"o"})") ==
        R"({"token":{"access_token":"at-new","expiry":"2027-01-15T09:00:00Z","x":1},)"
        R"("refresh_token":"rt-new","id_token":"id-new","last_refresh":"2027-01-15T08:00:00Z",)"
        R"("access_token":"at-new"})");
}

TEST_CASE("the old token's end does not outlive it") {
  const auto text = rewritten(
      R"({"expired":"o","expires-at":1,"expires_in":5,"token":{"expiry":"o","expires_in":7}})",
      some_tokens(std::nullopt));
  CHECK(text == R"({"token":{},"access_token":"at-new","refresh_token":"rt-new",)"
                R"("id_token":"id-new","last_refresh":"2027-01-15T08:00:00Z"})");
}

TEST_CASE("Antigravity counts seconds and milliseconds too") {
  const fresh_tokens fresh{secret_string{"at-new"}, {}, {}, t0 + seconds{3599}};
  const auto made = nlohmann::json::parse(rewritten(R"({"type":"antigravity"})", fresh));
  CHECK(made["expires_in"] == 3599);
  CHECK(made["timestamp"] == 1800000000000);
  CHECK(made["expired"] == "2027-01-15T08:59:59Z");
  CHECK(rewritten(R"({"type":"kimi","timestamp":1700000000000,"expires_in":1})", fresh)
            .starts_with(R"({"type":"kimi","timestamp":1800000000000,"expires_in":3599,)"));
}

TEST_CASE("a project is written in the spelling of the file") {
  CHECK(with_project(R"({"project-id":"","x":1})", "p-1") == R"({"project-id":"p-1","x":1})");
  CHECK(with_project(R"({"x":1})", "p-1") == R"({"x":1,"project_id":"p-1"})");
  CHECK_FALSE(with_project("[]", "p-1").has_value());
}

TEST_CASE("the layout of the text is kept") {
  const auto* const text =
      GENERATE("{\n  \"type\": \"codex\",\n  \"access_token\": \"o\"\n}\n",
               "{\n    \"type\": \"codex\"\n}", "{\n\t\"type\": \"codex\"\n}\n");
  const std::string before{text};
  const std::string after = rewritten(before);
  const auto start = before.substr(0, before.find('c'));
  CHECK(after.substr(0, start.size()) == start);
  CHECK(after.ends_with('\n') == before.ends_with('\n'));
}

TEST_CASE("what is rewritten is read back") {
  const std::string text = rewritten(R"({"type":"codex","access-token":"o","expires":1})");
  const auto who = from_file("a.json", "/a.json", R"({"type":"codex","access_token":"x"})", {});
  REQUIRE(who.has_value());
  const auto again = from_file("a.json", "/a.json", text, {});
  REQUIRE(again.has_value());
  CHECK(again->secret.reveal() == "at-new");
  CHECK(again->refresh_token.reveal() == "rt-new");
  CHECK(again->expires_at == t0 + seconds{3600});
  CHECK(again->refreshed_at == t0);
}

TEST_CASE("a text that is no object is refused, and a renewal without a token") {
  const std::string deep(100, '[');
  for (const std::string& text :
       {std::string{}, std::string{"[]"}, std::string{"{"}, deep, std::string(2'000'000, ' ')}) {
    const auto made = with_tokens(text, some_tokens(), t0);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code == errc::invalid_input);
  }
  CHECK_FALSE(with_tokens("{}", {}, t0).has_value());
}

TEST_CASE("what nobody here knows stays byte for byte") {
  const std::string unknown =
      R"("n": [1.10, -0, 1E2, 123456789012345678901234567890, 1e400 ],  "s":"\/\u00e9" ,"o" :{"a":1.0})";
  const auto text = rewritten(R"({"type":"codex","access_token":"o", )" + unknown + "}");
  CHECK_THAT(text, ContainsSubstring(unknown));
  CHECK(from_file("a.json", "/a.json", text, {}).has_value());
  const auto set = with_fields("{ " + unknown + " }", nlohmann::json{{"priority", 2}});
  REQUIRE(set.has_value());
  CHECK(*set == "{ " + unknown + R"(,"priority" :2 })");
  const auto removed = with_fields(R"({"note":"x",)" + unknown + "}\n", nlohmann::json{{"note", nullptr}});
  REQUIRE(removed.has_value());
  CHECK(*removed == "{" + unknown + "}\n");
}

TEST_CASE("a name that is there twice is refused, not chosen") {
  CHECK_FALSE(with_tokens(R"({"access_token":"a","access_token":"b"})", some_tokens(), t0));
  const auto twice =
      from_file("a.json", "/a.json", R"({"type":"codex","access_token":"a","type":"kimi"})", {});
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().detail == "`type` is there twice");
}

TEST_CASE("no unknown field is lost, whatever its name") {
  CHECK(rc::check([](const std::map<std::string, std::int64_t>& fields) {
    nlohmann::json file{{"type", "codex"}};
    for (const auto& [name, value] : fields) {
      std::string plain = "x";
      for (const char c : name)
        plain += static_cast<char>('a' + (static_cast<unsigned char>(c) % 26));
      file[plain] = value;
    }
    const auto made = with_tokens(file.dump(), some_tokens(), t0);
    RC_ASSERT(made.has_value());
    const auto after = nlohmann::json::parse(*made);
    for (const auto& [name, value] : file.items()) RC_ASSERT(after[name] == value);
    RC_ASSERT(after.size() == file.size() + 5);
  }));
}
