#include "http/server/cors.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

using http::awaitable;
using http::request;
using http::responder;
using http::session_context;

constexpr const char* base_list =
    "X-Tidegate-Trace-Id, X-Tidegate-Version, Location, Retry-After, X-Request-Id, "
    "OpenAI-Request-Id";
constexpr const char* usage_limit_suffix =
    ", X-Should-Retry, X-Codex-Primary-Used-Percent, X-Codex-Primary-Window-Minutes, "
    "X-Codex-Primary-Reset-At, X-Codex-Secondary-Used-Percent, X-Codex-Secondary-Window-Minutes, "
    "X-Codex-Secondary-Reset-At";

/// Streams `a`, `bb`, `ccc`; the query says what is different this time.
awaitable<void> stream_pieces(request& call, responder& out, session_context&) {
  std::optional<std::uint64_t> length;
  if (call.query.find("length=6") != std::string::npos) length = 6;
  if (call.query.find("length=9") != std::string::npos) length = 9;
  if (call.query.find("length=5") != std::string::npos) length = 5;
  std::vector<protocol::header> headers{{"Content-Type", "text/event-stream"}};
  out.begin(200, std::move(headers), length);
  if (call.query.find("nothing") != std::string::npos) co_return;
  if (call.query.find("flush") != std::string::npos) co_await out.write({});
  co_await out.write("a");
  co_await out.write("bb");
  co_await out.write({});
  co_await out.write("ccc");
  if (call.query.find("unfinished") == std::string::npos) co_await out.finish();
}

awaitable<void> odd_headers(request&, responder& out, session_context&) {
  protocol::reply reply;
  reply.status = 200;
  reply.headers = {{"Connection", "keep-alive, X"},
                   {"Content-Length", "999"},
                   {"Transfer-Encoding", "chunked"},
                   {"access-control-allow-origin", "https://evil.test"},
                   {"Date", "never"},
                   {"X-Split", "a\r\nX-Injected: 1"},
                   {"X Bad", "1"},
                   {"", "1"},
                   {"X-Good", "kept"}};
  reply.body = "ok";
  co_await out.send(std::move(reply));
}

}  // namespace

TEST_CASE("a streamed answer is chunked, one chunk a piece") {
  server_rig rig(local_config(), stream_pieces);
  raw_client client(rig.port());
  for (const char* path : {"/s", "/s?flush", "/s"}) {
    client.send(get(path));
    const auto answer = client.receive();
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.body == "abbccc");
    CHECK(answer.chunks == 3);
    CHECK(answer.field("content-length").empty());
    CHECK(answer.field("content-type") == "text/event-stream");
  }
}

TEST_CASE("a streamed answer of known length has no chunks") {
  server_rig rig(local_config(), stream_pieces);
  raw_client client(rig.port());
  for (int i = 0; i < 2; ++i) {
    client.send(get("/s?length=6"));
    const auto answer = client.receive();
    CHECK(answer.body == "abbccc");
    CHECK(answer.field("content-length") == "6");
    CHECK(answer.field("transfer-encoding").empty());
  }
}

