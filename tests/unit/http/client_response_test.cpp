#include <rapidcheck.h>

#include <future>

#include "tests/support/catch.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::testing;

namespace {

script_server::script play(std::string bytes, bool bytewise = false) {
  return [bytes = std::move(bytes), bytewise](peer& at, int) {
    at.read_request();
    if (bytewise) {
      at.send_bytewise(bytes);
    } else {
      at.send(bytes);
    }
  };
}

answer fetch(std::string bytes, bool bytewise = false) {
  script_server server(play(std::move(bytes), bytewise));
  harness h;
  return h.get(server.url());
}

struct frame_row {
  std::string bytes;
  int status;
  std::string body;
};

}  // namespace

TEST_CASE("reads every way to frame a body, whole and byte by byte") {
  const auto row = GENERATE(values<frame_row>({
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""},
      {"HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n"
       "0\r\nX-End: 1\r\n\r\n",
       200, "hello world"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, ""},
      {"HTTP/1.1 200 OK\r\n\r\nuntil the end", 200, "until the end"},
      {"HTTP/1.0 503 Busy\r\n\r\nold", 503, "old"},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", 204, ""},
      {"HTTP/1.1 304 Not Modified\r\n\r\n", 304, ""},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
       "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\nno",
       429, "no"},
  }));
  const bool bytewise = GENERATE(false, true);
  CAPTURE(row.bytes, bytewise);
  const auto got = fetch(row.bytes, bytewise);
  CHECK_FALSE(got.failure);
  CHECK(got.status == row.status);
  CHECK(got.body == row.body);
}

TEST_CASE("delivers a body that came with the head in one piece") {
  const auto got = fetch(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nab\r\n2\r\ncd\r\n2\r\nef\r\n0\r\n\r\n");
  CHECK(got.body == "abcdef");
  CHECK(got.pieces == 1);
}

TEST_CASE("a HEAD request has no body whatever the head says") {
  script_server server([](peer& at, int) {
    while (!at.read_request().empty()) at.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  });
  harness h;
  for (int i = 0; i < 2; ++i) {
    auto request = get_request(server.url());
    request.method = "HEAD";
    const auto got = h.send(std::move(request));
    CHECK_FALSE(got.failure);
    CHECK(got.length == 5u);
    CHECK(got.body.empty());
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("finds headers in any case and keeps their order, equal names together") {
  const auto got = fetch(
      "HTTP/1.1 200 OK\r\nX-B: 1\r\nRetry-After:  7 \r\nX-A: 2\r\nx-b: 3\r\n"
      "Content-Length: 0\r\n\r\n");
  std::string all;
  for (const auto& [name, value] : got.headers) all += name + "=" + value + " ";
  CHECK(all == "X-B=1 x-b=3 Retry-After=7 X-A=2 Content-Length=0 ");
  CHECK(got.header("retry-after") == "7");
}

TEST_CASE("a body cut before its end is connection_closed") {
  const std::string bytes = GENERATE(values<std::string>({
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
  }));
  CAPTURE(bytes);
  const auto got = fetch(bytes);
  CHECK(got.head);
  CHECK(got.body == "hello");
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::connection_closed);
}

TEST_CASE("a reset inside a body that ends with the connection is connection_closed") {
  script_server server([](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\n\r\npart");
    at.read_exactly(1);
    at.reset();
  });
  harness h;
  const auto call = h.begin_get(server.url(), 1);
  h.finish(*call);
  CHECK(call->got.body == "part");
}

TEST_CASE("refuses a malformed head and closes the connection") {
  const std::string bytes = GENERATE(values<std::string>({
      "garbage\r\n\r\n",
      "HTTP/2.0 200 OK\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
      "HTTP/1.1 200 OK\r\nBad\x01Name: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 099 Odd\r\n\r\n",
  }));
  CAPTURE(bytes);
  const auto got = fetch(bytes);
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::invalid_input);
  CHECK_FALSE(got.head);
}

TEST_CASE("refuses a malformed chunk after what came before it") {
  const auto got =
      fetch("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n");
  CHECK(got.head);
  CHECK(got.body == "hello");
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::invalid_input);
}

