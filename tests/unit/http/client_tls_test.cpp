#include <future>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/http/client_certificates.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::testing;

namespace {

/// One request a connection.
void answer_once(peer& at, int) {
  at.read_request();
  at.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
}

}  // namespace

TEST_CASE("verifies the server against the configured trust anchors") {
  const test_ca ca;
  const auto context = ca.server("IP:127.0.0.1");
  script_server server(answer_once, context.get());
  harness h;
  const auto refused = h.get(server.url());
  REQUIRE(refused.failure);
  CHECK(refused.failure->code == errc::tls_failure);
  CHECK_THAT(refused.failure->detail, ContainsSubstring("certificate"));
  h.options.ca_file = ca.file();
  CHECK(h.get(server.url()).body == "ok");
  CHECK(h.stats().open == 0);
}

TEST_CASE("refuses a certificate for another name, another address, or a past time") {
  const test_ca ca;
  struct row {
    std::string names;
    long lifetime;
    std::string host;
  };
  const auto bad = GENERATE(values<row>({{"DNS:other.example", 3600, "localhost"},
                                         {"IP:127.0.0.2", 3600, "127.0.0.1"},
                                         {"DNS:127.0.0.1", 3600, "127.0.0.1"},
                                         {"DNS:*host", 3600, "localhost"},
                                         {"DNS:localhost", -3600, "localhost"}}));
  CAPTURE(bad.names, bad.lifetime);
  const auto context = ca.server(bad.names, bad.lifetime);
  script_server server(answer_once, context.get());
  harness h;
  h.options.ca_file = ca.file();
  const auto got = h.get("https://" + bad.host + ":" + std::to_string(server.port()) + "/");
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::tls_failure);
}

TEST_CASE("sends the server name for names only, and asks for http/1.1") {
  const test_ca ca;
  const auto context = ca.server("DNS:localhost,IP:127.0.0.1");
  transcript seen;
  script_server server(
      [&](peer& at, int nth) {
        seen.add(at.server_name() + " " + at.alpn());
        answer_once(at, nth);
      },
      context.get());
  harness h;
  h.options.ca_file = ca.file();
  CHECK(h.get("https://localhost:" + std::to_string(server.port()) + "/").body == "ok");
  CHECK(h.get(server.url()).body == "ok");
  CHECK(seen.all() == std::vector<std::string>{"localhost http/1.1", " http/1.1"});
}

TEST_CASE("refuses a server that speaks nothing newer than TLS 1.1") {
  const test_ca ca;
  const auto context = ca.server("IP:127.0.0.1");
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
  script_server server(answer_once, context.get());
  harness h;
  h.options.ca_file = ca.file();
  CHECK(h.get(server.url()).failure->code == errc::tls_failure);
}

TEST_CASE("resumes the session of an earlier connection to the same origin") {
  const test_ca ca;
  const auto context = ca.server("IP:127.0.0.1");
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), version);
  const auto other_context = ca.server("IP:127.0.0.1");
  transcript resumed;
  const auto note = [&](peer& at, int nth) {
    resumed.add(at.session_reused() ? "resumed" : "new");
    answer_once(at, nth);
  };
  script_server server(note, context.get());
  harness h;
  h.options.ca_file = ca.file();
  for (int i = 0; i < 3; ++i) {
    CHECK(h.get(server.url()).body == "ok");
  }
  CHECK(resumed.all() == std::vector<std::string>{"new", "resumed", "resumed"});
  script_server other(note, other_context.get());
  CHECK(h.get(other.url()).body == "ok");
  CHECK(resumed.all().back() == "new");
  CHECK(resumed.size() == 4);
}

TEST_CASE("keeps TLS connections alive from request to request") {
  const test_ca ca;
  const auto context = ca.server("IP:127.0.0.1");
  script_server server(
      [](peer& at, int) {
        for (auto all = at.read_request(); !all.empty(); all = at.read_request()) {
          at.send(simple_answer(std::to_string(all.size() - all.find("\r\n\r\n") - 4)));
        }
      },
      context.get());
  harness h;
  h.options.ca_file = ca.file();
  const std::string body(3'000'000, 'x');
  for (const std::size_t size : {0u, 1u, 20'000u, 3'000'000u}) {
    const auto got = h.send(post_request(server.url(), std::string_view(body).substr(0, size)));
    CHECK(got.body == std::to_string(size));
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("a TLS stream that ends without its closing alert was cut") {
  const test_ca ca;
  const auto context = ca.server("IP:127.0.0.1");
  const bool proper = GENERATE(true, false);
  script_server server(
      [&](peer& at, int) {
        at.read_request();
        at.send("HTTP/1.1 200 OK\r\n\r\nall of it");
        if (proper) at.shut_tls();
      },
      context.get());
  harness h;
  h.options.ca_file = ca.file();
  const auto got = h.get(server.url());
  CHECK(got.body == "all of it");
  CHECK(got.failure.has_value() == !proper);
  if (!proper) CHECK(got.failure->code == errc::connection_closed);
}

TEST_CASE("delivers an early answer over TLS while a large body is being written") {
  const test_ca ca;
  const auto context = ca.server("IP:127.0.0.1");
  std::promise<void> answered;
  script_server server(
      [done = answered.get_future().share()](peer& at, int) {
        at.read_head();
        at.send("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\n\r\nbig");
        done.wait();
      },
      context.get());
  harness h;
  h.options.ca_file = ca.file();
  const std::string body(64 * 1024 * 1024, 'x');
  const auto got = h.send(post_request(server.url(), body));
  answered.set_value();
  CHECK_FALSE(got.failure);
  CHECK(got.body == "big");
}

TEST_CASE("a CA file that cannot be used is tls_failure and names the file") {
  const test_ca ca;
  script_server server(answer_once);
  harness h;
  const bool absent = GENERATE(true, false);
  h.options.ca_file = absent ? ca.file() + ".absent" : ca.write("junk.pem", "no certificate");
  const auto got = h.get("https://" + server.authority() + "/");
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::tls_failure);
  CHECK_THAT(got.failure->detail, ContainsSubstring(h.options.ca_file));
}

TEST_CASE("a changed CA file takes effect for the next connection") {
  const test_ca old_ca;
  const test_ca new_ca;
  const auto context = new_ca.server("IP:127.0.0.1");
  script_server server(answer_once, context.get());
  harness h;
  h.options.ca_file = old_ca.file();
  CHECK(h.get(server.url()).failure->code == errc::tls_failure);
  std::filesystem::remove(old_ca.file());
  std::filesystem::copy_file(new_ca.file(), old_ca.file());
  CHECK(h.get(server.url()).body == "ok");
}
