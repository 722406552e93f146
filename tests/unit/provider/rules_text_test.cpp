#include <rapidcheck.h>

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using provider::kind;
using provider::redact;
using quota::rule_action;

TEST_CASE("sums up a body as code and message") {
  const auto row = GENERATE(table<std::string, std::string>({
      {R"({"error":{"type":"usage_limit_reached","message":"Window used up"}})",
       "usage_limit_reached: Window used up"},
      {R"({"error":{"type":"server_error","code":"overloaded","message":"Busy"}})",
       "overloaded: Busy"},
      {R"({"error":{"type":"busy","message":"the server is busy now"}})", "the server is busy now"},
      {R"({"code":"c","message":"m"})", "c: m"},
      {R"({"type":"error","error":{"type":"api_error","message":"m"}})", "api_error: m"},
      {R"({"error":{"code":503,"status":"UNAVAILABLE","message":"m"}})", "UNAVAILABLE: m"},
      {R"({"error":"invalid_client","error_description":"gone"})", "invalid_client: gone"},
      {R"({"detail":"Not today"})", "Not today"},
      {R"({"error":{"code":"only_code"}})", "only_code"},
      {"  plain\r\n text\t ", "plain text"},
      {"", "HTTP 500"},
      {"bad \xff byte", "bad ? byte"},
  }));
  CHECK(attempt{kind::openai_compatibility}.reply(500, std::get<0>(row)).cause == std::get<1>(row));
}

TEST_CASE("cuts a long cause to 256 characters without splitting one") {
  const auto ascii = redact(std::string(300, '.'));
  CHECK(ascii == std::string(253, '.') + "...");
  CHECK(redact(std::string(256, '.')).size() == 256);
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "\xc3\xa4";
  CHECK(redact(umlauts) == umlauts.substr(0, 506) + "...");
}

TEST_CASE("takes secrets and file paths out of a text") {
  const auto row = GENERATE(table<std::string, std::string>({
      {"Incorrect API key provided: sk-proj-abcdef123456.", "[redacted]"},
      {"Authorization: Bearer abc.def-ghi", "[redacted]"},
      {"token eyJhbGciOi.eyJzdWIi.sig", "[redacted]"},
      {"bad AIzaSyInventedInvented", "[redacted]"},
      {R"({"api_key":"hunter2hunter2"})", "[redacted]"},
      {"GET https://x.example/v1/models?key=abc123&x=1", "key=[redacted]&x=1"},
      {"cannot read /home/someone/.tidegate/a.json", "cannot read [path]"},
      {"cannot read C:\\Users\\someone\\a.json", "cannot read [path]"},
      {"POST /v1/messages failed", "POST /v1/messages failed"},
      {"see https://docs.example/a/b", "see https://docs.example/a/b"},
      {"models/gemini-x is not found", "models/gemini-x is not found"},
  }));
  CAPTURE(std::get<0>(row));
  const auto text = redact(std::get<0>(row));
  CHECK_THAT(text, ContainsSubstring(std::get<1>(row)));
  for (const char* leak :
       {"abcdef123456", "abc.def", "eyJzdWIi", "Invented", "hunter2", "abc123", "someone"}) {
    CHECK(text.find(leak) == std::string::npos);
  }
}

TEST_CASE("removes planted secrets wherever they stand") {
  REQUIRE(rc::check("planted", [](const std::string& before, const std::string& after) {
    const auto letters = rc::gen::element('a', 'Z', 'q', '7', '0', 'X');
    const auto core = *rc::gen::container<std::string>(24, letters);
    const auto form = *rc::gen::element<std::string>("Bearer ", "sk-", "AIza",
                                                     "api_key=", "\"access_token\":\"", "?key=");
    const auto text = redact(before + " " + form + core + " " + after);
    RC_ASSERT(text.find(core) == std::string::npos);
    RC_ASSERT(text.size() <= 4U * 256U);
  }));
}

TEST_CASE("takes the credential's own secret out of its causes") {
  attempt made{kind::openai_compatibility};
  made.who.secret = secret_string{"plain words"};
  const auto got = made.reply(500, R"({"error":{"message":"you sent plain words here"}})");
  CHECK(got.cause == "you sent [redacted] here");
}

TEST_CASE("applies the first operator rule whose status and pattern match") {
  attempt made{kind::claude};
  made.who.error_rules = {
      {400, {"nothing"}, {}, "stop"},
      {500, {"Prompt"}, {}, "stop"},
      {400, {"Prompt"}, {}, "restart"},
      {400, {}, {"(unclosed", "too (long|big)"}, " Continue-And-Cooldown "},
      {400, {"Prompt"}, {}, "stop"},
  };
  constexpr auto body = R"({"error":{"message":"Prompt is too long"}})";
  auto got = made.reply(400, body);
  provider::apply_error_rules(got, made.who, body);
  CHECK(got.rule == rule_action::next_and_cooldown);
  CHECK(got.kind == quota::outcome_class::request_fault);

  auto other = made.reply(400, "prompt is small");
  provider::apply_error_rules(other, made.who, "prompt is small");
  CHECK(other.rule == rule_action::none);
}

TEST_CASE("knows the four actions of operator rules") {
  const auto row = GENERATE(table<std::string, rule_action>({
      {"stop", rule_action::stop},
      {"stop-and-cooldown", rule_action::stop_and_cooldown},
      {"continue", rule_action::next},
      {"CONTINUE-and-cooldown", rule_action::next_and_cooldown},
      {"", rule_action::none},
  }));
  attempt made{kind::codex};
  made.who.error_rules = {{503, {"busy"}, {}, std::get<0>(row)}};
  auto got = made.reply(503, "busy");
  provider::apply_error_rules(got, made.who, "busy");
  CHECK(got.rule == std::get<1>(row));
}

TEST_CASE("matches an operator rule on the cause when there is no body") {
  attempt made{kind::codex};
  made.who.error_rules = {{503, {"HTTP 503"}, {}, "stop"}};
  auto got = made.reply(503, "");
  provider::apply_error_rules(got, made.who, "");
  CHECK(got.rule == rule_action::stop);
}

TEST_CASE("is not slowed down or broken by hostile operator patterns") {
  attempt made{kind::codex};
  const std::string body(60000, 'a');
  for (int i = 0; i < 300; ++i) {
    made.who.error_rules.push_back({500, {}, {"(a*)*b" + std::to_string(i)}, "stop"});
  }
  made.who.error_rules.push_back({500, {}, {std::string(5000, '('), "((a{1000}){1000})"}, "stop"});
  auto got = made.reply(500, body);
  provider::apply_error_rules(got, made.who, body);
  CHECK(got.rule == rule_action::none);
}
