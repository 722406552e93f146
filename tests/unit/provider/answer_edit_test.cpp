#include "provider/antigravity/answer.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using provider::antigravity::opened_answer;

namespace {

struct seen {
  std::string raw;
  std::string data;
  bool same = false;
};

seen opened(std::string_view raw) {
  protocol::sse_splitter split{1 << 16};
  REQUIRE(split.feed(raw));
  protocol::sse_frame frame;
  REQUIRE(split.next(frame));
  opened_answer edit;
  const auto got = provider::frames_of(&edit, frame);
  REQUIRE(got.size() == 1);
  return {std::string{got[0].raw}, std::string{got[0].data},
          got[0].raw.data() == frame.raw.data()};
}

}  // namespace

TEST_CASE("a frame is that of the event inside of its envelope") {
  const auto got = opened("data: {\"response\":{\"candidates\":[]},\"traceId\":\"t\"}\r\n\r\n");
  CHECK(got.raw == "data: {\"candidates\":[]}\n\n");
  CHECK(got.data == "{\"candidates\":[]}");
  const auto lines = opened("data: {\"response\":{\ndata: \"n\":1}}\n\n");
  CHECK(lines.raw == "data: { \"n\":1}\n\n");
  CHECK(lines.data == "{ \"n\":1}");
}

TEST_CASE("a frame without an envelope keeps its bytes") {
  for (const char* raw : {"data: {\"error\":{\"code\":429}}\n\n", "data: [DONE]\n\n", ": wait\n\n",
                          "data: {\"response\":\n\n", "data: {\"response\":7}\n\n"}) {
    CHECK(opened(raw).same);
    CHECK(opened(raw).raw == raw);
  }
}

TEST_CASE("Antigravity: tokens are counted in the last event only") {
  const std::string usage = R"("usageMetadata":{"totalTokenCount":3})";
  const auto event = [&](const std::string& more) {
    return "data: {\"response\":{\"candidates\":[{\"index\":0" + more + "}]," + usage + "}}\n\n";
  };
  CHECK(opened(event("")).data == R"({"candidates":[{"index":0}]})");
  CHECK(opened(event(R"(,"finishReason":"STOP")")).data ==
        R"({"candidates":[{"index":0,"finishReason":"STOP"}],)" + usage + "}");
  CHECK(opened("data: {\"response\":{" + usage + "}}\n\n").data == "{" + usage + "}");
}

TEST_CASE("where nothing is done to an answer its frames are its own") {
  const protocol::sse_frame frame{"data: {}\n\n", {}, "{}"};
  const auto got = provider::frames_of(nullptr, frame);
  REQUIRE(got.size() == 1);
  CHECK(&got[0] == &frame);
}

TEST_CASE("made frames keep their bytes however many there are") {
  provider::made_frames made;
  for (int i = 0; i < 100; ++i) made.add("e" + std::to_string(i), "{\"n\":\r\n1}");
  REQUIRE(made.all().size() == 100);
  CHECK(made.all()[0].raw == "event: e0\ndata: {\"n\":  1}\n\n");
  CHECK(made.all()[99].event == "e99");
  CHECK(made.all()[99].data == "{\"n\":  1}");
  made.clear();
  CHECK(made.all().empty());
}
