#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <future>

#include "http/client/names.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::testing;

namespace {

constexpr std::chrono::milliseconds soon{30};

/// A port whose accept queue is full, so that a connection attempt stays without any answer.
class full_listener {
 public:
  full_listener() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&at), size);
    ::listen(listener_, 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    for (auto& filler : fillers_) {
      filler = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      ::connect(filler, reinterpret_cast<sockaddr*>(&at), size);
    }
  }
  ~full_listener() {
    for (const int filler : fillers_) ::close(filler);
    ::close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_ = -1;
  int port_ = 0;
  int fillers_[4] = {};
};

void silent(peer& at, int) {
  at.wait_until_closed();
}

script_server::script say_then_silence(std::string text) {
  return [text = std::move(text)](peer& at, int) {
    at.read_request();
    at.send(text);
    at.wait_until_closed();
  };
}

void check_timeout(const answer& got, std::string_view names_phase) {
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::timed_out);
  CHECK_THAT(got.failure->detail, ContainsSubstring(std::string(names_phase)));
}

}  // namespace

TEST_CASE("a connection that is not answered ends with the connect timeout") {
  full_listener nobody;
  harness h;
  h.options.connect_timeout = soon;
  check_timeout(h.get(nobody.url()), "connect timeout");
  CHECK(h.stats().open == 0);
}

TEST_CASE("the connect timeout covers the TLS handshake and the proxy") {
  const std::string via = GENERATE(values<std::string>({"", "http", "https", "socks5"}));
  CAPTURE(via);
  script_server server(silent);
  harness h;
  h.options.connect_timeout = soon;
  if (!via.empty()) h.proxy = via + "://user:planted@" + server.authority();
  const auto got = h.get("https://" + server.authority() + "/");
  check_timeout(got, "connect timeout");
  CHECK(got.failure->detail.find("planted") == std::string::npos);
}

TEST_CASE("a response head that does not come ends with the header timeout") {
  const std::string start = GENERATE(values<std::string>({"", "HTTP/1.1 200 OK\r\nX: "}));
  script_server server(say_then_silence(start));
  harness h;
  h.options.header_timeout = soon;
  check_timeout(h.get(server.url()), "header timeout");
  CHECK(server.connections() == 1);
  CHECK(h.stats().open == 0);
}

TEST_CASE("a server that stops reading the request ends with the header timeout") {
  std::promise<void> ended;
  script_server server([done = ended.get_future().share()](peer& at, int) {
    at.read_head();
    done.wait();
  });
  harness h;
  h.options.header_timeout = soon;
  const std::string body(64 * 1024 * 1024, 'x');
  const auto got = h.send(post_request(server.url(), body));
  ended.set_value();
  check_timeout(got, "header timeout");
  CHECK(h.stats().open == 0);
}

