#include "protocol/sse.hpp"

#include "tests/support/catch.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

using namespace tidegate;
using namespace tidegate::protocol;

namespace {

struct seen {
  std::string raw, event, data;
  friend bool operator==(const seen&, const seen&) = default;
};

struct outcome {
  std::vector<seen> frames;
  std::string rest;
  bool overgrown = false;
  friend bool operator==(const outcome&, const outcome&) = default;
};

/// Feeds the bytes in the given portions; what is left goes in one.
outcome split(const std::string& bytes, std::vector<std::size_t> portions, std::size_t bound) {
  outcome out;
  sse_splitter splitter(bound);
  std::size_t at = 0;
  portions.push_back(bytes.size());
  for (const std::size_t portion : portions) {
    const std::string piece = bytes.substr(at, portion);
    at += piece.size();
    out.overgrown = !splitter.feed(piece);
    sse_frame frame;
    while (splitter.next(frame)) {
      out.frames.push_back(
          {std::string{frame.raw}, std::string{frame.event}, std::string{frame.data}});
    }
    if (out.overgrown) return out;
  }
  out.rest = splitter.rest();
  return out;
}

outcome split(const std::string& bytes) { return split(bytes, {}, 4096); }

std::vector<std::size_t> ones(const std::string& bytes) {
  return std::vector<std::size_t>(bytes.size(), 1);
}

}  // namespace

TEST_CASE("frames carry their raw bytes, event name and data") {
  const auto got = split("event: a\ndata: 1\n\n: note\n\ndata:2\nid: 7\n\ndata: cut");
  REQUIRE(got.frames.size() == 3);
  CHECK(got.frames[0] == seen{"event: a\ndata: 1\n\n", "a", "1"});
  CHECK(got.frames[1] == seen{": note\n\n", "", ""});
  CHECK(got.frames[2] == seen{"data:2\nid: 7\n\n", "", "2"});
  CHECK(got.rest == "data: cut");
}

TEST_CASE("field rules of the standard hold") {
  const auto [bytes, event, data] = GENERATE(table<std::string, std::string, std::string>({
      {"data: a\ndata:\ndata:  b\n\n", "", "a\n\n b"},
      {"event: x\nevent: y\ndata: 1\n\n", "y", "1"},
      {"data\ndata\n\n", "", "\n"},
      {"database: 1\ndata: 2\n\n", "", "2"},
      {"event\ndata: 2\n\n", "", "2"},
      {"data: a:b: c\n\n", "", "a:b: c"},
      {" data: 1\n\n", "", ""},
      {"data: a\r\nevent: e\r\n\r\n", "e", "a"},
      {"data: a\revent: e\r\r", "e", "a"},
      {"data: a\r\ndata: b\n\n", "", "a\nb"},
      {"\xEF\xBB\xBF" "data: a\n\n", "", "a"},
  }));
  CAPTURE(bytes);
  const auto got = split(bytes);
  REQUIRE(got.frames.size() == 1);
  CHECK(got.frames[0].event == event);
  CHECK(got.frames[0].data == data);
  CHECK(split(bytes, ones(bytes), 4096) == got);
}

TEST_CASE("a byte order mark is skipped at the very start only") {
  CHECK(split("\xEF\xBB\xBF\n\n").frames.size() == 2);
  CHECK(split("data: 1\n\n\xEF\xBB\xBF" "data: 2\n\n").frames[1].data.empty());
  CHECK(split("\xEF\xBB").rest == "\xEF\xBB");
}

TEST_CASE("a frame of CR lines is complete at its last byte") {
  CHECK(split("data: 1\r\r").frames.size() == 1);
  CHECK(split("data: 1\r\n\r\n").frames[0].raw == "data: 1\r\n\r\n");
  const auto mixed = split("data: 1\r\r\ndata: 2\r\r");
  REQUIRE(mixed.frames.size() == 3);
  CHECK(mixed.frames[1] == seen{"\n", "", ""});
  CHECK(mixed.frames[2].data == "2");
}

TEST_CASE("one frame may fill its bound and not outgrow it") {
  const std::string good = "data: 1\n\n";
  const std::string full = "data: " + std::string(24, 'x') + "\n\n";
  const auto fits = split(good + full + good, {}, 32);
  CHECK_FALSE(fits.overgrown);
  CHECK(fits.frames.size() == 3);
  const auto whole = split(good + full + good, {}, 31);
  CHECK(whole.overgrown);
  CHECK(whole.frames.size() == 1);
  CHECK(split(good + full + good, ones(good + full + good), 31) == whole);
  CHECK(split(std::string(33, 'x'), {}, 32).overgrown);
  CHECK_FALSE(split(std::string(32, 'x'), {}, 32).overgrown);
}

TEST_CASE("after a frame that is too large nothing is accepted") {
  sse_splitter splitter(8);
  CHECK(splitter.feed("data: 123456789").error().code == errc::limit_exceeded);
  CHECK(splitter.feed("\n\ndata: 1\n\n").error().code == errc::limit_exceeded);
  sse_frame frame;
  CHECK_FALSE(splitter.next(frame));
}

TEST_CASE("the frames do not depend on how the bytes were cut") {
  REQUIRE(rc::check("any split", [] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "data: x", "data:", "event: e", ": c", "\n", "\n", "\r\n", "\r\n", "\r", "\xEF\xBB\xBF",
        "id", "y"));
    std::string bytes;
    for (const auto& part : parts) bytes += part;
    const auto bound = *rc::gen::element<std::size_t>(12, 20, 4096);
    const auto portions =
        *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 9));
    const auto whole = split(bytes, {}, bound);
    RC_ASSERT(split(bytes, portions, bound) == whole);
    RC_ASSERT(split(bytes, ones(bytes), bound) == whole);
    if (!whole.overgrown) {
      std::string joined = bytes.starts_with("\xEF\xBB\xBF") ? "\xEF\xBB\xBF" : "";
      for (const auto& frame : whole.frames) joined += frame.raw;
      RC_ASSERT(joined + whole.rest == bytes);
    }
  }));
}
