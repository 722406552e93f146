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

TEST_CASE("counts a whole request under the model's own name, with its tools") {
  const auto sent = [](const std::string& body) {
    client_request from{kind::gemini, body, "gemini-x"};
    from.surface = surface::gemini_count_tokens;
    const auto got = build(from);
    REQUIRE(got);
    return got->body;
  };
  CHECK(sent(R"({"generateContentRequest":{"model":"models/alias","tools":[ ],"contents":[]}})") ==
        R"({"generateContentRequest":{"model":"models/gemini-x","tools":[ ],"contents":[]}})");
  CHECK(sent(R"({"generate_content_request":{"model":"alias"}})") ==
        R"({"generate_content_request":{"model":"gemini-x"}})");
  for (const std::string same : {R"({"generateContentRequest":{ "model":"models/gemini-x"}})",
                                 R"({"generateContentRequest":{ "model":7}})",
                                 R"({"generateContentRequest":[]})"}) {
    CHECK(sent(same) == same);
  }
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
  for (const std::string figure : {R"("99999999")", "1e9", R"("1e9")", "65537.0"}) {
    CHECK(sent(R"({"generationConfig":{"maxOutputTokens":)" + figure + "}}", "gemini-2.5-pro") ==
          R"({"generationConfig":{"maxOutputTokens":65536}})");
  }
  for (const std::string figure : {R"("10")", "1e3", R"("much")", "null", "1e400"}) {
    const auto kept = R"({"generationConfig":{"maxOutputTokens":)" + figure + "}}";
    CHECK(sent(kept, "gemini-2.5-pro") == kept);
  }
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
  CHECK(sent(R"({"role":"model", "parts":[]})") ==
        R"([{"role":"user","parts":[{"text":""}]},{"role":"model", "parts":[]}])");
  for (const std::string same : {R"([{"role":"user"},{"role":"model"}])", R"([{"parts":[]}])",
                                 R"({"role":"user"})", "[]", "[7]", "{}", "null"}) {
    CHECK(sent(same) == same);
  }
}
