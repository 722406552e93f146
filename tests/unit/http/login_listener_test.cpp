#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <thread>

#include "http/login/callback_listener.hpp"
#include "http/login/callback_page.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/raw_http.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::login;
using namespace tidegate::test;

namespace {

/// A login that waits for its answer on a free port.
struct waiting_login {
  waiting_login() {
    auto opened = callback_listener::open(io.get_executor(), 0, "/auth/callback", box);
    if (!opened) FAIL(opened.error().detail);
    listener = std::move(*opened);
    port = listener->port();
    runner = std::thread{[this] { io.run(); }};
  }
  ~waiting_login() {
    asio::post(io, [this] {
      listener.reset();
      work.reset();
    });
    runner.join();
  }

  raw_response ask(const std::string& bytes) const {
    raw_client browser{port};
    browser.send(bytes);
    return browser.receive();
  }
  /// The answer, looked at where it belongs.
  bool answered() {
    std::promise<bool> is;
    asio::post(io, [this, &is] { is.set_value(box->answered()); });
    return is.get_future().get();
  }

  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::shared_ptr<answer_box> box =
      std::make_shared<answer_box>(io.get_executor(), secret_string{"state-1"});
  std::unique_ptr<callback_listener> listener;
  std::uint16_t port = 0;
  std::thread runner;
};

std::string request(const std::string& target, const std::string& host = "localhost:1455",
                    const std::string& method = "GET") {
  return method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

}  // namespace

TEST_CASE("the browser that comes back with the answer is told so, without scripts") {
  waiting_login login;
  const auto page = login.ask(request("/auth/callback?code=secret-code&state=state-1"));
  CHECK(page.status == 200);
  CHECK(page.complete);
  CHECK_THAT(page.body, ContainsSubstring("The login has arrived") &&
                            !ContainsSubstring("<script") && !ContainsSubstring("secret-code"));
  CHECK_THAT(page.field("content-security-policy"), ContainsSubstring("default-src 'none'"));
  CHECK(page.field("referrer-policy") == "no-referrer");
  CHECK(eventually([&] { return login.answered(); }));
}

TEST_CASE("what is no answer to the login changes nothing, and the login goes on waiting") {
  waiting_login login;
  const auto [bytes, status] = GENERATE(table<std::string, int>({
      {request("/auth/callback?code=c&state=state-2"), 400},
      {request("/auth/callback?code=c"), 400},
      {request("/auth/callback"), 400},
      {request("/auth/callback?error=access_denied&state=other"), 400},
      {request("/auth/callback?code=c&state=state-1&state=state-1"), 400},
      {request("/favicon.ico"), 404},
      {request("/auth/callback/x?code=c&state=state-1"), 404},
      {request("/auth/callback?code=c&state=state-1", "localhost", "POST"), 405},
      {request("/auth/callback?code=c&state=state-1", "evil.example"), 403},
      {request("/auth/callback?code=c&state=state-1", ""), 403},
  }));
  CAPTURE(bytes);
  CHECK(login.ask(bytes).status == status);
  CHECK_FALSE(login.answered());
  CHECK(login.ask(request("/auth/callback?code=c&state=state-1")).status == 200);
  CHECK(eventually([&] { return login.answered(); }));
}

TEST_CASE("a refusal of the login page ends the login") {
  waiting_login login;
  const auto page = login.ask(request("/auth/callback?error=access_denied&state=state-1"));
  CHECK(page.status == 200);
  CHECK_THAT(page.body, ContainsSubstring("refused"));
  CHECK(eventually([&] { return login.answered(); }));
}

TEST_CASE("garbage and heads beyond the bound are cut off without an answer") {
  waiting_login login;
  for (const auto& bytes : {std::string{"\0\1\2\r\n\r\n", 7}, std::string(64 * 1024, 'x'),
                            "GET /auth/callback?code=" + std::string(64 * 1024, 'x') +
                                " HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    raw_client client{login.port};
    client.send(bytes);
    CHECK(client.receive().status == 0);
  }
  CHECK_FALSE(login.answered());
  CHECK(login.ask(request("/auth/callback?code=c&state=state-1")).status == 200);
}

TEST_CASE("a login's listener answers so many requests and no more") {
  waiting_login login;
  for (int i = 0; i < callback_requests_max; ++i) {
    REQUIRE(login.ask(request("/")).status == 404);
  }
  CHECK_THROWS(login.ask(request("/")));
}

TEST_CASE("a port that is taken is named") {
  waiting_login login;
  asio::io_context io;
  const auto box = std::make_shared<answer_box>(io.get_executor(), secret_string{"s"});
  const auto second = callback_listener::open(io.get_executor(), login.port, "/", box);
  REQUIRE_FALSE(second);
  CHECK_THAT(second.error().detail, ContainsSubstring("127.0.0.1:" + std::to_string(login.port)));
}
