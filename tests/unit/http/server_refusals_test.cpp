#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

config::snapshot small_limits() {
  auto out = local_config();
  out.server.head_bytes_max = 2048;
  out.server.header_count_max = 8;
  out.server.body_bytes_max = 1000;
  return out;
}

bool has_generic_shape(const raw_response& answer) {
  const auto body = nlohmann::json::parse(answer.body, nullptr, false);
  return body.is_object() && body.contains("error") && body["error"]["message"].is_string() &&
         body["error"]["type"].is_string();
}

const std::string head = "POST /x HTTP/1.1\r\nHost: t\r\n";

}  // namespace

TEST_CASE("malformed requests get their status, an error body and a closed connection") {
  const auto [name, bytes, status] = GENERATE(table<const char*, std::string, int>({
      {"garbage", "\x16\x03\x01\x02 hello", 400},
      {"no version", "GET /x\r\n\r\n", 400},
      {"HTTP/2", "GET /x HTTP/2.0\r\nHost: t\r\n\r\n", 505},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"blank in a name", "GET /x HTTP/1.1\r\nHost: t\r\nA b: 1\r\n\r\n", 400},
      {"blank before the colon", "GET /x HTTP/1.1\r\nHost : t\r\n\r\n", 400},
      {"NUL in a value", std::string("GET /x HTTP/1.1\r\nHost: t\r\nA: 1\0\r\n\r\n", 35), 400},
      {"control byte in a value", "GET /x HTTP/1.1\r\nHost: t\r\nA: \x01\r\n\r\n", 400},
      {"bare LF", "GET /x HTTP/1.1\nHost: t\n\r\n\r\n", 400},
      {"bare CR", "GET /x HTTP/1.1\r\nHost: t\rA: b\r\n\r\n", 400},
      {"control byte in the target", "GET /\x02x HTTP/1.1\r\nHost: t\r\n\r\n", 400},
      {"no Host", "GET /x HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"bad length", head + "Content-Length: 1x\r\n\r\n1", 400},
      {"negative length", head + "Content-Length: -1\r\n\r\n", 400},
      {"two lengths", head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n12", 400},
      {"length and chunked", head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"chunked and length", head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400},
      {"unknown transfer coding", head + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {"two transfer codings", head + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"chunked in HTTP/1.0", "POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"bad chunk size", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", 400},
      {"huge chunk size", head + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n",
       400},
      {"chunk without its end", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdefgh\r\n", 400},
  }));
  CAPTURE(name);
  server_rig rig;
  raw_client client(rig.port());
  client.send(bytes);
  const auto answer = client.receive();
  CHECK(answer.status == status);
  CHECK(has_generic_shape(answer));
  CHECK(answer.field("connection") == "close");
  CHECK(answer.field("access-control-allow-origin") == "*");
  client.half_close();
  CHECK(client.closed());
  CHECK(rig.handled() == 0);
}

TEST_CASE("every limit has its own answer") {
  const auto [name, bytes, status, kept] = GENERATE(table<const char*, std::string, int, bool>({
      {"long header", "GET /x HTTP/1.1\r\nHost: t\r\nA: " + std::string(3000, 'a') + "\r\n\r\n",
       431, false},
      {"long target", "GET /" + std::string(3000, 'a') + " HTTP/1.1\r\nHost: t\r\n\r\n", 431,
       false},
      {"endless head", "GET /x HTTP/1.1\r\nHost: t\r\nA: " + std::string(5000, 'a'), 431, false},
      {"many headers",
       "GET /x HTTP/1.1\r\nHost: t\r\nA:1\r\nA:1\r\nA:1\r\nA:1\r\nA:1\r\nA:1\r\nA:1\r\nA:1\r\n\r\n",
       431, true},
      {"announced body", post("/x", std::string(1001, 'b')), 413, true},
      {"announced body that nobody reads", head + "Content-Length: 99999999999\r\n\r\n", 413,
       false},
      {"announced body that waits", head + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n",
       413, false},
      {"chunked body",
       head + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'b') +
           "\r\n0\r\n\r\n",
       413, false},
      {"chunk extension", head + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(40000, 'e'),
       400, false},
      {"unknown expectation", head + "Content-Length: 2\r\nExpect: a-pony\r\n\r\nok", 417, true},
  }));
  CAPTURE(name);
  server_rig rig(small_limits());
  raw_client client(rig.port());
  client.send(bytes);
  const auto answer = client.receive();
  CHECK(answer.status == status);
  CHECK(has_generic_shape(answer));
  CHECK(rig.handled() == 0);
  if (kept) {
    CHECK(answer.field("connection").empty());
    client.send(get("/next"));
    CHECK(client.receive().body == "GET /next|");
  } else {
    CHECK(answer.field("connection") == "close");
    client.half_close();
    CHECK(client.closed());
  }
}

TEST_CASE("a refusal has the shape of the surface once the path is known") {
  const auto [path, pointer, type] = GENERATE(table<const char*, const char*, const char*>({
      {"/v1/messages", "/error/type", "request_too_large"},
      {"/v1/chat/completions", "/error/type", "invalid_request_error"},
      {"/v1/responses", "/error/type", "invalid_request_error"},
      {"/unknown", "/error/type", "invalid_request_error"},
  }));
  CAPTURE(path);
  server_rig rig(small_limits());
  raw_client client(rig.port());
  client.send(post(path, std::string(1001, 'b')));
  const auto answer = client.receive();
  CHECK(answer.status == 413);
  const auto body = nlohmann::json::parse(answer.body);
  CHECK(body[nlohmann::json::json_pointer{pointer}] == type);
  CHECK(body.contains("type") == (std::string_view{path} == "/v1/messages"));
}

TEST_CASE("a request that is cut short never reaches the handler") {
  const std::string bytes = GENERATE(
      as<std::string>{}, "GET /x HT", "POST /v1/messages HTTP/1.1\r\nHost: t\r\n",
      "POST /v1/messages HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc",
      "POST /v1/messages HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab");
  CAPTURE(bytes);
  server_rig rig;
  SECTION("a client that still listens gets a 400") {
    raw_client client(rig.port());
    client.send(bytes);
    client.half_close();
    const auto answer = client.receive();
    CHECK(answer.status == 400);
    CHECK(client.closed());
  }
  SECTION("a client that is gone gets nothing") {
    raw_client client(rig.port());
    client.send(bytes);
    client.close();
    raw_client other(rig.port());
    other.send(get("/alive"));
    CHECK(other.receive().status == 200);
  }
  rig.stop();
  CHECK(rig.handled() <= 1);
}

TEST_CASE("slow clients are told so, idle ones are not") {
  auto config = local_config();
  config.server.read_timeout = std::chrono::seconds{1};
  config.server.idle_timeout = std::chrono::seconds{1};
  server_rig rig(config);
  SECTION("a head that does not end") {
    raw_client client(rig.port());
    client.send("GET /x HTTP/1.1\r\nHost:");
    CHECK(client.receive().status == 408);
    client.half_close();
    CHECK(client.closed());
  }
  SECTION("a body that does not end") {
    raw_client client(rig.port());
    client.send(head + "Content-Length: 10\r\n\r\nabc");
    CHECK(client.receive().status == 408);
    client.half_close();
    CHECK(client.closed());
  }
  SECTION("an idle connection closes without a byte") {
    raw_client client(rig.port());
    client.send(get("/x"));
    CHECK(client.receive().status == 200);
    CHECK(client.closed());
  }
  SECTION("a connection without any request, too") {
    raw_client client(rig.port());
    CHECK(client.closed());
  }
}

TEST_CASE("connections above the limit get a 503") {
  auto config = local_config();
  config.server.connections_max = 2;
  server_rig rig(config);
  raw_client first(rig.port());
  raw_client second(rig.port());
  for (auto* one : {&first, &second}) {
    one->send(get("/x"));
    CHECK(one->receive().status == 200);
  }
  raw_client third(rig.port());
  third.send(get("/x"));
  const auto answer = third.receive();
  CHECK(answer.status == 503);
  CHECK(answer.field("retry-after") == "1");
  CHECK(answer.field("access-control-allow-origin") == "*");
  CHECK(has_generic_shape(answer));
  third.half_close();
  CHECK(third.closed());
  first.send(get("/still"));
  CHECK(first.receive().status == 200);
}

}  // namespace tidegate::test
