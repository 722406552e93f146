#include "http/exchange/reply_checks.hpp"

#include "tests/support/catch.hpp"

namespace tidegate::http {

TEST_CASE("an answer begins and ends like JSON") {
  for (const auto* good : {"{ }", "\xEF\xBB\xBF{\"a\":1}", " {\"a\":1}\r\n", "[1, {\"b\":\"}\"}]"}) {
    CAPTURE(good);
    CHECK(looks_like_json(good));
    CHECK(begins_like_json(good));
  }
  for (const auto* bad : {"", "  ", "{", "{}", "[]", "<html>}", "{\"a\":", "[}", "null", "x{}"}) {
    CAPTURE(bad);
    CHECK_FALSE(looks_like_json(bad));
  }
}

TEST_CASE("a byte order mark is taken off the front, and nowhere else") {
  std::string body = "\xEF\xBB\xBF{\"a\":\"\xEF\xBB\xBF\"}";
  drop_mark(body);
  CHECK(body == "{\"a\":\"\xEF\xBB\xBF\"}");
  drop_mark(body);
  CHECK(body == "{\"a\":\"\xEF\xBB\xBF\"}");
}

TEST_CASE("an error document under 200 stands for its own status, else for 502") {
  struct row {
    const char* body;
    std::optional<int> status;
  };
  const auto [body, status] =
      GENERATE(values<row>({{R"({"error":{"message":"x","code":429}})", 429},
                            {R"( { "error" : {"status":503}} )", 503},
                            {R"({"error":{"code":"429"}})", 429},
                            {R"({"error":{"code":"rate_limited"}})", 502},
                            {R"({"error":{"code":200}})", 502},
                            {R"({"error":"boom"})", 502},
                            {R"({"error":null,"id":"r"})", std::nullopt},
                            {R"({"type":"error","error":{"type":"overloaded_error"}})", 529},
                            {R"({"type":"error","error":{"type":"rate_limit_error"}})", 429},
                            {R"({"error":{"code":"rate_limit_exceeded"}})", 429},
                            {R"({"error":{"type":"server_error"}})", 502},
                            {R"([{"error":{"code":429}}])", 429},
                            {R"({"id":"r","error":{"code":429}})", 429},
                            {R"({"id":"r","text":"say \"error\": {no}"})", std::nullopt},
                            {R"({"errors":[]})", std::nullopt},
                            {R"({"a":{"error":{"code":429}}})", std::nullopt}}));
  CAPTURE(body);
  CHECK(error_status_of(body) == status);
}

}  // namespace tidegate::http
