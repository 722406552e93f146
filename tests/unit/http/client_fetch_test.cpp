#include "http/client/fetch.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::testing;

namespace {

result<provider::plain_reply> fetched(std::string bytes) {
  script_server server([bytes = std::move(bytes)](peer& at, int) {
    at.read_request();
    at.send(bytes);
  });
  harness h;
  std::optional<result<provider::plain_reply>> got;
  fetch(h.upstream(),
        {get_request(server.url()), secret_string{}, std::make_shared<request_options>(h.options)},
        [&got](result<provider::plain_reply> reply) { got = std::move(reply); });
  h.run_until([&got] { return got.has_value(); });
  return std::move(*got);
}

}  // namespace

TEST_CASE("a small request has its whole answer at once") {
  const auto reply = fetched(
      "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  REQUIRE(reply);
  CHECK(reply->status == 429);
  CHECK(reply->body.reveal() == "abc");
  CHECK(provider::headers_of(*reply)("retry-after") == "7");
}

TEST_CASE("an answer without end is refused at its bound") {
  const std::string much(provider::plain_reply_bytes_max + 1, 'x');
  const auto reply = fetched("HTTP/1.1 200 OK\r\n\r\n" + much);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().code == errc::limit_exceeded);
}

TEST_CASE("an answer that is cut is no answer") {
  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK_FALSE(fetched(whole.substr(0, cut)));
  }
}
