#include "provider/credential_mask.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::provider;

TEST_CASE("an address is shown without its login and its query") {
  const auto [text, shown] = GENERATE(table<std::string, std::string>({
      {"https://api.example/v1", "https://api.example/v1"},
      {"https://user:sample-word@api.example:8/v1", "https://********@api.example:8/v1"},
      {"https://api.example/v1?key=sample-word&a=b", "https://api.example/v1?********"},
      {"https://api.example/v1#sample-word", "https://api.example/v1#********"},
      {"socks5://user:sample?word@p.example:1", "socks5://********@p.example:1"},
      {"https://api.example/a@b", "https://api.example/a@b"},
      {"direct", "direct"},
      {"", ""},
  }));
  CHECK(masked_url(text) == shown);
}

TEST_CASE("whatever may be a secret is masked, known field or not") {
  const nlohmann::json file{
      {"type", "codex"},
      {"access_token", "sample-access-word"},
      {"email", "someone@example.com"},
      {"base_url", "https://user:sample-base-word@own.example/v1?key=sample-query-word"},
      {"proxy_url", "http://user:sample-proxy-word@p.example:1"},
      {"cookie", "sid=sample-cookie-word"},
      {"session", {{"id", "sample-session-word"}}},
      {"sessionKey", "sample-session-key"},
      {"headers", {{"X-Any", "sample-header-word"}}},
      {"authorization", "sample-authorization"},
      {"odd", {{"list", nlohmann::json::array({"eyJhbGciOi.eyJzYW1wbGUi.sample", "Bearer sample-bearer-word"})}}},
      {"other", "sk-sample-0123456789"},
      {"note", "kept as it is"},
      {"n", 7}};
  const auto shown = masked_file(file.dump());
  REQUIRE(shown.has_value());
  CAPTURE(*shown);
  for (const auto* word : {"access-word", "base-word", "query-word", "proxy-word", "cookie-word",
                           "session-word", "session-key", "header-word", "authorization\": \"sample-auth",
                           "eyJzYW1wbGUi", "bearer-word", "0123456"}) {
    CAPTURE(word);
    CHECK(shown->find(word) == std::string::npos);
  }
  CHECK_THAT(*shown, ContainsSubstring("someone@example.com") && ContainsSubstring("kept as it is") &&
                         ContainsSubstring("own.example/v1") && ContainsSubstring("p.example:1"));
  CHECK_FALSE(masked_file("{").has_value());
}

TEST_CASE("a short secret shows nothing of itself, and a number below a secret's name is one") {
  const auto [text, line] = GENERATE(table<std::string, std::string>({
      {R"({"pwd":"sample-1"})", R"("pwd": "********")"},
      {R"({"x":{"userPin":1234}})", R"("userPin": "********")"},
      {R"({"otp":"123456"})", R"("otp": "********")"},
      {R"({"accessCode":"sample-code"})", R"("accessCode": "********")"},
      {R"({"secret":[42,-1.5e3]})", R"("********",)"},
      {R"({"any":"Bearer MKSECRET14"})", R"("any": "********")"},
      {R"({"access_token":"sample-of-23-characters"})", R"("access_token": "********")"},
      {R"({"access_token":"sample-of-24-characters."})", R"("access_token": "samp...ers.")"},
      {R"({"mapping":"kept","opinion":"kept","expired":7})", R"("opinion": "kept",)"},
  }));
  const auto shown = masked_file(text);
  REQUIRE(shown.has_value());
  CHECK_THAT(*shown, ContainsSubstring(line));
}

TEST_CASE("a secret that is masked within a character leaves JSON") {
  const auto shown =
      masked_file("{\"access_token\":\"abcdefghijklmnopqrstuvw\xd8\xa8\xd8\xa8x\"}");
  REQUIRE(shown.has_value());
  CHECK(nlohmann::json::accept(*shown));
}

TEST_CASE("what is shown of a file keeps the spelling of its numbers") {
  CHECK(masked_file("\xEF\xBB\xBF{\"a\":1e400,\"b\" : [ 1.10, -0 , {}, [ ]],\n\"c\":null,"
                    "\"d \\\" e\":\"x\\u00e9\\\"\"}")
            .value() ==
        "{\n  \"a\": 1e400,\n  \"b\": [\n    1.10,\n    -0,\n    {},\n    []\n  ],\n  \"c\": null,\n"
        "  \"d \\\" e\": \"x\u00e9\\\"\"\n}\n");
}
