#include "http/exchange/session_key.hpp"

#include <rapidcheck.h>

#include "tests/support/catch.hpp"

namespace tidegate::http {
namespace {

std::string key_of(const std::vector<std::pair<const char*, std::string>>& headers,
                   std::optional<std::string> in_body = {}) {
  request call;
  for (const auto& [name, value] : headers) call.headers.insert(name, value);
  protocol::envelope head;
  head.session = std::move(in_body);
  return session_key(call, head);
}

std::string session_in(const std::vector<std::pair<const char*, std::string>>& headers) {
  request call;
  for (const auto& [name, value] : headers) call.headers.insert(name, value);
  return std::string{header_session(call)};
}

}  // namespace

TEST_CASE("the provider is told the conversation that a header names, but no name of a request") {
  CHECK(session_in({{"X-Session-Affinity", "5"}, {"X-Session-ID", " 4 "}}) == "4");
  CHECK(session_in({{"X-Client-Request-Id", "6"}}).empty());
  CHECK(session_in({{"Session-Id", std::string(257, 'a')}, {"X-Session-ID", "4"}}) == "4");
  CHECK(session_in({}).empty());
}

TEST_CASE("each header names the conversation under its own prefix (quota 4.3)") {
  const auto [header, expected] = GENERATE(table<const char*, const char*>({
      {"X-Claude-Code-Session-Id", "claude:s1"},
      {"Session-Id", "codex:s1"},
      {"Session_id", "codex:s1"},
      {"X-Session-ID", "header:s1"},
      {"X-Session-Affinity", "affinity:s1"},
      {"X-Client-Request-Id", "clientreq:s1"},
      {"X-Request-Id", ""},
  }));
  CHECK(key_of({{header, "s1"}}) == expected);
  CHECK(key_of({{header, " s1\t"}}) == expected);
}

TEST_CASE("the first header of the order wins, whatever order they came in") {
  std::vector<std::pair<const char*, std::string>> sent{
      {"X-Client-Request-Id", "6"}, {"X-Session-Affinity", "5"}, {"X-Session-ID", "4"},
      {"Session_id", "3"},          {"Session-Id", "2"},         {"X-Claude-Code-Session-Id", "1"}};
  for (const char* expected :
       {"claude:1", "codex:2", "codex:3", "header:4", "affinity:5", "clientreq:6"}) {
    CHECK(key_of(sent, "body-id") == expected);
    sent.pop_back();
  }
  CHECK(key_of(sent, "body-id") == "body:body-id");
  CHECK(key_of(sent).empty());
}

TEST_CASE("an unusable id is passed over for the next place") {
  const std::string bad =
      GENERATE(as<std::string>{}, "", "  ", std::string(257, 'x'), "a\x7f", std::string("a\tb"));
  CHECK(key_of({{"Session-Id", bad}, {"X-Session-ID", "next"}}) == "header:next");
  CHECK(key_of({{"Session-Id", bad}}, "in body") == "body:in body");
  CHECK(key_of({}, bad).empty() == (bad != "  "));
}

TEST_CASE("the longest id still counts") {
  const std::string longest(256, 'x');
  CHECK(key_of({{"Session-Id", longest}}) == "codex:" + longest);
}

TEST_CASE("a key is bounded and free of control characters for any header bytes") {
  REQUIRE(rc::check("session key bounds", [](const std::string& value, const std::string& body) {
    request call;
    std::string sent;
    for (const char c : value) {
      if (c != '\r' && c != '\n' && c != '\0') sent += c;
    }
    call.headers.insert("Session-Id", sent);
    protocol::envelope head;
    head.session = body;
    const auto key = session_key(call, head);
    RC_ASSERT(key.size() <= 300u);
    for (const char c : key) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }));
}

}  // namespace tidegate::http
