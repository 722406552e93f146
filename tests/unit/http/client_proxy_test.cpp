#include <future>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/http/client_certificates.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::testing;

namespace {

constexpr std::string_view ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) out.push_back(static_cast<char>(v));
  return out;
}

/// The SOCKS side up to the reply; false when the client does not follow the protocol.
bool socks_accept(peer& at, transcript& seen) {
  std::string asked;
  const auto greeting = at.read_exactly(2);
  const auto methods = at.read_exactly(static_cast<unsigned char>(greeting[1]));
  const bool login = methods.contains('\2');
  at.send(bytes({5, login ? 2 : 0}));
  if (login) {
    const auto user = at.read_exactly(static_cast<unsigned char>(at.read_exactly(2)[1]));
    const auto password = at.read_exactly(static_cast<unsigned char>(at.read_exactly(1)[0]));
    at.send(bytes({1, 0}));
    asked = user + ":" + password + " ";
  }
  const auto command = at.read_exactly(4);
  if (command.substr(0, 3) != bytes({5, 1, 0})) return false;
  if (command[3] == 1) asked += std::to_string(at.read_exactly(4).size()) + " bytes";
  if (command[3] == 4) asked += std::to_string(at.read_exactly(16).size()) + " bytes";
  if (command[3] == 3) asked += at.read_exactly(static_cast<unsigned char>(at.read_exactly(1)[0]));
  at.read_exactly(2);
  seen.add(asked);
  return true;
}

}  // namespace

TEST_CASE("an http origin is asked through an HTTP proxy in absolute form") {
  transcript seen;
  script_server proxy([&](peer& at, int) {
    for (auto head = at.read_head(); !head.empty(); head = at.read_head()) {
      seen.add(head);
      at.send(ok);
    }
  });
  harness h;
  h.proxy = "http://user:planted@" + proxy.authority();
  CHECK(h.get("http://a.example/p?q").body == "ok");
  CHECK(h.get("http://a.example/p?q").body == "ok");
  CHECK(proxy.connections() == 1);
  REQUIRE(seen.size() == 2);
  CHECK(seen.all()[1] ==
        "GET http://a.example/p?q HTTP/1.1\r\nHost: a.example\r\n"
        "Proxy-Authorization: Basic dXNlcjpwbGFudGVk\r\n\r\n");
}

TEST_CASE("connections through different proxies or logins are never mixed") {
  script_server server([&](peer& at, int) {
    while (!at.read_head().empty()) at.send(ok);
  });
  harness h;
  const auto via = server.authority();
  for (const std::string& proxy :
       {"http://" + via, "http://a:b@" + via, "http://a:c@" + via, std::string("direct")}) {
    h.proxy = proxy;
    CHECK(h.get(server.url()).body == "ok");
  }
  CHECK(server.connections() == 4);
}

TEST_CASE("the default proxy is used when the credential names none, and direct bypasses it") {
  script_server proxy([&](peer& at, int) {
    while (!at.read_head().empty()) at.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nvia");
  });
  script_server origin([&](peer& at, int) {
    while (!at.read_head().empty()) at.send(ok);
  });
  harness h;
  h.options.proxy_url = secret_string("http://" + proxy.authority());
  CHECK(h.get(origin.url()).body == "via");
  h.proxy = "direct";
  CHECK(h.get(origin.url()).body == "ok");
}

TEST_CASE("an https origin is reached through a tunnel") {
  const test_ca ca;
  const auto context = ca.server("DNS:a.example");
  transcript heads;
  script_server proxy([&](peer& at, int) {
    heads.add(at.read_head());
    at.send(established);
    if (!at.start_tls(context.get())) return;
    heads.add(at.read_head());
    at.send(ok);
    at.wait_until_closed();
  });
  harness h;
  h.options.ca_file = ca.file();
  h.proxy = "http://u:p@" + proxy.authority();
  CHECK(h.get("https://a.example/x").body == "ok");
  CHECK(heads.all() ==
        std::vector<std::string>{"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n"
                                 "Proxy-Authorization: Basic dTpw\r\n\r\n",
                                 "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"});
}

