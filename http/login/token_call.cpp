#include "http/login/token_call.hpp"

#include "http/client/fetch.hpp"

namespace tidegate::http::login {
namespace {

std::unexpected<error> refused(const provider::refresh_failure& why) {
  const bool final = why.kind == provider::refresh_fault::rejected;
  return failed(final ? errc::cancelled : errc::unavailable, why.reason);
}

}  // namespace

awaitable<result<provider::plain_reply>> ask(login_terms with, provider::upstream_request what) {
  fetch_job job;
  job.what = std::move(what);
  job.proxy = std::move(with.proxy);
  job.options = std::move(with.options);
  auto reply = co_await fetch(*with.through, std::move(job));
  if (!reply) co_return failed(errc::unavailable, "no answer: " + reply.error().detail);
  co_return reply;
}

awaitable<result<provider::fresh_tokens>> ask_for_tokens(login_terms with,
                                                         provider::upstream_request what) {
  const auto* rules = provider::token_rules_of(with.of);
  if (!rules) co_return failed(errc::invalid_input, "this provider's tokens are not known here");
  const auto now = with.now;
  const auto reply = co_await ask(std::move(with), std::move(what));
  if (!reply) co_return std::unexpected{reply.error()};
  auto tokens =
      rules->read(reply->status, provider::headers_of(*reply), reply->body.reveal(), now());
  if (!tokens) co_return refused(tokens.error());
  co_return std::move(*tokens);
}

}  // namespace tidegate::http::login
