#include "protocol/omitted_images.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace tidegate::protocol {
namespace {

std::optional<std::string> mended(const std::string& body) {
  const auto head = read_envelope(body);
  REQUIRE(head);
  return without_result_images(body, *head);
}

const std::string picture = R"({"type":"image_url","image_url":{"url":"data:image/png;base64,QQ=="}})";
const std::string stand_in =
    R"({"type":"text","text":"[image omitted: unsupported by upstream]"})";

}  // namespace

TEST_CASE("a text stands for each picture of a tool's result, and every other byte stays") {
  const std::string before = R"({"model" : "m", "messages":[ {"role":"user","content":[)" + picture +
                             R"(]} ,{"role":"tool","tool_call_id":"c", "content":[)";
  const std::string behind = R"(]},{"role":"user","content":"x"} ],"top_p":0.10})";
  const std::string text = R"({"type":"text", "text":"done"})";
  CHECK(mended(before + picture + behind) == before + stand_in + behind);
  CHECK(mended(before + text + " , " + picture + ',' + picture + behind) ==
        before + text + " , " + stand_in + ',' + stand_in + behind);
}

TEST_CASE("a body without pictures in tools' results is left alone") {
  for (const std::string& content :
       {std::string{R"("image_url")"}, std::string{R"([{"type":"text","text":"image_url"}])"},
        std::string{"[]"}, std::string{"null"}, std::string{"7"},
        std::string{R"([1,{"type":["image_url"]}])"}}) {
    CAPTURE(content);
    CHECK_FALSE(mended(R"({"messages":[{"role":"tool","content":)" + content + "}]}"));
  }
  CHECK_FALSE(mended(R"({"messages":[{"role":"user","content":[)" + picture + "]}]}"));
  CHECK_FALSE(mended(R"({"messages":"image_url"})"));
  CHECK_FALSE(mended(R"({"input":"image_url"})"));
}

}  // namespace tidegate::protocol
