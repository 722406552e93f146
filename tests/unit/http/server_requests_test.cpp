#include <dirent.h>

#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

int open_descriptors() {
  int count = 0;
  DIR* directory = ::opendir("/proc/self/fd");
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

}  // namespace

TEST_CASE("a connection serves one request after the other") {
  server_rig rig;
  REQUIRE(rig.started());
  raw_client client(rig.port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("/v1/messages?beta=true", "{\"n\":" + std::to_string(i) + "}"));
    const auto answer = client.receive();
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /v1/messages?beta=true|{\"n\":" + std::to_string(i) + "}");
    CHECK(answer.field("connection").empty());
    CHECK(answer.field("content-type") == "text/plain");
    CHECK(answer.field("date").size() == 29);
  }
  CHECK(rig.server().open_connections() == 1);
}

TEST_CASE("requests sent in one segment are answered in order") {
  server_rig rig;
  raw_client client(rig.port());
  client.send(get("/a") + post("/b", "body") + get("/c"));
  CHECK(client.receive().body == "GET /a|");
  CHECK(client.receive().body == "POST /b|body");
  CHECK(client.receive().body == "GET /c|");
}

TEST_CASE("a request may arrive byte by byte") {
  server_rig rig;
  raw_client client(rig.port());
  const std::string chunked =
      "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n4\r\ndefg\r\n0\r\nTrailer: 1\r\n\r\n";
  for (const std::string& request : {post("/x", "abcdefg"), chunked}) {
    for (const char byte : request) client.send({&byte, 1});
    const auto answer = client.receive();
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /x|abcdefg");
  }
}

TEST_CASE("a chunked body and what follows it are told apart") {
  server_rig rig;
  raw_client client(rig.port());
  client.send(
      "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" +
      get("/next"));
  CHECK(client.receive().body == "POST /x|hello");
  CHECK(client.receive().body == "GET /next|");
}

TEST_CASE("a large body arrives whole with room behind its end") {
  std::size_t spare = 0;
  server_rig rig(local_config(),
                 [&spare](http::request& call, http::responder& out,
                          http::session_context&) -> http::awaitable<void> {
                   spare = call.body.capacity() - call.body.size();
                   protocol::reply reply;
                   reply.status = 200;
                   reply.body = call.body;
                   co_await out.send(std::move(reply));
                 });
  std::string body(20 * 1024 * 1024, 'x');
  for (std::size_t i = 0; i < body.size(); i += 4096) body[i] = static_cast<char>('a' + i % 23);
  raw_client client(rig.port());
  std::thread sender([&] { client.send(post("/v1/messages", body)); });
  const auto answer = client.receive();
  sender.join();
  CHECK(answer.status == 200);
  CHECK((answer.body == body));
  CHECK(spare >= 64);
}

TEST_CASE("Expect: 100-continue is answered before the body is read") {
  server_rig rig;
  raw_client client(rig.port());
  client.send("POST /x HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.receive().status == 100);
  client.send("body");
  CHECK(client.receive().body == "POST /x|body");
}

TEST_CASE("HTTP/1.0 connections close unless the client asks otherwise") {
  server_rig rig;
  SECTION("by default") {
    raw_client client(rig.port());
    client.send("GET /x HTTP/1.0\r\n\r\n");
    const auto answer = client.receive();
    CHECK(answer.status == 200);
    CHECK(answer.field("connection") == "close");
    CHECK(client.closed());
  }
  SECTION("with keep-alive") {
    raw_client client(rig.port());
    for (int i = 0; i < 2; ++i) {
      client.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      const auto answer = client.receive();
      CHECK(answer.status == 200);
      CHECK(answer.field("connection") == "keep-alive");
    }
  }
}

TEST_CASE("Connection: close ends the connection after the answer") {
  server_rig rig;
  raw_client client(rig.port());
  client.send(get("/x", "Connection: close\r\n"));
  const auto answer = client.receive();
  CHECK(answer.status == 200);
  CHECK(answer.field("connection") == "close");
  CHECK(client.closed());
}

TEST_CASE("HEAD has the headers of GET and no body") {
  server_rig rig;
  raw_client client(rig.port());
  client.send("HEAD /healthz HTTP/1.1\r\nHost: t\r\n\r\n" + get("/after"));
  const auto answer = client.receive(true);
  CHECK(answer.status == 200);
  CHECK(answer.field("content-length") == "14");
  CHECK(client.receive().body == "GET /after|");
}

TEST_CASE("a target in absolute form means its path") {
  server_rig rig;
  raw_client client(rig.port());
  client.send("GET http://tidegate.test/v1/models?a=1 HTTP/1.1\r\nHost: tidegate.test\r\n\r\n");
  CHECK(client.receive().body == "GET /v1/models?a=1|");
  client.send("GET /login?next=http://x.test/ HTTP/1.1\r\nHost: tidegate.test\r\n\r\n");
  CHECK(client.receive().body == "GET /login?next=http://x.test/|");
}

TEST_CASE("empty lines before a request are passed over") {
  server_rig rig;
  raw_client client(rig.port());
  client.send("\r\n" + get("/a") + "\r\n" + get("/b"));
  CHECK(client.receive().body == "GET /a|");
  CHECK(client.receive().body == "GET /b|");
}

TEST_CASE("many requests and connections leave no descriptor behind") {
  server_rig rig;
  {
    raw_client warm(rig.port());
    warm.send(get("/x"));
    CHECK(warm.receive().status == 200);
  }
  raw_client client(rig.port());
  client.send(get("/x"));
  client.receive();
  const int before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    client.send(get("/x"));
    REQUIRE(client.receive().status == 200);
  }
  CHECK(open_descriptors() <= before);
  for (int i = 0; i < 100; ++i) {
    raw_client one(rig.port());
    one.send(get("/x", "Connection: close\r\n"));
    REQUIRE(one.receive().status == 200);
    REQUIRE(one.closed());
  }
  rig.stop();
  CHECK(open_descriptors() < before);
  CHECK(rig.server().open_connections() == 0);
}

}  // namespace tidegate::test
