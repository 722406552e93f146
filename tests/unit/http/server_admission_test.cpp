#include <future>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

using http::admission;
using http::request;

protocol::reply no_entry() {
  protocol::reply reply;
  reply.status = 401;
  reply.body = "no entry";
  return reply;
}

/// Lets in what does not begin with /closed.
struct door {
  admission operator()(const request& in) {
    ++asked;
    if (!in.body.empty()) ++with_body;  // on the server's thread: no assertion here
    admission said;
    if (in.path.starts_with("/closed")) said.refusal = no_entry();
    if (in.path.starts_with("/asks")) said.question = ask(in);
    if (in.path.starts_with("/small")) said.body_bytes_max = 10;
    return said;
  }
  static http::awaitable<std::optional<protocol::reply>> ask(const request& in) {
    if (in.query == "no") co_return no_entry();
    co_return std::nullopt;
  }
  std::atomic<int> asked{0};
  std::atomic<int> with_body{0};
};

http::service behind(door& one) {
  http::service out;
  out.admit = [&one](const request& in) { return one(in); };
  out.serve = echo;
  return out;
}

std::string head_of(const std::string& path, std::size_t length, const std::string& extra = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(length) +
         "\r\n" + extra + "\r\n";
}

}  // namespace

TEST_CASE("a request that is not let in is answered on its head alone") {
  const auto bytes =
      GENERATE(as<std::string>{}, head_of("/closed", 100'000'000), head_of("/asks?no", 100'000'000),
               head_of("/closed", 10, "Expect: 100-continue\r\n"),
               "POST /closed HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  CAPTURE(bytes);
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  client.send(bytes);
  const auto answer = client.receive();
  CHECK(answer.status == 401);
  CHECK(answer.body == "no entry");
  CHECK(answer.field("connection") == "close");
  client.half_close();
  CHECK(client.closed());
  CHECK(rig.handled() == 0);
}

TEST_CASE("a large body that nobody wants does not take the answer with it") {
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  client.send(head_of("/closed", 3'000'000));
  client.send(std::string(3'000'000, 'b'));
  CHECK(client.receive().body == "no entry");
}

TEST_CASE("a refused request with a small body leaves the connection usable") {
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  for (const char* path : {"/closed", "/asks?no"}) {
    client.send(post(path, std::string(60'000, 'b')));
    CHECK(client.receive().status == 401);
  }
  client.send(post("/open", "body"));
  CHECK(client.receive().body == "POST /open|body");
  CHECK(rig.handled() == 1);
}

TEST_CASE("each request is asked about once, with or without a body") {
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  client.send(get("/a") + post("/b", "body") + post("/asks", "body") + get("/closed"));
  for (const int status : {200, 200, 200, 401}) CHECK(client.receive().status == status);
  CHECK(one.asked == 4);
  CHECK(one.with_body == 0);
}

TEST_CASE("100 Continue is sent to those who are let in") {
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  client.send(head_of("/asks", 4, "Expect: 100-continue\r\n"));
  CHECK(client.receive().status == 100);
  client.send("body");
  CHECK(client.receive().body == "POST /asks|body");
}

TEST_CASE("admission may bound a body more tightly than the configuration") {
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  client.send(post("/small", "ten bytes!"));
  CHECK(client.receive().status == 200);
  client.send(post("/small", "eleven byte"));
  CHECK(client.receive().status == 413);
  client.send(
      "POST /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nb\r\neleven byte\r\n"
      "0\r\n\r\n");
  CHECK(client.receive().status == 413);
}

TEST_CASE("OPTIONS is answered on its head, whoever asks") {
  door one;
  server_rig rig(local_config(), behind(one));
  raw_client client(rig.port());
  client.send("OPTIONS /closed HTTP/1.1\r\nHost: t\r\nContent-Length: 100000000\r\n\r\n");
  CHECK(client.receive().status == 204);
}

TEST_CASE("large bodies share one budget until they are answered") {
  std::promise<void> held;
  std::promise<void> go_on;
  auto opened = go_on.get_future();
  http::service behind;
  behind.bodies_bytes_max = 512 * 1024;
  behind.serve = [&](request& call, http::responder& out,
                     http::session_context& context) -> http::awaitable<void> {
    if (call.path == "/hold") {
      held.set_value();
      opened.wait();  // the other thread of the rig goes on
    }
    call.body.clear();
    co_await echo(call, out, context);
  };
  server_rig rig(local_config(), std::move(behind));
  const std::string large(400'000, 'b');
  raw_client first(rig.port());
  first.send(post("/hold", large));
  held.get_future().wait();

  raw_client second(rig.port());
  second.send(post("/v1/messages", std::string(60'000, 'b')));
  CHECK(second.receive().status == 200);
  SECTION("one that does not fit is told to come back, in the shape of its path") {
    second.send(post("/v1/messages", large));
    const auto answer = second.receive();
    CHECK(answer.status == 503);
    CHECK(answer.field("retry-after") == "1");
    CHECK(answer.field("connection") == "close");
    CHECK(nlohmann::json::parse(answer.body)["type"] == "error");
  }
  SECTION("a chunked one, too") {
    second.send("POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n61A80\r\n" +
                large + "\r\n0\r\n\r\n");
    CHECK(second.receive().status == 503);
  }
  go_on.set_value();
  CHECK(first.receive().status == 200);
  first.send(post("/x", large));
  CHECK(first.receive().status == 200);
}

TEST_CASE("a body that is alone may be larger than the budget") {
  http::body_budget budget(1000);
  http::body_claim one(budget);
  http::body_claim other(budget);
  CHECK(one.cover(10 * http::free_body_bytes));
  CHECK_FALSE(other.cover(http::free_body_bytes + 1));
  CHECK(other.cover(http::free_body_bytes));
  CHECK(one.cover(20 * http::free_body_bytes));
  one.release();
  CHECK(budget.used() == 0);
  CHECK(other.cover(http::free_body_bytes + 1));
}

}  // namespace tidegate::test
