#include <future>

#include "tests/support/catch.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::testing;

namespace {

/// Answers every request on every connection.
void echo_forever(peer& at, int) {
  while (!at.read_request().empty()) at.send(simple_answer("ok"));
}

}  // namespace

TEST_CASE("reuses a connection for requests one after another") {
  script_server server(echo_forever);
  harness h;
  for (int i = 0; i < 5; ++i) CHECK(h.get(server.url()).body == "ok");
  CHECK(server.connections() == 1);
  const auto stats = h.stats();
  CHECK(stats.dialled == 1);
  CHECK(stats.reused == 4);
  CHECK(stats.open == 1);
  CHECK(stats.idle == 1);
}

TEST_CASE("sends head and body pieces as one request with our own framing") {
  std::promise<std::string> seen;
  script_server server([&](peer& at, int) {
    seen.set_value(at.read_request());
    at.send(simple_answer(""));
  });
  harness h;
  auto request = post_request(server.url("/v1/x?a=1"), "{\"model\":");
  request.body.push_back("");
  request.body.push_back("\"m\"}");
  request.headers.push_back({"Content-Type", "application/json", false});
  request.headers.push_back({"content-length", "7", false});
  request.headers.push_back({"Connection", "upgrade", false});
  const auto got = h.send(std::move(request));
  REQUIRE_FALSE(got.failure);
  CHECK(seen.get_future().get() == "POST /v1/x?a=1 HTTP/1.1\r\nHost: " + server.authority() +
                                       "\r\nContent-Type: application/json\r\n"
                                       "Content-Length: 13\r\n\r\n{\"model\":\"m\"}");
}

TEST_CASE("does not reuse a connection that the answer closes") {
  const std::string head = GENERATE(values<std::string>({
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokJUNK",
  }));
  CAPTURE(head);
  script_server server([&](peer& at, int) {
    at.read_request();
    at.send(head);
    at.wait_until_closed();
  });
  harness h;
  CHECK(h.get(server.url()).body == "ok");
  CHECK(h.get(server.url()).body == "ok");
  CHECK(server.connections() == 2);
  CHECK(h.stats().open == 0);
}

