#include "http/client/fetch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tidegate::http {
namespace {

/// Nobody but the limit cancels.
std::unexpected<error> late(const error& of) {
  if (of.code != errc::cancelled) return std::unexpected{of};
  return failed(errc::timed_out, "no whole answer within the time limit");
}

awaitable<result<provider::plain_reply>> exchange_once(client& through, const fetch_job& job,
                                                       const strand& on) {
  watchdog timeouts{on};
  const std::shared_ptr<upstream_call> call =
      through.prepare(*job.options, job.proxy, timeouts, on);
  asio::steady_timer limit{on, job.patience};
  limit.async_wait([call](const error_code& ec) {
    if (!ec) call->cancel();
  });
  auto response = co_await call->send(job.what);
  if (!response) co_return late(response.error());
  provider::plain_reply reply;
  reply.status = (*response)->status();
  (*response)->each_header([&reply](std::string_view name, std::string_view value) {
    reply.headers.emplace_back(name, value);
  });
  std::string body;
  for (;;) {
    const auto piece = co_await (*response)->read();
    if (!piece) co_return late(piece.error());
    if (piece->empty()) break;
    if (body.size() + piece->size() > provider::plain_reply_bytes_max) {
      co_return failed(errc::limit_exceeded, "the answer is too long");
    }
    body.append(*piece);
  }
  reply.body = secret_string{std::move(body)};
  co_return reply;
}

awaitable<void> run(client& through, fetch_job job, strand on,
                    std::function<void(result<provider::plain_reply>)> done) {
  auto reply = co_await exchange_once(through, job, on);
  done(std::move(reply));
}

}  // namespace

awaitable<result<provider::plain_reply>> fetch(client& through, fetch_job job) {
  const strand on = through.new_strand();
  co_return co_await asio::co_spawn(on, exchange_once(through, job, on), asio::use_awaitable);
}

void fetch(client& through, fetch_job job,
           std::function<void(result<provider::plain_reply>)> done) {
  const strand on = through.new_strand();
  asio::co_spawn(on, run(through, std::move(job), on, std::move(done)), asio::detached);
}

result<provider::plain_reply> fetch_alone(fetch_job job) {
  asio::io_context io{1};
  client upstream{io};
  result<provider::plain_reply> reply = failed(errc::unavailable, "no answer");
  fetch(upstream, std::move(job), [&](result<provider::plain_reply> came) {
    reply = std::move(came);
    io.stop();
  });
  io.run();
  upstream.stop();
  return reply;
}

}  // namespace tidegate::http
