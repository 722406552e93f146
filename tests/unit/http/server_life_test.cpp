#include <boost/asio/steady_timer.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

using http::awaitable;
using http::request;
using http::responder;
using http::session_context;

/// A door between the test and a handler: the handler says that it waits and goes on when opened.
class gate {
 public:
  explicit gate(bool watching) : watching_(watching) {}

  awaitable<void> operator()(request&, responder& out, session_context& context) {
    co_await stand(out, context);
    protocol::reply reply;
    reply.status = 200;
    reply.body = "late";
    sent_.set_value(co_await out.send(std::move(reply)));
  }
  /// Inside an answer that has begun.
  awaitable<void> inside(responder& out, session_context& context) {
    co_await stand(out, context);
    sent_.set_value(co_await out.write("late"));
  }
  void wait() { waits_.wait(); }
  void open() {
    http::asio::post(*on_, [timer = timer_] { timer->cancel(); });
  }
  bool sent() { return sent_.get_future().get(); }
  int gone() const { return gone_; }

 private:
  awaitable<void> stand(responder& out, session_context& context) {
    auto timer = std::make_shared<http::asio::steady_timer>(context.on);
    timer->expires_at(std::chrono::steady_clock::time_point::max());
    on_ = std::make_unique<http::strand>(context.on);
    timer_ = timer;
    if (watching_) {
      out.watch_client([this, timer] {
        ++gone_;
        timer->cancel();
      });
    }
    waiting_.set_value();
    co_await timer->async_wait(http::no_throw);
    out.watch_client(nullptr);
    // Neither may outlive the io_context; the test is done with them once the door is open.
    timer_.reset();
    on_.reset();
  }

  const bool watching_;
  std::promise<void> waiting_;
  std::future<void> waits_ = waiting_.get_future();
  std::promise<bool> sent_;
  std::unique_ptr<http::strand> on_;
  std::shared_ptr<http::asio::steady_timer> timer_;
  std::atomic<int> gone_{0};
};

http::handler through(gate& door) {
  return [&door](request& call, responder& out, session_context& context) {
    return door(call, out, context);
  };
}

}  // namespace

TEST_CASE("a client that disconnects while the handler waits is noticed") {
  gate door(true);
  server_rig rig(local_config(), through(door));
  raw_client client(rig.port());
  client.send(get("/slow"));
  door.wait();
  client.close();
  CHECK_FALSE(door.sent());
  CHECK(door.gone() == 1);
}

TEST_CASE("a client that ended only its own direction is asked and gets its answer") {
  gate door(true);
  server_rig rig(local_config(), through(door));
  raw_client client(rig.port());
  client.send(post("/slow", "body"));
  SECTION("before the handler runs or soon after") {
    client.half_close();
  }
  SECTION("while the handler waits") {
    door.wait();
    client.half_close();
  }
  CHECK(client.receive().status == 100);
  door.wait();
  door.open();
  CHECK(client.receive().body == "late");
  CHECK(client.closed());
  CHECK(door.sent());
  CHECK(door.gone() == 0);
}

TEST_CASE("a client that ended its direction and vanishes later is noticed") {
  gate door(true);
  server_rig rig(local_config(), through(door));
  raw_client client(rig.port());
  client.send(get("/slow"));
  client.half_close();
  CHECK(client.receive().status == 100);
  client.close();
  CHECK_FALSE(door.sent());
  CHECK(door.gone() == 1);
}

