#include "http/login/device_flow.hpp"

#include "http/login/token_call.hpp"

namespace tidegate::http::login {
namespace {

using provider::login::device_answer;
using provider::login::device_rules;
using provider::login::device_session;
using provider::login::device_state;
using asked = result<std::optional<provider::fresh_tokens>>;

std::unexpected<error> no_such_login() {
  return failed(errc::invalid_input, "this provider has no login on another device");
}

std::unexpected<error> out_of_time() {
  return failed(errc::timed_out, "nobody entered the code in time");
}

awaitable<asked> exchange(login_terms with, const device_rules& rules,
                          const device_answer& approved) {
  if (!rules.exchange) co_return failed(errc::unavailable, "an approval without tokens");
  auto request = rules.exchange(with.oauth, approved);
  if (!request) co_return std::unexpected{request.error()};
  auto tokens = co_await ask_for_tokens(std::move(with), std::move(*request));
  if (!tokens) co_return std::unexpected{tokens.error()};
  co_return std::optional{std::move(*tokens)};
}

}  // namespace

awaitable<result<device_session>> begin_device_login(login_terms with) {
  const auto* rules = provider::login::device_rules_of(with.of);
  if (!rules) co_return no_such_login();
  auto request = rules->start(with.oauth, with.device_id);
  if (!request) co_return std::unexpected{request.error()};
  const auto oauth = with.oauth;
  const auto now = with.now;
  const auto reply = co_await ask(std::move(with), std::move(*request));
  if (!reply) co_return std::unexpected{reply.error()};
  co_return rules->read_start(oauth, reply->status, provider::headers_of(*reply),
                              reply->body.reveal(), now());
}

awaitable<asked> ask_device_login(login_terms with, device_session& session) {
  const auto* rules = provider::login::device_rules_of(with.of);
  if (!rules) co_return no_such_login();
  if (with.now() >= session.expires_at) co_return out_of_time();
  auto request = rules->poll(with.oauth, session, with.device_id);
  if (!request) co_return std::unexpected{request.error()};
  const auto reply = co_await ask(with, std::move(*request));
  if (!reply) co_return std::nullopt;
  auto answer = rules->read_poll(reply->status, provider::headers_of(*reply), reply->body.reveal(),
                                 with.now());
  session.interval = provider::login::interval_after(session.interval, answer.state);
  switch (answer.state) {
    case device_state::pending:
    case device_state::slow_down:
    case device_state::unavailable:
      co_return std::nullopt;
    case device_state::approved:
      co_return co_await exchange(std::move(with), *rules, answer);
    case device_state::done:
      co_return std::optional{std::move(answer.tokens)};
    case device_state::denied:
      break;
    case device_state::expired:
      co_return out_of_time();
  }
  co_return failed(errc::cancelled,
                   answer.reason.empty() ? "the login was refused" : answer.reason);
}

awaitable<result<provider::fresh_tokens>> finish_device_login(login_terms with,
                                                              device_session session,
                                                              pause between) {
  for (;;) {
    co_await between(session.interval);
    auto asked_once = co_await ask_device_login(with, session);
    if (!asked_once) co_return std::unexpected{asked_once.error()};
    if (*asked_once) co_return std::move(**asked_once);
  }
}

}  // namespace tidegate::http::login
