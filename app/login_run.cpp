#include "app/login_run.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>

#include "app/account_files.hpp"
#include "app/terminal.hpp"
#include "http/login/callback_listener.hpp"
#include "http/login/code_flow.hpp"
#include "http/login/device_flow.hpp"
#include "provider/login/account_file.hpp"
#include "provider/login/code_login.hpp"

namespace tidegate::app {
namespace {

namespace asio = boost::asio;
using http::awaitable;
using http::login::login_terms;
using provider::fresh_tokens;

constexpr std::chrono::minutes answer_patience{5};
/// Time for a browser to do it alone.
constexpr std::chrono::seconds paste_delay{15};
constexpr std::string_view callback_path = "/auth/callback";

login_terms terms_of(const config::snapshot_ptr& settings, provider::kind of,
                     http::client& upstream) {
  login_terms with;
  with.through = &upstream;
  with.options = {settings, &settings->requests};
  with.proxy = settings->requests.proxy_url;
  with.of = of;
  with.oauth = provider::oauth_client_of(settings->credentials, of);
  with.device_id = http::login::new_device_id();
  with.now = system_now;
  return with;
}

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

/// The listener, or why there is none.
std::unique_ptr<http::login::callback_listener> listen_for_browser(
    const asio::any_io_executor& on, const login_order& order,
    const std::shared_ptr<http::login::answer_box>& answers) {
  auto opened = http::login::callback_listener::open(on, order.callback_port,
                                                     std::string{callback_path}, answers);
  if (opened) return std::move(*opened);
  std::fprintf(stderr, "tidegate login: no browser can come back here (%s)\n",
               opened.error().detail.c_str());
  return nullptr;
}

/// Shows the page; true when a browser of this machine has been started for it.
bool show_page(const std::string& url, const login_order& order, std::uint16_t port) {
  say("Log in at:\n\n  " + url + "\n");
  if (!order.no_browser && open_browser(url)) {
    say("A browser has been started for it.");
    return true;
  }
  if (port == 0) return false;
  say("With a browser on another machine, first forward the port from there:\n  ssh -L "
      "1455:127.0.0.1:" +
      std::to_string(port) + " USER@THIS-MACHINE");
  return false;
}

awaitable<result<fresh_tokens>> log_in_by_browser(login_terms with, login_order order) {
  auto login = http::login::begin_code_login(with);
  if (!login) co_return std::unexpected{login.error()};
  const asio::any_io_executor on = co_await asio::this_coro::executor;
  const auto answers = std::make_shared<http::login::answer_box>(on, login->state);
  auto listener = listen_for_browser(on, order, answers);
  const auto port = listener ? listener->port() : std::uint16_t{0};
  if (listener) say("Waiting for the browser on 127.0.0.1:" + std::to_string(port) + ".");
  const bool by_itself = show_page(login->url, order, port) && listener;
  const auto pasted = pasted_answers::from_terminal(on, answers);
  const auto delay = by_itself ? paste_delay : std::chrono::seconds{0};
  asio::co_spawn(on, pasted_answers::run(pasted, delay, !listener), asio::detached);
  auto code = co_await answers->wait(answer_patience);
  pasted->stop();
  listener.reset();
  if (!code) co_return std::unexpected{code.error()};
  co_return co_await http::login::exchange_code(std::move(with), std::move(*login),
                                                std::move(*code));
}

awaitable<void> wait_for(std::chrono::seconds time) {
  const asio::any_io_executor on = co_await asio::this_coro::executor;
  asio::steady_timer timer{on, time};
  co_await timer.async_wait(http::no_throw);
}

awaitable<result<fresh_tokens>> log_in_by_device(login_terms with, login_order) {
  auto session = co_await http::login::begin_device_login(with);
  if (!session) co_return std::unexpected{session.error()};
  const auto left = std::chrono::ceil<std::chrono::minutes>(session->expires_at - with.now());
  say("On any device, log in at:\n\n  " + session->verification_url +
      "\n\nand enter the code:\n\n  " + session->user_code + "\n\nThe code is good for " +
      std::to_string(left.count()) + " minutes. Enter it only if you began this login.");
  http::login::pause between = wait_for;
  co_return co_await http::login::finish_device_login(std::move(with), std::move(*session),
                                                      std::move(between));
}

int exit_code_of(const error& why) {
  return why.code == errc::timed_out ? login_timed_out : login_failed;
}

int fail(provider::kind of, const error& why, const std::string& what_now) {
  const std::string name{provider::to_string(of)};
  std::fprintf(stderr, "tidegate login %s: %s\n%s\n", name.c_str(), printable(why.detail).c_str(),
               what_now.c_str());
  return exit_code_of(why);
}

int keep(const config::snapshot_ptr& settings, const login_order& order, const login_terms& with,
         const fresh_tokens& fresh) {
  const auto made = provider::login::account_file_of(order.of, fresh, with.device_id, system_now());
  if (!made) return fail(order.of, made.error(), "Nothing was stored; log in again.");
  const auto stored = store_account(settings->credentials.auth_dir, *made);
  if (!stored) return fail(order.of, stored.error(), "Nothing was stored; log in again.");
  say("Logged in" + (made->label.empty() ? std::string{} : " as " + printable(made->label)) + ": " +
      stored->path + (stored->existed ? " (its settings are kept)" : "") +
      "\nA running gateway takes it up by itself.");
  return login_done;
}

}  // namespace

int run_login(const config::snapshot_ptr& settings, const login_order& order) {
  // Before the login: tokens that cannot be written would be lost.
  if (const auto can = writable_directory(settings->credentials.auth_dir); !can) {
    return fail(order.of, can.error(), "Set oauth.auth-dir to a directory that can be written.");
  }
  asio::io_context io{1};
  http::client upstream{io};
  const auto with = terms_of(settings, order.of, upstream);
  const bool device = order.device || !provider::login::has_code_login(order.of);
  result<fresh_tokens> tokens = failed(errc::unavailable, "the login has no end");
  auto login = device ? log_in_by_device(with, order) : log_in_by_browser(with, order);
  asio::co_spawn(io, std::move(login), [&](std::exception_ptr, result<fresh_tokens> ended) {
    tokens = std::move(ended);
    io.stop();
  });
  io.run();
  upstream.stop();
  if (tokens) return keep(settings, order, with, *tokens);
  const std::string name{provider::to_string(order.of)};
  const bool again =
      tokens.error().code == errc::cancelled || tokens.error().code == errc::timed_out;
  return fail(
      order.of, tokens.error(),
      again ? "Begin again with: tidegate login " + name
            : "Try again later, or look at oauth.providers." + name + " in the configuration.");
}

}  // namespace tidegate::app