TEST_CASE("TLS runs inside TLS when the proxy itself is https") {
  const test_ca ca;
  const auto origin_context = ca.server("DNS:a.example");
  const auto proxy_context = ca.server("IP:127.0.0.1");
  script_server origin(
      [](peer& at, int) {
        for (auto all = at.read_request(); !all.empty(); all = at.read_request()) {
          at.send(simple_answer(std::to_string(all.size() - all.find("\r\n\r\n") - 4)));
        }
      },
      origin_context.get());
  script_server proxy(
      [&](peer& at, int) {
        at.read_head();
        at.send(established);
        at.relay_to(origin.port());
      },
      proxy_context.get());
  harness h;
  h.options.ca_file = ca.file();
  h.proxy = "https://" + proxy.authority();
  const std::string body(500'000, 'x');
  for (int i = 0; i < 3; ++i) {
    const auto got = h.send(post_request("https://a.example/", body));
    CHECK_FALSE(got.failure);
    CHECK(got.body == "500000");
  }
  CHECK(proxy.connections() == 1);
}

TEST_CASE("a refused or malformed tunnel is an error that holds no credentials") {
  struct row {
    std::string answer;
    errc code;
  };
  const auto bad = GENERATE(values<row>({
      {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", errc::io_failure},
      {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno", errc::io_failure},
      {"HTTP/1.1 502 planted\r\n\r\n", errc::io_failure},
      {"HTTP/1.1 200 OK\r\n\r\nunasked", errc::io_failure},
      {"planted nonsense\r\n\r\n", errc::io_failure},
      {"SSH-2.0\r\n", errc::io_failure},
      {"", errc::io_failure},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'a'), errc::limit_exceeded},
  }));
  CAPTURE(bad.answer.substr(0, 40));
  script_server proxy([&](peer& at, int) {
    at.read_head();
    at.send_bytewise(bad.answer.substr(0, 100));
    at.send(bad.answer.substr(std::min<std::size_t>(100, bad.answer.size())));
  });
  harness h;
  h.proxy = "http://user:planted@" + proxy.authority();
  const auto got = h.get("https://a.example/");
  REQUIRE(got.failure);
  // Bytes behind the answer are seen by the tunnel or, when they come later, by the handshake.
  const bool later = bad.answer.ends_with("unasked") && got.failure->code == errc::tls_failure;
  CHECK((got.failure->code == bad.code || later));
  CHECK(got.failure->detail.find("planted") == std::string::npos);
  CHECK(got.failure->detail.find("dXNlcjpwbGFudGVk") == std::string::npos);
  CHECK(h.stats().open == 0);
}

TEST_CASE("speaks SOCKS5 with and without a login, the proxy resolving names") {
  struct row {
    std::string proxy;
    std::string url;
    std::string asked;
  };
  const auto want = GENERATE(values<row>({
      {"socks5://", "http://a.example/x", "a.example"},
      {"socks5h://us%40er:pw@", "http://a.example:81/x", "us@er:pw a.example"},
      {"socks5://u@", "http://127.0.0.7/x", "u: 4 bytes"},
      {"socks5h://", "http://[::1]/x", "16 bytes"},
  }));
  const int reply_kind = GENERATE(1, 3, 4);
  CAPTURE(want.proxy, want.url, reply_kind);
  transcript seen;
  script_server proxy([&](peer& at, int) {
    if (!socks_accept(at, seen)) return;
    const std::string bound = reply_kind == 1   ? std::string(4, 'x')
                              : reply_kind == 4 ? std::string(16, 'x')
                                                : bytes({3}) + "abc";
    at.send_bytewise(bytes({5, 0, 0, reply_kind}) + bound + "pp");
    seen.add(at.read_head());
    at.send(ok);
    at.wait_until_closed();
  });
  harness h;
  h.proxy = want.proxy + proxy.authority();
  CHECK(h.get(want.url).body == "ok");
  REQUIRE(seen.size() == 2);
  CHECK(seen.all()[0] == want.asked);
  CHECK(seen.all()[1].starts_with("GET /x HTTP/1.1\r\n"));
}

TEST_CASE("reaches an https origin through SOCKS5") {
  const test_ca ca;
  const auto context = ca.server("DNS:a.example");
  script_server proxy([&](peer& at, int) {
    transcript seen;
    if (!socks_accept(at, seen)) return;
    at.send(bytes({5, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
    if (!at.start_tls(context.get())) return;
    at.read_head();
    at.send(ok);
    at.wait_until_closed();
  });
  harness h;
  h.options.ca_file = ca.file();
  h.proxy = "socks5h://" + proxy.authority();
  CHECK(h.get("https://a.example/").body == "ok");
}

TEST_CASE("hostile SOCKS answers are io_failure, whatever byte they break off at") {
  const std::string answer = GENERATE(values<std::string>({
      bytes({4, 0}),
      bytes({5, 255}),
      bytes({5, 1}),
      bytes({5}),
      bytes({5, 2, 1, 1}),
      bytes({5, 2, 1}),
      bytes({5, 0, 5, 2, 0, 1}),
      bytes({5, 0, 5, 99, 0, 1}),
      bytes({5, 0, 5, 0, 0, 9}),
      bytes({5, 0, 4, 0, 0, 1}),
      bytes({5, 0, 5, 0, 0, 3}),
      bytes({5, 0, 5, 0, 0, 3, 200}) + "abc",
      bytes({5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0}),
      "HTTP/1.1 400 Bad Request\r\n\r\n",
  }));
  CAPTURE(answer.size());
  script_server proxy([&](peer& at, int) {
    at.read_exactly(1);
    at.send(answer);
    at.half_close();
    at.wait_until_closed();
  });
  harness h;
  h.proxy = "socks5://user:planted@" + proxy.authority();
  const auto got = h.get("http://a.example/");
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::io_failure);
  CHECK(got.failure->detail.find("planted") == std::string::npos);
  CHECK(h.stats().open == 0);
}

TEST_CASE("a malformed proxy or address is invalid_input before anything is dialled") {
  harness h;
  CHECK(h.get("http://user@a/").failure->code == errc::invalid_input);
  h.proxy = "gopher://planted";
  const auto got = h.get("http://a/");
  CHECK(got.failure->code == errc::invalid_input);
  CHECK(got.failure->detail.find("planted") == std::string::npos);
  CHECK(h.stats().dialled == 0);
}
