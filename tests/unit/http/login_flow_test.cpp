#include <boost/asio/co_spawn.hpp>
#include <deque>

#include "http/login/answer_box.hpp"
#include "http/login/code_flow.hpp"
#include "http/login/device_flow.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/login_endpoints.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace tidegate;
using namespace tidegate::http;
using namespace tidegate::http::login;
using namespace tidegate::http::testing;
using namespace std::chrono_literals;
using provider::fresh_tokens;
using provider::kind;
using test::login_endpoints;
using test::reply;

namespace {

inline const instant t0 = from_unix(1'800'000'000);

constexpr std::string_view tokens =
    R"({"access_token":"at-1","refresh_token":"rt-1","id_token":"it-1","expires_in":3600})";
constexpr std::string_view started =
    R"({"device_code":"dc-1","user_code":"AB-CD","verification_uri":"https://v.example/d",)"
    R"("interval":7,"expires_in":600})";

/// A login against scripted endpoints; the clock moves by the pauses.
struct login_world {
  explicit login_world(const login_endpoints& at, kind of) {
    with.through = &h.upstream();
    with.options = std::make_shared<request_options>();
    with.of = of;
    with.oauth = at.client();
    with.device_id = "device-1";
    with.now = [this] { return now; };
  }

  template <class T>
  T run(awaitable<T> work) {
    std::optional<T> ended;
    asio::co_spawn(h.io(), std::move(work),
                   [&ended](std::exception_ptr, T value) { ended = std::move(value); });
    h.run_until([&ended] { return ended.has_value(); });
    return std::move(*ended);
  }

  result<fresh_tokens> by_device() {
    auto session = run(begin_device_login(with));
    if (!session) return std::unexpected{session.error()};
    return run(finish_device_login(with, std::move(*session),
                                   [this](std::chrono::seconds time) { return pass(time); }));
  }
  awaitable<void> pass(std::chrono::seconds time) {
    pauses.push_back(time);
    now += time;
    co_return;
  }

  harness h;
  instant now = t0;
  login_terms with;
  std::vector<std::chrono::seconds> pauses;
};

std::string pending() {
  return reply(400, R"({"error":"authorization_pending"})");
}

}  // namespace

TEST_CASE("a device login waits as the provider says, and longer when it says slow down") {
  const auto of = GENERATE(kind::xai, kind::kimi);
  const login_endpoints at{{{"/device", {reply(200, started)}},
                            {"/token",
                             {pending(), reply(400, R"({"error":"slow_down"})"), pending(),
                              reply(503, "busy"), reply(200, tokens)}}}};
  login_world world{at, of};
  const auto got = world.by_device();
  REQUIRE(got);
  CHECK(got->access_token.reveal() == "at-1");
  CHECK(world.pauses == std::vector<std::chrono::seconds>{7s, 7s, 12s, 12s, 12s});
  CHECK_THAT(at.seen("/token").front(), ContainsSubstring("device_code=dc-1"));
}

TEST_CASE("Codex's device login ends with the exchange of its code") {
  const login_endpoints at{
      {{"/device", {reply(200, R"({"device_auth_id":"da-1","user_code":"AB-CD","interval":"1"})")}},
       {"/token",
        {reply(403, "{}"), reply(200, R"({"authorization_code":"c-1","code_verifier":"v-1"})"),
         reply(200, tokens)}}}};
  login_world world{at, kind::codex};
  const auto got = world.by_device();
  REQUIRE(got);
  CHECK(got->refresh_token.reveal() == "rt-1");
  CHECK_THAT(at.seen("/token").back(),
             ContainsSubstring("code=c-1") && ContainsSubstring("code_verifier=v-1"));
}

TEST_CASE("a device login that is denied or too late ends for good") {
  const auto [answer, code] = GENERATE(table<std::string, errc>({
      {reply(400, R"({"error":"access_denied"})"), errc::cancelled},
      {reply(400, R"({"error":"expired_token"})"), errc::timed_out},
      {pending(), errc::timed_out},
      {reply(500, "x"), errc::timed_out},
      {"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"access", errc::timed_out},
  }));
  const login_endpoints at{{{"/device", {reply(200, started)}}, {"/token", {answer}}}};
  login_world world{at, kind::xai};
  const auto got = world.by_device();
  REQUIRE_FALSE(got);
  CHECK(got.error().code == code);
  CHECK(world.now <= t0 + 610s);
}

TEST_CASE("a device login that cannot begin says so") {
  const auto answer = GENERATE(reply(400, R"({"error":"invalid_client"})"), reply(200, "{}"),
                               std::string{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"});
  const login_endpoints at{{{"/device", {answer}}}};
  login_world world{at, kind::xai};
  const auto got = world.by_device();
  REQUIRE_FALSE(got);
  CHECK(got.error().code == errc::unavailable);
  CHECK(at.seen("/token").empty());
}

TEST_CASE("a code is exchanged with the verifier whose hash the page got") {
  const login_endpoints at{{{"/token", {reply(200, tokens)}}}};
  login_world world{at, kind::codex};
  const auto login = begin_code_login(world.with);
  REQUIRE(login);
  CHECK(login->state.reveal().size() == 32);
  CHECK_THAT(login->url, ContainsSubstring("/authorize?") &&
                             ContainsSubstring("state=" + std::string{login->state.reveal()}) &&
                             ContainsSubstring("code_challenge=" + login->proof.challenge) &&
                             ContainsSubstring("code_challenge_method=S256"));
  const auto got = world.run(exchange_code(world.with, *login, secret_string{"code-1"}));
  REQUIRE(got);
  CHECK(got->access_token.reveal() == "at-1");
  CHECK(got->expires_at == t0 + 3600s);
  const auto request = at.seen("/token").at(0);
  CHECK_THAT(request,
             ContainsSubstring("code=code-1") &&
                 ContainsSubstring("code_verifier=" + std::string{login->proof.verifier.reveal()}));
}

TEST_CASE("every login has a state and a verifier of its own") {
  const login_endpoints at{{}};
  login_world world{at, kind::codex};
  const auto one = begin_code_login(world.with);
  const auto other = begin_code_login(world.with);
  REQUIRE(one);
  REQUIRE(other);
  CHECK_FALSE(one->state == other->state);
  CHECK_FALSE(one->proof.verifier == other->proof.verifier);
}

TEST_CASE("a code that is refused or whose answer is cut gives no tokens") {
  const auto [answer, code] = GENERATE(table<std::string, errc>({
      {reply(400, R"({"error":"invalid_grant"})"), errc::cancelled},
      {reply(500, "{}"), errc::unavailable},
      {reply(200, R"({"access_token":7})"), errc::unavailable},
      {"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"access", errc::unavailable},
      {"HTTP/1.1 200", errc::unavailable},
  }));
  const login_endpoints at{{{"/token", {answer}}}};
  login_world world{at, kind::codex};
  const auto login = begin_code_login(world.with);
  REQUIRE(login);
  const auto got = world.run(exchange_code(world.with, *login, secret_string{"secret-code"}));
  REQUIRE_FALSE(got);
  CHECK(got.error().code == code);
  CHECK_THAT(got.error().detail, !ContainsSubstring("secret-code"));
}

TEST_CASE("a login without its endpoint is refused before anything is sent") {
  const login_endpoints at{{}};
  login_world world{at, kind::claude};
  CHECK_FALSE(begin_code_login(world.with));
  CHECK(world.run(begin_device_login(world.with)).error().code == errc::invalid_input);
}

TEST_CASE("only the answer with the login's own state counts, and only the first") {
  asio::io_context io;
  answer_box box{io.get_executor(), secret_string{"state-1"}};
  for (const std::string wrong :
       {"?code=c&state=state-2", "?code=c", "c#state-10", "", "?error=access_denied&state=other"}) {
    CAPTURE(wrong);
    const auto found = box.look_at(wrong);
    CHECK(found.error().code == errc::invalid_input);
    box.take(found);
    CHECK_FALSE(box.answered());
  }
  box.take(box.look_at("http://localhost:1455/auth/callback?code=c-1&state=state-1"));
  box.take(box.look_at("c-2#state-1"));
  std::optional<result<secret_string>> code;
  asio::co_spawn(io, box.wait(1h),
                 [&code](std::exception_ptr, result<secret_string> got) { code = std::move(got); });
  io.run();
  REQUIRE((code && *code));
  CHECK((*code)->reveal() == "c-1");
}

TEST_CASE("a login that nobody answers times out, one that is refused ends at once") {
  asio::io_context io;
  answer_box box{io.get_executor(), secret_string{"state-1"}};
  const bool refused = GENERATE(false, true);
  if (refused) box.take(box.look_at("?error=access_denied&state=state-1"));
  std::optional<result<secret_string>> code;
  asio::co_spawn(io, box.wait(1ms),
                 [&code](std::exception_ptr, result<secret_string> got) { code = std::move(got); });
  io.run();
  REQUIRE(code);
  CHECK(code->error().code == (refused ? errc::cancelled : errc::timed_out));
}
