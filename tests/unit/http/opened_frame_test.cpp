#include "http/exchange/opened_frame.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using http::opened_frame;

namespace {

struct seen {
  std::string raw;
  std::string data;
  bool same = false;
};

seen opened(provider::kind of, std::string_view raw) {
  protocol::sse_splitter split{1 << 16};
  REQUIRE(split.feed(raw));
  protocol::sse_frame frame;
  REQUIRE(split.next(frame));
  opened_frame opener{provider::descriptor_of(of)};
  const auto before = frame.raw.data();
  opener.open(frame);
  return {std::string{frame.raw}, std::string{frame.data}, frame.raw.data() == before};
}

}  // namespace

TEST_CASE("a frame is that of the event inside of its envelope") {
  using provider::kind;
  const auto got = opened(kind::antigravity,
                          "data: {\"response\":{\"candidates\":[]},\"traceId\":\"t\"}\r\n\r\n");
  CHECK(got.raw == "data: {\"candidates\":[]}\n\n");
  CHECK(got.data == "{\"candidates\":[]}");
  const auto lines = opened(kind::antigravity, "data: {\"response\":{\ndata: \"n\":1}}\n\n");
  CHECK(lines.raw == "data: { \"n\":1}\n\n");
  CHECK(lines.data == "{ \"n\":1}");
}

TEST_CASE("a frame without an envelope keeps its bytes") {
  using provider::kind;
  for (const char* raw : {"data: {\"error\":{\"code\":429}}\n\n", "data: [DONE]\n\n", ": wait\n\n",
                          "data: {\"response\":\n\n", "data: {\"response\":7}\n\n"}) {
    CHECK(opened(kind::antigravity, raw).same);
    CHECK(opened(kind::antigravity, raw).raw == raw);
  }
  CHECK(opened(kind::gemini, "data: {\"response\":{}}\n\n").same);
}