TEST_CASE("bounds the response head, however it arrives") {
  const int way = GENERATE(0, 1, 2);
  script_server server([way](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\n");
    if (way == 0) at.send("X-Long: " + std::string(70'000, 'a') + "\r\n\r\n");
    if (way == 1) at.send(std::string(100'000, 'a'));
    if (way == 2) {
      for (int i = 0; i < 9000; ++i) at.send("X-Many: 12345678\r\n");
    }
    at.wait_until_closed();
  });
  harness h;
  const auto got = h.get(server.url());
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::limit_exceeded);
}

TEST_CASE("reads a head of nearly the largest size") {
  const auto got = fetch("HTTP/1.1 200 OK\r\nX-Long: " + std::string(60'000, 'a') +
                         "\r\nContent-Length: 2\r\n\r\nok");
  CHECK_FALSE(got.failure);
  CHECK(got.header("x-long").value_or("").size() == 60'000);
  CHECK(got.body == "ok");
}

TEST_CASE("bounds interim responses and chunk extensions") {
  std::string interim;
  for (int i = 0; i < 100; ++i) interim += "HTTP/1.1 102 Processing\r\n\r\n";
  const auto many = fetch(interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  REQUIRE(many.failure);
  CHECK(many.failure->code == errc::invalid_input);
  const auto wide =
      fetch("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + std::string(200'000, 'x'));
  REQUIRE(wide.failure);
  CHECK(wide.failure->code == errc::limit_exceeded);
}

TEST_CASE("any chunking and any cutting into packets gives the same bytes") {
  REQUIRE(rc::check("chunked bodies", [] {
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(1, 40'000));
    std::string body;
    std::string wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const auto size : sizes) {
      std::string chunk(size, 'x');
      for (std::size_t i = 0; i < size; ++i)
        chunk[i] = static_cast<char>('a' + (i * 7 + size) % 26);
      char digits[20];
      std::snprintf(digits, sizeof digits, "%zx\r\n", size);
      wire += digits + chunk + "\r\n";
      body += chunk;
    }
    wire += "0\r\n\r\n";
    const auto cut = *rc::gen::inRange<std::size_t>(1, 5000);
    script_server server([&](peer& at, int) {
      at.read_request();
      for (std::size_t i = 0; i < wire.size(); i += cut)
        at.send(std::string_view(wire).substr(i, cut));
    });
    harness h;
    const auto got = h.get(server.url());
    RC_ASSERT(!got.failure);
    RC_ASSERT(got.body == body);
  }));
}

TEST_CASE("delivers an answer that comes while the request body is still being written") {
  std::promise<void> answered;
  script_server server([done = answered.get_future().share()](peer& at, int) {
    at.read_head();
    at.send("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\n\r\nbig");
    done.wait();
  });
  harness h;
  const std::string body(64 * 1024 * 1024, 'x');
  const auto got = h.send(post_request(server.url(), body));
  answered.set_value();
  CHECK_FALSE(got.failure);
  CHECK(got.status == 413);
  CHECK(got.body == "big");
  CHECK(h.stats().open == 0);
}

TEST_CASE(
    "a server that answers a large request early and closes loses its answer or delivers it") {
  script_server server([](peer& at, int) {
    at.read_head();
    at.send("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 2\r\n\r\nno");
  });
  harness h;
  const std::string body(64 * 1024 * 1024, 'x');
  const auto got = h.send(post_request(server.url(), body));
  if (got.head) {
    CHECK(got.status == 429);
  } else {
    CHECK(got.failure->code == errc::connection_closed);
  }
  CHECK(h.stats().open == 0);
}

TEST_CASE("sends a large body completely and keeps the connection") {
  script_server server([](peer& at, int) {
    for (auto all = at.read_request(); !all.empty(); all = at.read_request()) {
      at.send(simple_answer(std::to_string(all.size() - all.find("\r\n\r\n") - 4)));
    }
  });
  harness h;
  const std::string body(8 * 1024 * 1024, 'x');
  for (int i = 0; i < 2; ++i) {
    auto request = post_request(server.url(), body);
    request.body.assign(3, body);
    CHECK(h.send(std::move(request)).body == std::to_string(3 * body.size()));
  }
  CHECK(server.connections() == 1);
}