TEST_CASE("the end of a client that cannot be asked counts as gone") {
  gate door(true);
  SECTION("HTTP/1.0 knows no interim answers") {
    server_rig rig(local_config(), through(door));
    raw_client client(rig.port());
    client.send("GET /slow HTTP/1.0\r\n\r\n");
    client.half_close();
    CHECK_FALSE(door.sent());
  }
  SECTION("an answer that has begun leaves no room for a question") {
    server_rig rig(local_config(),
                   [&](request&, responder& out, session_context& context) -> awaitable<void> {
                     std::vector<protocol::header> none;
                     out.begin(200, std::move(none), std::nullopt);
                     const bool begun = co_await out.write("first piece");
                     CHECK(begun);
                     co_await door.inside(out, context);
                   });
    raw_client client(rig.port());
    client.send(get("/stream"));
    door.wait();
    client.half_close();
    CHECK_FALSE(door.sent());
  }
  CHECK(door.gone() == 1);
}

TEST_CASE("a pipelined request is not a disconnect") {
  auto door = std::make_shared<gate>(true);
  std::atomic<int> calls{0};
  server_rig rig(local_config(), [&](request& call, responder& out, session_context& context) {
    return calls++ == 0 ? (*door)(call, out, context) : echo(call, out, context);
  });
  raw_client client(rig.port());
  client.send(get("/slow"));
  door->wait();
  client.send(post("/second", "body of the second"));
  // The second connection proves that the server has had its turn after the pipelined bytes.
  raw_client other(rig.port());
  other.send(get("/other"));
  CHECK(other.receive().body == "GET /other|");
  CHECK(calls == 2);
  door->open();
  CHECK(client.receive().body == "late");
  CHECK(client.receive().body == "POST /second|body of the second");
  CHECK(door->gone() == 0);
}

TEST_CASE("the watch leaves the connection usable") {
  std::atomic<int> gone{0};
  server_rig rig(
      local_config(),
      [&gone](request& call, responder& out, session_context& context) -> awaitable<void> {
        out.watch_client([&gone] { ++gone; });
        co_await echo(call, out, context);
      });
  raw_client client(rig.port());
  for (int i = 0; i < 50; ++i) {
    client.send(post("/x", std::string(static_cast<std::size_t>(i) * 700, 'b')));
    REQUIRE(client.receive().body.size() == 8 + static_cast<std::size_t>(i) * 700);
  }
  client.close();
  rig.stop();
  CHECK(gone == 0);
}

TEST_CASE("draining closes idle connections and lets running requests finish") {
  gate door(true);
  server_rig rig(local_config(), [&](request& call, responder& out, session_context& context) {
    return call.path == "/slow" ? door(call, out, context) : echo(call, out, context);
  });
  raw_client idle(rig.port());
  idle.send(get("/x"));
  CHECK(idle.receive().status == 200);
  raw_client busy(rig.port());
  busy.send(get("/slow"));
  door.wait();
  rig.server().begin_drain();
  CHECK(rig.server().draining());
  CHECK(idle.closed());
  CHECK_THROWS(raw_client(rig.port()));
  door.open();
  const auto answer = busy.receive();
  CHECK(answer.body == "late");
  CHECK(answer.field("connection") == "close");
  CHECK(busy.closed());
  CHECK(door.gone() == 0);
}

TEST_CASE("stop ends handlers that wait, watched or not") {
  const bool watching = GENERATE(true, false);
  gate door(watching);
  server_rig rig(local_config(), through(door));
  raw_client client(rig.port());
  raw_client idle(rig.port());
  client.send(get("/slow"));
  door.wait();
  rig.stop();
  CHECK_FALSE(door.sent());
  CHECK(client.closed());
  CHECK(idle.closed());
  CHECK(rig.server().open_connections() == 0);
  CHECK(rig.server().active_requests() == 0);
}

TEST_CASE("stop without a connection is done at once, twice, too") {
  server_rig rig;
  rig.stop();
  rig.stop();
}

TEST_CASE("a port in use is named") {
  server_rig first;
  auto config = local_config();
  config.server.port = first.port();
  server_rig second(config);
  REQUIRE_FALSE(second.started());
  CHECK(second.started().error().code == errc::io_failure);
  CHECK_THAT(second.started().error().detail, ContainsSubstring(std::to_string(first.port())));
}

}  // namespace tidegate::test
