#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using protocol::surface;
using provider::kind;

TEST_CASE("puts model and method into the URL") {
  struct url_row {
    surface from;
    std::string model;
    std::string query;
    std::string url;
  };
  const std::string base = "https://upstream.example/v1beta/models/";
  const std::vector<url_row> rows{
      {surface::gemini_generate, "gemini-x", "", base + "gemini-x:generateContent"},
      {surface::gemini_generate, "models/gemini-x", "", base + "gemini-x:generateContent"},
      {surface::gemini_generate, "gemini-x", "a=1&$alt=json",
       base + "gemini-x:generateContent?$alt=json"},
      {surface::gemini_generate, "gemini-x", "$alt=a%0d%0ab", base + "gemini-x:generateContent"},
      {surface::gemini_stream_generate, "gemini-x", "alt=json",
       base + "gemini-x:streamGenerateContent?alt=sse"},
      {surface::gemini_count_tokens, "gemini-x", "", base + "gemini-x:countTokens"},
      {surface::gemini_generate, "../x y?z\r\n", "", base + "..%2Fx%20y%3Fz%0D%0A:generateContent"},
  };
  for (const auto& row : rows) {
    client_request from{kind::gemini, R"({"contents":[]})"};
    from.surface = row.from;
    from.model = row.model;
    from.query = row.query;
    const auto got = build(from);
    REQUIRE(got);
    CHECK(got->url == row.url);
    CHECK(got->streams == (row.from == surface::gemini_stream_generate));
    CHECK(got->header("x-goog-api-key") == "sk-invented-0123456789");
    CHECK_FALSE(got->header("authorization"));
    CHECK(got->body == R"({"contents":[]})");
  }
}

TEST_CASE("joins a versioned base once and refuses an empty model") {
  client_request from{kind::gemini, R"({"contents":[]})"};
  from.who.base_url = "https://upstream.example/v1beta";
  REQUIRE(build(from));
  CHECK(build(from)->url ==
        "https://upstream.example/v1beta/models/upstream-model:generateContent");
  from.model = "";
  CHECK_FALSE(build(from));
}

TEST_CASE("takes only the gateway's own members out of a Gemini body") {
  const auto got =
      build({kind::gemini, R"({"session_id":"s", "model":"alias","contents":[ ],"n":1.0})"});
  REQUIRE(got);
  CHECK(got->body == R"({"contents":[ ],"n":1.0})");
}