TEST_CASE("a first body byte that does not come ends with the first-byte timeout") {
  script_server server(say_then_silence("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  harness h;
  h.options.first_byte_timeout = soon;
  const auto got = h.get(server.url());
  check_timeout(got, "first-byte timeout");
  CHECK(got.head);
}

TEST_CASE("silence inside a body ends with the idle timeout and frees the place [report 65]") {
  script_server server(say_then_silence("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"));
  harness h;
  h.options.idle_timeout = soon;
  h.options.connections_per_origin_max = 4;
  std::vector<std::shared_ptr<running>> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(h.begin_get(server.url()));
  for (const auto& call : calls) {
    h.finish(*call);
    check_timeout(call->got, "idle timeout");
    CHECK(call->got.body == "ab");
  }
  CHECK(h.stats().open == 0);
}

TEST_CASE("waiting too long for a connection is unavailable and leaves the queue") {
  script_server server(say_then_silence(""));
  harness h;
  h.options.connections_per_origin_max = 1;
  const auto busy = h.begin_get(server.url());
  h.poll();
  h.options.connect_timeout = soon;
  const auto got = h.get(server.url());
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::unavailable);
  busy->cancel();
  h.finish(*busy);
  CHECK(busy->got.failure->code == errc::cancelled);
  CHECK(h.stats().open == 0);
}

TEST_CASE("cancel ends a call in every phase") {
  struct row {
    std::string_view phase;
    std::string sends;
    bool tls;
  };
  const auto at = GENERATE(values<row>({{"handshake", "", true},
                                        {"header", "", false},
                                        {"first byte", "HTTP/1.1 200 OK\r\n\r\n", false},
                                        {"body", "HTTP/1.1 200 OK\r\n\r\nab", false}}));
  CAPTURE(at.phase);
  std::atomic<bool> reached{false};
  script_server server([&](peer& client, int) {
    if (at.tls) {
      client.read_exactly(1);
    } else {
      client.read_request();
    }
    client.send(at.sends);
    reached = true;
    client.wait_until_closed();
  });
  harness h;
  const auto call = h.begin_get((at.tls ? "https://" : "http://") + server.authority());
  while (!reached || (!at.sends.empty() && !call->has_head())) h.poll();
  h.poll();
  call->cancel();
  call->cancel();
  h.finish(*call);
  REQUIRE(call->got.failure);
  CHECK(call->got.failure->code == errc::cancelled);
  CHECK(h.stats().open == 0);
}

TEST_CASE("cancel ends a connection attempt, a wait for a place, and a call not yet begun") {
  full_listener nobody;
  harness h;
  h.options.connections_per_origin_max = 1;
  const auto connecting = h.begin_get(nobody.url());
  h.poll();
  const auto waiting = h.begin_get(nobody.url());
  h.poll();
  const auto early = h.begin_get(nobody.url());
  early->cancel();
  for (const auto& call : {waiting, early, connecting}) {
    call->cancel();
    h.finish(*call);
    REQUIRE(call->got.failure);
    CHECK(call->got.failure->code == errc::cancelled);
  }
  CHECK(h.stats().open == 0);
}

namespace {

/// Look-ups that are answered by hand.
struct manual_names {
  asio::io_context io;
  std::vector<upstream::names::answer> asked;
  std::shared_ptr<upstream::names> resolver =
      std::make_shared<upstream::names>([this](const std::string&, upstream::names::answer answer) {
        asked.push_back(std::move(answer));
      });

  struct wait {
    explicit wait(asio::io_context& io) : on(asio::make_strand(io.get_executor())) {}
    strand on;
    upstream::interruption stop;
    std::optional<result<upstream::addresses>> got;
  };

  awaitable<void> resolve(std::shared_ptr<wait> into, std::string host) {
    into->got = co_await resolver->resolve(host, into->on, into->stop);
  }
  std::shared_ptr<wait> begin(std::string host) {
    auto into = std::make_shared<wait>(io);
    asio::co_spawn(into->on, resolve(into, std::move(host)), asio::detached);
    io.restart();
    io.poll();
    return into;
  }
};

}  // namespace

TEST_CASE("one look-up serves all that ask for a name, and its answer is kept") {
  manual_names names;
  const auto first = names.begin("a.example");
  const auto second = names.begin("a.example");
  const auto other = names.begin("b.example");
  CHECK(names.asked.size() == 2);
  CHECK_FALSE(first->got.has_value());
  names.asked[0](upstream::addresses(1, asio::ip::make_address("127.0.0.9")));
  names.io.restart();
  names.io.poll();
  REQUIRE(first->got.has_value());
  REQUIRE(second->got.has_value());
  CHECK(second->got->value().at(0).to_string() == "127.0.0.9");
  CHECK_FALSE(other->got.has_value());
  CHECK(names.begin("a.example")->got.has_value());
  CHECK(names.asked.size() == 2);
}

TEST_CASE("a failed look-up names the host and is asked again") {
  manual_names names;
  const auto first = names.begin("a.example");
  names.asked[0](failed(errc::io_failure, "no such host"));
  names.io.restart();
  names.io.poll();
  REQUIRE(first->got.has_value());
  CHECK_THAT(first->got->error().detail, ContainsSubstring("a.example"));
  names.begin("a.example");
  CHECK(names.asked.size() == 2);
}

TEST_CASE("a wait for a name can be given up although the look-up cannot") {
  manual_names names;
  const auto waiting = names.begin("a.example");
  waiting->stop.why = errc::cancelled;
  waiting->stop.parked->wake();
  names.io.restart();
  names.io.poll();
  REQUIRE(waiting->got.has_value());
  CHECK(waiting->got->error().code == errc::cancelled);
}

TEST_CASE("literals are not looked up") {
  manual_names names;
  CHECK(names.begin("127.0.0.1")->got->value().at(0).is_loopback());
  CHECK(names.begin("::1")->got->value().at(0).is_v6());
  CHECK(names.asked.empty());
}

TEST_CASE("tries every address of a name") {
  script_server server([](peer& at, int) {
    at.read_request();
    at.send(simple_answer("ok"));
  });
  harness h;
  CHECK(h.get("http://localhost:" + std::to_string(server.port()) + "/").body == "ok");
}

TEST_CASE("a refused connection is io_failure and names the peer") {
  int port = 0;
  {
    script_server gone(silent);
    port = gone.port();
  }
  harness h;
  const auto got = h.get("http://127.0.0.1:" + std::to_string(port) + "/");
  REQUIRE(got.failure);
  CHECK(got.failure->code == errc::io_failure);
  CHECK_THAT(got.failure->detail, ContainsSubstring("127.0.0.1:" + std::to_string(port)));
}