TEST_CASE("a streamed answer to HTTP/1.0 ends with the connection") {
  server_rig rig(local_config(), stream_pieces);
  raw_client client(rig.port());
  client.send("GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto answer = client.receive();
  CHECK(answer.field("transfer-encoding").empty());
  CHECK(answer.field("connection") == "close");
  CHECK(answer.body == "abbccc");
}

TEST_CASE("HEAD of a streamed answer has no body") {
  server_rig rig(local_config(), stream_pieces);
  raw_client client(rig.port());
  client.send("HEAD /s HTTP/1.1\r\nHost: t\r\n\r\n" + get("/s"));
  CHECK(client.receive(true).status == 200);
  CHECK(client.receive().body == "abbccc");
}

TEST_CASE("an answer without its end cuts the connection") {
  const std::string query =
      GENERATE(as<std::string>{}, "unfinished", "unfinished&length=6", "length=9", "length=5");
  CAPTURE(query);
  server_rig rig(local_config(), stream_pieces);
  raw_client client(rig.port());
  client.send(get("/s?" + query));
  const auto answer = client.receive();
  CHECK(answer.status == 200);
  CHECK((!answer.complete || query == "unfinished&length=6"));
  CHECK(client.closed());
}

TEST_CASE("an answer that was begun and never written cuts the connection") {
  server_rig rig(local_config(), stream_pieces);
  raw_client client(rig.port());
  client.send(get("/s?nothing"));
  CHECK(client.closed());
}

TEST_CASE("headers that frame the message are the server's, and none can split the head") {
  server_rig rig(local_config(), odd_headers);
  raw_client client(rig.port());
  client.send(get("/x"));
  const auto answer = client.receive();
  CHECK(answer.body == "ok");
  CHECK(answer.field("content-length") == "2");
  CHECK(answer.field("access-control-allow-origin") == "*");
  CHECK(answer.field("date").size() == 29);
  CHECK(answer.field("x-good") == "kept");
  CHECK(answer.fields.count("x-split") + answer.fields.count("x-injected") == 0);
  CHECK(answer.fields.count("transfer-encoding") + answer.fields.count("connection") == 0);
  client.send(get("/x"));
  CHECK(client.receive().body == "ok");
}

TEST_CASE("a handler that fails or says nothing gives a 500") {
  const bool throws = GENERATE(true, false);
  server_rig rig(local_config(),
                 [throws](request&, responder&, session_context&) -> awaitable<void> {
                   if (throws) throw std::runtime_error("planned");
                   co_return;
                 });
  raw_client client(rig.port());
  for (int i = 0; i < 2; ++i) {
    client.send(get("/x"));
    CHECK(client.receive().status == 500);
  }
}

TEST_CASE("every answer has the CORS list of its mode [T86]") {
  using quota::response_mode;
  const auto mode = GENERATE(response_mode::retryable, response_mode::usage_limit);
  auto config = local_config();
  config.routing.cooldown.mode = mode;
  config.server.body_bytes_max = 10;
  std::string expected = base_list;
  if (mode == response_mode::usage_limit) expected += usage_limit_suffix;
  server_rig rig(config);
  raw_client client(rig.port());
  const auto [bytes, status] = GENERATE(table<std::string, int>({
      {get("/x"), 200},
      {post("/x", "more than ten bytes"), 413},
      {"OPTIONS /anything HTTP/1.1\r\nHost: t\r\nOrigin: https://a.test\r\n\r\n", 204},
      {"OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 204},
      {"garbage\r\n\r\n", 400},
  }));
  client.send(bytes);
  const auto answer = client.receive();
  CHECK(answer.status == status);
  CHECK(answer.field("access-control-expose-headers") == expected);
  CHECK(answer.field("access-control-allow-origin") == "*");
  CHECK(answer.field("access-control-allow-headers") == "*");
  CHECK(answer.field("access-control-allow-methods") == "GET, POST, PUT, PATCH, DELETE, OPTIONS");
  CHECK(answer.fields.count("access-control-allow-credentials") == 0);
  CHECK(answer.fields.count("access-control-max-age") == 0);
}

TEST_CASE("OPTIONS is answered without the handler and keeps the connection") {
  server_rig rig;
  raw_client client(rig.port());
  for (int i = 0; i < 2; ++i) {
    client.send("OPTIONS /v1/messages HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n{}");
    const auto answer = client.receive();
    CHECK(answer.status == 204);
    CHECK(answer.fields.count("content-length") == 0);
  }
  CHECK(rig.handled() == 0);
}

TEST_CASE("an answer larger than the socket's buffer waits for a slow client") {
  server_rig rig(local_config(), [](request&, responder& out, session_context&) -> awaitable<void> {
    std::vector<protocol::header> none;
    out.begin(200, std::move(none), std::nullopt);
    const std::string piece(1024 * 1024, 'p');
    for (int i = 0; i < 16; ++i) {
      const bool sent = co_await out.write(piece);
      if (!sent) co_return;
    }
    co_await out.finish();
  });
  raw_client client(rig.port());
  client.send(get("/big"));
  const auto answer = client.receive();
  CHECK(answer.complete);
  CHECK(answer.body.size() == 16u * 1024 * 1024);
}

TEST_CASE("a client that takes no bytes counts as gone") {
  auto config = local_config();
  config.server.write_timeout = std::chrono::seconds{1};
  std::promise<bool> last;
  server_rig rig(config, [&last](request&, responder& out, session_context&) -> awaitable<void> {
    std::vector<protocol::header> none;
    out.begin(200, std::move(none), std::nullopt);
    const std::string piece(1024 * 1024, 'p');
    bool sent = true;
    for (int i = 0; sent && i < 64; ++i) sent = co_await out.write(piece);
    last.set_value(sent);
  });
  raw_client client(rig.port());
  client.send(get("/big"));
  CHECK_FALSE(last.get_future().get());
}

}  // namespace tidegate::test
