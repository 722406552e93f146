#include "protocol/gemini_fold.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

result<std::string> fold(const std::vector<std::string>& events, std::size_t bound = 100'000) {
  gemini_fold folder(bound);
  for (const auto& data : events) {
    if (auto added = folder.add({data, {}, data}); !added) return std::unexpected{added.error()};
  }
  return folder.finish();
}

std::string said(const std::string& parts, const std::string& members = "") {
  return R"({"candidates":[{"content":{"role":"model","parts":[)" + parts + "]}" + members + "}]}";
}

std::string whole(const std::string& parts, const std::string& members = "") {
  return R"({"candidates":[{"content":{"parts":[)" + parts + R"(],"role":"model"})" + members +
         R"(,"finishReason":"STOP"}]})";
}

const std::string stop = said(R"({"text":""})", R"(,"finishReason":"STOP")");

}  // namespace

TEST_CASE("Gemini fold: adjacent texts of one kind are one part") {
  CHECK(fold({said(R"({"thought":true,"text":"a\n"})"), said(R"({"text":"b\"","thought":true})"),
              said(R"({"text":"c"},{"text":"d","thought":false})"), said(R"({"text":"e"})"), stop})
            .value() == whole(R"({"thought":true,"text":"a\nb\""},{"text":"cde"})"));
  CHECK(fold({said(R"({"text":""})"), said(R"({"functionCall":{"name":"f"}})"), stop}).value() ==
        whole(R"({"functionCall":{"name":"f"}})"));
  CHECK(fold({stop}).value() == whole(R"({"text":""})"));
}

TEST_CASE("Gemini fold: a part with a further member stays a part of its own, byte for byte") {
  const std::string sealed = R"({"text": "", "thoughtSignature":"x"})";
  const std::string call = R"({"functionCall":{"name":"f","args":{"n":1.50e3}},"thoughtSignature":"y"})";
  CHECK(fold({said(R"({"text":"a"})"), said(sealed), said(call), said(R"({"text":"b"})"), stop})
            .value() ==
        whole(R"({"text":"a"},)" + sealed + "," + call + R"(,{"text":"b"})"));
}

TEST_CASE("Gemini fold: of every other member the last one stays") {
  CHECK(fold({R"({"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},)"
              R"("groundingMetadata":{"n":1}}],"usageMetadata":{"t":1},"modelVersion":"m"})",
              R"({"candidates":[{"groundingMetadata":{"n":2},"safetyRatings":[]}],"responseId":"r"})",
              R"({"candidates":[{"finishReason":"STOP","groundingMetadata":null}],)"
              R"("usageMetadata":{"t":2.0}})"})
            .value() ==
        R"({"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},)"
        R"("groundingMetadata":{"n":2},"safetyRatings":[],"finishReason":"STOP"}],)"
        R"("usageMetadata":{"t":2.0},"modelVersion":"m","responseId":"r"})");
}

TEST_CASE("Gemini fold: candidates are told apart by their index") {
  CHECK(fold({R"({"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]}},)"
              R"({"content":{"parts":[{"text":"a"}]}}]})",
              R"({"candidates":[{"index":0,"content":{"parts":[{"text":"c"}]},"finishReason":"STOP"}]})"})
            .value() ==
        R"({"candidates":[{"content":{"parts":[{"text":"b"}]},"index":1},)"
        R"({"content":{"parts":[{"text":"ac"}]},"index":0,"finishReason":"STOP"}]})");
}

TEST_CASE("Gemini fold: a blocked prompt is a whole answer, a stream without a reason is none") {
  const std::string blocked = R"({"promptFeedback":{"blockReason":"SAFETY"}})";
  CHECK(fold({blocked}).value() == blocked);
  CHECK(fold({said(R"({"text":"a"})")}).error().code == errc::connection_closed);
  CHECK(fold({}).error().code == errc::connection_closed);
}

TEST_CASE("Gemini fold: what is kept has bounds") {
  CHECK(fold({said(R"({"text":"a"})"), stop}, 100).error().code == errc::limit_exceeded);
  std::string many = R"({"candidates":[{"index":0})";
  for (int i = 1; i <= 64; ++i) many += R"(,{"index":)" + std::to_string(i) + "}";
  CHECK(fold({many + "]}"}).error().code == errc::invalid_input);
  std::string wide = R"({"m":0)";
  for (int i = 1; i <= 256; ++i) wide += R"(,"m)" + std::to_string(i) + R"(":0)";
  CHECK(fold({wide + "}"}).error().code == errc::invalid_input);
}
