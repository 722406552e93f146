/// The client's side of a stream: its head, the writes in their order, comments into silence, and
/// what becomes of the provider's connection.

#include "http/exchange/stream_relay.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace tidegate::http {
namespace {

constexpr std::string_view keep_alive_comment = ": keep-alive\n\n";
/// How long the rest of a stream may take after its last event, before its connection is given up.
constexpr std::chrono::milliseconds rest_of_stream_max{1000};

}  // namespace

awaitable<void> stream_relay::release_held() {
  begin();
  const auto held = std::exchange(pending_, {});
  co_await write_apart(held);
}

awaitable<bool> stream_relay::write_apart(std::string_view bytes) {
  writing_apart_ = true;
  last_write_ = std::chrono::steady_clock::now();
  const bool sent = co_await call_.out_.write(bytes);
  writing_apart_ = false;
  writing_done_.cancel();
  co_return sent;
}

std::vector<protocol::header> stream_relay::head() const {
  auto headers = call_.headers_of(reply_);
  if (call_.translation_ || call_.shape_) {
    const bool events = !call_.shape_ || call_.shape_->is_event_stream();
    std::erase_if(headers, [](const auto& h) { return h.first == "Content-Type"; });
    headers.emplace_back("Content-Type", events ? "text/event-stream" : "application/json");
  }
  headers.emplace_back("Cache-Control", "no-cache");
  return headers;
}

void stream_relay::begin() {
  if (call_.out_.committed()) return;
  call_.out_.begin(reply_.status(), head(), std::nullopt);
  last_write_ = std::chrono::steady_clock::now();
  const auto interval = call_.in_.config->requests.stream_keepalive;
  const bool takes_comments = !call_.shape_ || call_.shape_->is_event_stream();
  if (interval.count() == 0 || !takes_comments) return;
  keeping_alive_ = true;
  asio::co_spawn(call_.session_.on, keep_alive(interval), asio::detached);
}

awaitable<bool> stream_relay::flush() {
  if (pending_.empty()) co_return true;
  while (writing_apart_) {
    writing_done_.expires_after(std::chrono::hours{1});
    co_await writing_done_.async_wait(no_throw);
  }
  begin();
  last_write_ = std::chrono::steady_clock::now();
  const bool sent = co_await call_.out_.write(pending_);
  pending_.clear();
  co_return sent;
}

awaitable<void> stream_relay::finish_upstream() {
  // A connection whose body was read to its end can serve the next call; nobody waits long for it.
  const auto waiting = std::make_shared<bool>(true);
  silence_.expires_after(rest_of_stream_max);
  silence_.async_wait([call = call_.call_.get(), waiting](const error_code& ec) {
    if (!ec && *waiting) call->cancel();
  });
  co_await reply_.read();
  *waiting = false;
  silence_.cancel();
}

awaitable<void> stream_relay::keep_alive(std::chrono::seconds interval) {
  while (!stopped_) {
    silence_.expires_at(last_write_ + interval);
    co_await silence_.async_wait(no_throw);
    if (stopped_ || std::chrono::steady_clock::now() < last_write_ + interval) continue;
    const bool sent = co_await write_apart(keep_alive_comment);
    if (!sent) break;
  }
  keeping_alive_ = false;
  writing_done_.cancel();
}

awaitable<void> stream_relay::stop_keep_alive() {
  stopped_ = true;
  silence_.cancel();
  while (keeping_alive_ || writing_apart_) {
    writing_done_.expires_after(std::chrono::hours{1});
    co_await writing_done_.async_wait(no_throw);
  }
}

}  // namespace tidegate::http
