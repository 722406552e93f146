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

TEST_CASE("counts the conversation alone") {
  client_request from{kind::gemini,
                      R"({"contents":[],"tools":[],"toolConfig":{},"generationConfig":{},)"
                      R"("safetySettings":[],"generateContentRequest":{}})"};
  from.surface = surface::gemini_count_tokens;
  const auto got = build(from);
  REQUIRE(got);
  CHECK(got->body == R"({"contents":[],"generateContentRequest":{}})");
}

TEST_CASE("asks for no more output than a known model has") {
  const auto sent = [](const std::string& body, const std::string& model) {
    const auto got = build({kind::gemini, body, model});
    REQUIRE(got);
    return got->body;
  };
  const std::string much = R"({"generationConfig":{"topP":1.0,"maxOutputTokens":99999999}})";
  CHECK(sent(much, "gemini-2.5-pro") ==
        R"({"generationConfig":{"topP":1.0,"maxOutputTokens":65536}})");
  CHECK(sent(R"({"generation_config":{"max_output_tokens":99999999}})", "gemini-2.5-pro") ==
        R"({"generation_config":{"max_output_tokens":65536}})");
  CHECK(sent(much, "gemini-unheard-of") == much);
  const std::string some = R"({"generationConfig":{ "maxOutputTokens":10}})";
  CHECK(sent(some, "gemini-2.5-pro") == some);
}

TEST_CASE("lets the user begin") {
  const auto sent = [](const std::string& contents) {
    const auto got = build({kind::gemini, R"({"contents":)" + contents + "}"});
    REQUIRE(got);
    return got->body.substr(12, got->body.size() - 13);
  };
  CHECK(sent(R"([ {"parts":[{"role":"user"}],"role":"model"}])") ==
        R"([ {"role":"user","parts":[{"text":""}]},{"parts":[{"role":"user"}],"role":"model"}])");
  for (const std::string same : {R"([{"role":"user"},{"role":"model"}])", R"([{"parts":[]}])",
                                 "[]", "[7]", "{}", "null"}) {
    CHECK(sent(same) == same);
  }
}
