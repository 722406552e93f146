#include "http/client/proxy.hpp"
#include "http/client/request_head.hpp"
#include "tests/support/catch.hpp"

using namespace tidegate;
using namespace tidegate::http::upstream;

namespace {

result<std::string> written(const provider::upstream_request& request, request_form form = {}) {
  const auto to = parse_url(request.url);
  REQUIRE(to.has_value());
  std::string out;
  const auto done = write_head(out, request, *to, form);
  if (!done) return std::unexpected(done.error());
  return out;
}

provider::upstream_request request_to(std::string url, std::string method = "POST") {
  provider::upstream_request out;
  out.method = std::move(method);
  out.url = std::move(url);
  return out;
}

}  // namespace

TEST_CASE("writes origin form with Host and Content-Length") {
  auto request = request_to("https://api.example:443?x=1");
  request.body = {"ab", "", "cde"};
  request.headers = {{"Authorization", "Bearer planted", true}, {"X-Tab", "a\tb \xc3\xa9", false}};
  CHECK(written(request) ==
        "POST /?x=1 HTTP/1.1\r\nHost: api.example\r\nAuthorization: Bearer planted\r\n"
        "X-Tab: a\tb \xc3\xa9\r\nContent-Length: 5\r\n\r\n");
}

TEST_CASE("leaves Content-Length out only where an empty body needs none") {
  CHECK(written(request_to("http://a/", "GET")) == "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(written(request_to("http://a/", "POST")) ==
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  auto with_body = request_to("http://a/", "GET");
  with_body.body = {"x"};
  CHECK(written(with_body) == "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
}

TEST_CASE("writes absolute form for a forwarding proxy") {
  request_form form;
  form.absolute = true;
  form.proxy_authorization = secret_string("Basic planted");
  CHECK(written(request_to("http://a:8080/p?q", "GET"), std::move(form)) ==
        "GET http://a:8080/p?q HTTP/1.1\r\nHost: a:8080\r\n"
        "Proxy-Authorization: Basic planted\r\n\r\n");
}

TEST_CASE("a configured Host header replaces the address's own") {
  auto request = request_to("http://a/", "GET");
  request.headers = {{"X-One", "1", false}, {"hOST", "front.example", false}};
  CHECK(written(request) == "GET / HTTP/1.1\r\nHost: front.example\r\nX-One: 1\r\n\r\n");
}

TEST_CASE("leaves out headers that belong to the connection") {
  const std::string name = GENERATE(values<std::string>(
      {"Connection", "content-length", "Transfer-Encoding", "Keep-Alive", "TE", "Trailer",
       "Upgrade", "Expect", "Proxy-Connection", "Proxy-Authorization"}));
  auto request = request_to("http://a/", "GET");
  request.headers = {{name, "5", false}};
  CHECK(written(request) == "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST_CASE("refuses what could end a line early and never repeats the value") {
  const std::string value = GENERATE(values<std::string>(
      {"planted\r\nX: y", "planted\n", "planted\r", std::string("planted\0", 8), "planted\x7f"}));
  auto request = request_to("http://a/");
  request.headers = {{"X-Key", value, true}};
  const auto got = written(request);
  REQUIRE_FALSE(got.has_value());
  CHECK(got.error().code == errc::invalid_input);
  CHECK(got.error().detail.find("planted") == std::string::npos);

  const std::string name =
      GENERATE(values<std::string>({"", "a b", "a:", "a\r\nb", "caf\xc3\xa9"}));
  request.headers = {{name, "v", false}};
  CHECK_FALSE(written(request).has_value());
  request.headers.clear();
  request.method = "GET /x HTTP/1.1\r\n";
  CHECK_FALSE(written(request).has_value());
}

TEST_CASE("bounds the request head") {
  auto request = request_to("http://a/");
  request.headers = {{"X", std::string(request_head_bytes_max, 'x'), false}};
  const auto got = written(request);
  REQUIRE_FALSE(got.has_value());
  CHECK(got.error().code == errc::limit_exceeded);
}

TEST_CASE("reads proxy addresses of every kind") {
  struct row {
    std::string text;
    proxy_kind kind;
    std::string name;
    std::string user;
    std::string password;
  };
  const auto want = GENERATE(values<row>({
      {"http://p.example", proxy_kind::http, "p.example:80", "", ""},
      {"http://p.example:3128/", proxy_kind::http, "p.example:3128", "", ""},
      {"https://u:p@P.example", proxy_kind::https, "p.example:443", "u", "p"},
      {"socks5://127.0.0.1", proxy_kind::socks5, "127.0.0.1:1080", "", ""},
      {"SOCKS5H://u%40x:p%3aq:r@[::1]:9", proxy_kind::socks5, "[::1]:9", "u@x", "p:q:r"},
      {"socks5://user@p:1", proxy_kind::socks5, "p:1", "user", ""},
  }));
  CAPTURE(want.text);
  const auto read = parse_proxy(secret_string(want.text));
  REQUIRE(read.has_value());
  REQUIRE(read->has_value());
  CHECK((*read)->kind == want.kind);
  CHECK((*read)->name == want.name);
  CHECK((*read)->user.reveal() == want.user);
  CHECK((*read)->password.reveal() == want.password);
}

TEST_CASE("empty, direct and none mean no proxy") {
  const std::string text = GENERATE(values<std::string>({"", "direct", "Direct", "none"}));
  const auto read = parse_proxy(secret_string(text));
  REQUIRE(read.has_value());
  CHECK_FALSE(read->has_value());
}

TEST_CASE("refuses a malformed proxy address without repeating it") {
  const std::string text = GENERATE(values<std::string>(
      {"planted", "planted:80", "ftp://planted", "http://", "http://planted:0", "http://planted/x",
       "http://u:planted%zz@p", "http://u:planted%0d%0a@p", "http://u:planted@", "http://a b",
       "socks5://:planted@p", "http://u%3a:planted@p"}));
  CAPTURE(text);
  const auto read = parse_proxy(secret_string(text));
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::invalid_input);
  CHECK(read.error().detail.find("planted") == std::string::npos);
}

TEST_CASE("writes the basic login of a proxy") {
  const auto read = parse_proxy(secret_string("http://Aladdin:open%20sesame@p"));
  REQUIRE(read.has_value());
  CHECK(proxy_authorization(**read).reveal() == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}