TEST_CASE("keeps an HTTP/1.0 connection only when the answer offers it") {
  script_server server([&](peer& at, int) {
    while (!at.read_request().empty()) {
      at.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  harness h;
  CHECK(h.get(server.url()).body == "ok");
  CHECK(h.get(server.url()).body == "ok");
  CHECK(server.connections() == 1);
}

TEST_CASE("discards an idle connection that the server has closed or written to") {
  const bool writes = GENERATE(false, true);
  std::promise<void> spoiled;
  script_server server([&](peer& at, int nth) {
    at.read_request();
    at.send(simple_answer("ok"));
    if (nth > 0) return at.wait_until_closed();
    if (writes) at.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
    if (!writes) at.end();
    spoiled.set_value();
    if (writes) at.wait_until_closed();
  });
  harness h;
  CHECK(h.get(server.url()).body == "ok");
  spoiled.get_future().get();
  const auto second = h.get(server.url());
  CHECK(second.status == 200);
  CHECK(second.body == "ok");
  CHECK(server.connections() == 2);
  CHECK(h.stats().reused == 0);
}

TEST_CASE("replaces a kept connection once when it dies before any response byte") {
  const bool reset = GENERATE(false, true);
  script_server server([&](peer& at, int nth) {
    at.read_request();
    if (nth > 0) return at.send(simple_answer("second"));
    at.send(simple_answer("first"));
    at.read_request();
    if (reset) at.reset();
  });
  harness h;
  CHECK(h.get(server.url()).body == "first");
  CHECK(h.get(server.url()).body == "second");
  CHECK(server.connections() == 2);
}

TEST_CASE("does not replace a connection after response bytes, nor a new one") {
  const bool bytes_first = GENERATE(true, false);
  script_server server([&](peer& at, int nth) {
    at.read_request();
    if (bytes_first && nth == 0) {
      at.send(simple_answer("first"));
      at.read_request();
      at.send("HTTP/1.1 200");
    }
  });
  harness h;
  if (bytes_first) CHECK(h.get(server.url()).body == "first");
  const auto got = h.get(server.url());
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::connection_closed);
  CHECK(server.connections() == 1);
  CHECK(h.stats().open == 0);
}

TEST_CASE("destroying a half-read response closes its connection") {
  std::promise<void> closed;
  script_server server([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
    at.wait_until_closed();
    closed.set_value();
  });
  harness h;
  const auto call = h.begin_get(server.url(), 1);
  h.finish(*call);
  CHECK(call->got.body == "part");
  closed.get_future().get();
  CHECK(h.stats().open == 0);
}

TEST_CASE("a complete response gives its connection back even when its end was not read") {
  script_server server(echo_forever);
  harness h;
  const auto call = h.begin_get(server.url(), 1);
  h.finish(*call);
  CHECK(h.stats().idle == 1);
}

TEST_CASE("waits for a connection first come first served when all are busy") {
  std::promise<void> release;
  const auto released = release.get_future().share();
  transcript order;
  script_server server([&](peer& at, int) {
    for (auto head = at.read_head(); !head.empty(); head = at.read_head()) {
      order.add(head.substr(4, 2));
      if (order.size() == 1) released.wait();
      at.send(simple_answer("ok"));
    }
  });
  harness h;
  h.options.connections_per_origin_max = 1;
  std::vector<std::shared_ptr<running>> calls;
  for (const char* path : {"/a", "/b", "/c", "/d"}) {
    calls.push_back(h.begin_get(server.url(path)));
    h.poll();
  }
  CHECK(h.stats().open == 1);
  release.set_value();
  for (const auto& call : calls) {
    h.finish(*call);
    CHECK(call->got.body == "ok");
  }
  CHECK(order.all() == std::vector<std::string>{"/a", "/b", "/c", "/d"});
  CHECK(server.connections() == 1);
}

TEST_CASE("hands the place of a closed connection to the next waiter") {
  script_server server([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  });
  harness h;
  h.options.connections_per_origin_max = 2;
  std::vector<std::shared_ptr<running>> calls;
  for (int i = 0; i < 6; ++i) calls.push_back(h.begin_get(server.url()));
  for (const auto& call : calls) {
    h.finish(*call);
    CHECK(call->got.body == "ok");
  }
  CHECK(server.connections() == 6);
  CHECK(h.stats().open == 0);
}

TEST_CASE("keeps at most the configured number of idle connections") {
  script_server server(echo_forever);
  harness h;
  h.options.idle_per_origin_max = 2;
  std::vector<std::shared_ptr<running>> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(h.begin_get(server.url(), 0));
  h.run_until(
      [&] { return std::all_of(calls.begin(), calls.end(), [](auto& c) { return c->finished; }); });
  CHECK(h.stats().idle <= 2);
  CHECK(h.stats().open == h.stats().idle);
}

TEST_CASE("drops idle connections past their lifetime without a timer") {
  script_server server(echo_forever);
  harness h;
  h.options.idle_connection_lifetime = std::chrono::seconds(0);
  CHECK(h.get(server.url()).body == "ok");
  CHECK(h.get(server.url()).body == "ok");
  CHECK(server.connections() == 2);
  CHECK(h.stats().idle == 1);
}

TEST_CASE("a stopped client closes what is idle and refuses calls, waiting ones too") {
  script_server server([](peer& at, int nth) {
    at.read_request();
    if (nth == 0) at.send(simple_answer("ok"));
    at.wait_until_closed();
  });
  harness h;
  CHECK(h.get(server.url()).body == "ok");
  h.options.connections_per_origin_max = 1;
  const auto busy = h.begin_get(server.url());
  h.poll();
  const auto waiting = h.begin_get(server.url());
  h.poll();
  h.upstream().stop();
  h.finish(*waiting);
  REQUIRE(waiting->got.failure);
  CHECK(waiting->got.failure->code == errc::unavailable);
  CHECK(h.get(server.url()).failure->code == errc::unavailable);
  busy->cancel();
  h.finish(*busy);
  CHECK(h.stats().open == 0);
}

TEST_CASE("descriptors stay flat over 1,000 answers that close the connection [report 93]") {
  script_server server([&](peer& at, int) {
    at.read_request();
    at.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  });
  harness h;
  CHECK(h.get(server.url()).body == "ok");
  server.settle();
  const auto before = open_descriptors();
  int good = 0;
  for (int i = 0; i < 1000; ++i) {
    good += h.get(server.url()).body == "ok" ? 1 : 0;
    if (i % 100 == 0) server.settle();
  }
  server.settle();
  CHECK(good == 1000);
  CHECK(open_descriptors() == before);
}

TEST_CASE("serves many strands on two threads within its bounds") {
  script_server server(echo_forever);
  harness h;
  h.options.connections_per_origin_max = 8;
  CHECK(h.hammer(server.url(), 64, 20, "ok") == 64 * 20);
  CHECK(server.connections() <= 8);
  CHECK(h.stats().open == h.stats().idle);
}
