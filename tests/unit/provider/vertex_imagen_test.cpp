#include "provider/vertex/imagen.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

using namespace tidegate;
using namespace tidegate::provider::testing;
using protocol::surface;
using provider::kind;

namespace {

client_request asked(std::string body, surface from = surface::gemini_generate) {
  client_request out{kind::vertex, std::move(body), "imagen-4.0-generate-001"};
  out.who.base_url = "https://aiplatform.googleapis.com";
  out.surface = from;
  return out;
}

constexpr const char* hello =
    R"({"contents":[{"role":"user","parts":[{"text":"old"}]},{"role":"model","parts":[]},)"
    R"({"role":"user","parts":[{"text":"a \"cat\""},{"inlineData":7},{"text":"blue"}]}],)"
    R"("negativePrompt":"dogs","generationConfig":{"imageConfig":{"aspectRatio":"16:9"}}})";

}  // namespace

TEST_CASE("Vertex: Imagen is asked to predict, streamed or not") {
  for (const auto from : {surface::gemini_generate, surface::gemini_stream_generate}) {
    const auto got = build(asked(hello, from));
    REQUIRE(got);
    CHECK(got->url ==
          "https://aiplatform.googleapis.com/v1/publishers/google/models/"
          "imagen-4.0-generate-001:predict");
    CHECK(got->body ==
          R"({"instances":[{"prompt":"a \"cat\"\nblue","negativePrompt":"dogs"}],)"
          R"("parameters":{"sampleCount":1,"aspectRatio":"16:9"}})");
    CHECK_FALSE(got->streams);
    CHECK(got->header("Accept") == "application/json");
    CHECK(got->header("x-goog-api-key").has_value());
  }
  const auto bare = build(asked(R"({"contents":[{"parts":[{"text":"x"}]}]})"));
  REQUIRE(bare);
  CHECK(bare->body == R"({"instances":[{"prompt":"x"}],"parameters":{"sampleCount":1}})");
}

TEST_CASE("Vertex: Imagen needs words") {
  for (const char* body : {R"({"contents":[]})", R"({"contents":[{"role":"model","parts":[]}]})",
                           R"({"contents":7})", "{}"}) {
    const auto got = build(asked(body));
    REQUIRE_FALSE(got);
    CHECK(got.error().code == errc::invalid_input);
  }
}

TEST_CASE("Vertex: Imagen takes a content that stands alone, and a part that does") {
  const auto got = build(asked(R"({"contents":{"role":"user","parts":{"text":"x"}}})"));
  REQUIRE(got);
  CHECK(got->body == R"({"instances":[{"prompt":"x"}],"parameters":{"sampleCount":1}})");
}

TEST_CASE("Vertex: Imagen's words have no picture beside them") {
  for (const std::string file :
       {R"("inlineData":{"mimeType":"image/png","data":"AA"})", R"("inline_data":{"data":"AA"})",
        R"("fileData":{"fileUri":"gs://a/b"})", R"("file_data":{})"}) {
    CAPTURE(file);
    const auto got = build(asked(R"({"contents":[{"parts":[{"text":"x"},{)" + file + "}]}]}"));
    REQUIRE_FALSE(got);
    CHECK(got.error().code == errc::invalid_input);
    CHECK(got.error().detail.find("without a picture") != std::string::npos);
    const auto earlier = build(asked(R"({"contents":[{"parts":[{"text":"x"},{)" + file +
                                     R"(}]},{"role":"user","parts":[{"text":"y"}]}]})"));
    CHECK(earlier);
  }
}

TEST_CASE("Vertex: what is no answer of Imagen's is not told as one") {
  const auto got = build(asked(hello));
  REQUIRE(got);
  for (const char* body :
       {R"({"predictions":"x"})", R"({"predictions":{}})", R"({"predictions":7})", "[]", "", "{",
        R"({"predictions":[1,{"bytesBase64Encoded":5}]})", R"({"predictions":["AAAA"]})",
        R"({"predictions":[)"}) {
    std::string text = body;
    CHECK_FALSE(got->answer->whole(text));
    CHECK(text == body);
  }
}

TEST_CASE("Vertex: Imagen's pictures come as Gemini's") {
  struct row {
    const char* given;
    const char* parts;
    const char* reason;
  };
  const auto each = GENERATE(
      row{R"({"predictions":[{"bytesBase64Encoded":"AAAA"}]})",
          R"([{"inlineData":{"mimeType":"image/png","data":"AAAA"}}])", "STOP"},
      row{R"({"predictions":[{"mimeType":"image/jpeg","bytesBase64Encoded":"A"},7,{}]})",
          R"([{"inlineData":{"mimeType":"image/jpeg","data":"A"}}])", "STOP"},
      row{R"({"predictions":[]})", "[]", "IMAGE_SAFETY"}, row{"{}", "[]", "IMAGE_SAFETY"},
      row{R"({"predictions":null})", "[]", "IMAGE_SAFETY"},
      row{R"({"predictions":[{"raiFilteredReason":"words"}]})", "[]", "IMAGE_SAFETY"});
  const auto got = build(asked(hello));
  REQUIRE(got);
  std::string body = each.given;
  REQUIRE(got->answer->whole(body));
  CHECK(body == std::string{R"({"candidates":[{"content":{"role":"model","parts":)"} + each.parts +
                    R"(},"finishReason":")" + each.reason +
                    R"(","index":0}],"usageMetadata":{"promptTokenCount":0,)"
                    R"("candidatesTokenCount":0,"totalTokenCount":0}})");
}

TEST_CASE("Vertex: Imagen is one of Google's own models there") {
  CHECK(provider::vertex::is_imagen("Imagen-3"));
  CHECK_FALSE(provider::vertex::is_imagen("gemini-imagen-"));
  const auto& vertex = provider::descriptor_of(kind::vertex);
  CHECK(vertex.is_family("imagen-4.0-generate-001"));
  CHECK(provider::serves_natively(vertex, surface::gemini_stream_generate, "imagen-3"));
}
