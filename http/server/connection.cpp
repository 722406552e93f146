#include "http/server/connection.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <boost/asio/post.hpp>

namespace tidegate::http {
namespace {

/// Read ahead: enough for the head and the start of the body of most requests.
constexpr std::size_t ahead_room = 4 * 1024;
/// Bytes of next requests that are kept while a handler runs; with more, its client is not watched.
constexpr std::size_t watched_bytes_max = 16 * 1024;

constexpr std::string_view question = "HTTP/1.1 100 Continue\r\n\r\n";

/// Bytes that the peer's system has not acknowledged yet.
int unacknowledged(tcp::socket& socket) {
  int count = 0;
  return ::ioctl(socket.native_handle(), SIOCOUTQ, &count) == 0 ? count : 0;
}

bool would_block(const error_code& ec) {
  return ec == asio::error::would_block || ec == asio::error::try_again;
}

}  // namespace

void gathered::consume(std::size_t count) {
  for (auto& part : parts_) {
    const auto taken = std::min(count, part.size());
    part += taken;
    count -= taken;
  }
}

/// Completion of the read ahead, or of the wait for a reset behind it. Destroyed without a call
/// (the io_context ends), it drops the waiting coroutine, which otherwise would keep its own owner
/// alive.
struct connection::ahead {
  ahead(connection* to, std::shared_ptr<void> owner) : self(to), keep(std::move(owner)) {}
  ahead(ahead&& other) noexcept : self(other.self), keep(std::move(other.keep)) {}
  ~ahead() {
    if (keep) self->waiter_ = nullptr;
  }
  void operator()(error_code ec, std::size_t count) {
    auto* const to = self;
    to->ahead_done(ec, count, std::exchange(keep, nullptr));
  }
  void operator()(error_code ec) {
    const auto hold = std::exchange(keep, nullptr);
    self->reset_seen(ec);
  }

  connection* self;
  std::shared_ptr<void> keep;
};

connection::connection(stream transport, const strand& on)
    : stream_(std::move(transport)), on_(on) {}

awaitable<error_code> connection::receive(std::size_t room) {
  if (reading_) {
    co_await ahead_ended();
    co_return read_error_;
  }
  if (read_error_) co_return read_error_;
  auto [ec, count] = co_await stream_.async_read_some(input_.prepare(room), no_throw);
  input_.commit(count);
  co_return ec;
}

void connection::cancel_receive() {
  error_code ignored;
  stream_.socket().cancel(ignored);
}

bool connection::send_now(gathered& pieces) {
  may_ask_ = false;
  if (client_gone_ || stream_.is_tls()) return pieces.size() == 0;
  while (pieces.size() > 0) {
    error_code ec;
    pieces.consume(stream_.socket().write_some(pieces.parts(), ec));
    if (!ec) continue;
    client_gone_ = !would_block(ec);
    return false;
  }
  return true;
}

awaitable<bool> connection::send(gathered pieces, std::chrono::milliseconds stall) {
  may_ask_ = false;
  if (client_gone_) co_return false;
  if (!stalled_) stalled_.emplace(asio::any_io_executor(on_));
  stalled_->expect(stall, [this] { close(); });
  while (pieces.size() > 0) {
    auto [ec, count] = co_await stream_.async_write_some(pieces.parts(), no_throw);
    if (ec) {
      stalled_->relax();
      client_gone_ = true;
      co_return false;
    }
    pieces.consume(count);
    stalled_->extend(stall);
  }
  stalled_->relax();
  co_return true;
}

void connection::watch(std::function<void()> gone, std::shared_ptr<void> keep, bool may_ask) {
  gone_ = std::move(gone);
  may_ask_ = may_ask && !stream_.is_tls();
  if (client_gone_ || read_error_) {
    // Told later, so that the handler need not expect the call inside its own.
    asio::post(on_, [this, keep = std::move(keep)]() mutable {
      const bool only_ended = !client_gone_ && read_error_ == asio::error::eof;
      only_ended ? input_ended(std::move(keep)) : lose_client();
    });
    return;
  }
  if (!reading_ && input_.size() < watched_bytes_max) read_ahead(std::move(keep));
}

void connection::read_ahead(std::shared_ptr<void> keep) {
  reading_ = true;
  stream_.async_read_some(input_.prepare(ahead_room), ahead{this, std::move(keep)});
}

void connection::ahead_done(error_code ec, std::size_t count, std::shared_ptr<void> keep) {
  reading_ = false;
  input_.commit(count);
  read_error_ = ec;
  if (waiter_) return std::exchange(waiter_, nullptr)();
  if (!ec) {
    if (gone_ && input_.size() < watched_bytes_max) read_ahead(std::move(keep));
    return;
  }
  if (ec == asio::error::eof) return input_ended(std::move(keep));
  lose_client();
}

void connection::input_ended(std::shared_ptr<void> keep) {
  if (!gone_) return;  // nobody waits; the next read or write tells
  if (!may_ask_) return lose_client();
  if (!asking_) {
    // Waiting first: a reset that comes before the wait would not be seen.
    asking_ = true;
    stream_.socket().async_wait(tcp::socket::wait_error, ahead{this, std::move(keep)});
    next_ask_.emplace(asio::any_io_executor(on_));
  }
  ask();
}

void connection::ask() {
  if (!asking_ || !may_ask_ || !gone_) return;
  error_code ec;
  const auto count = stream_.socket().write_some(asio::buffer(question), ec);
  if (ec || count < question.size()) return lose_client();
  next_ask_->expect(probe_interval, [this] {
    if (may_ask_ && gone_ && unacknowledged(stream_.socket()) > 0) return lose_client();
    ask();
  });
}

void connection::reset_seen(error_code ec) {
  asking_ = false;
  if (waiter_) return std::exchange(waiter_, nullptr)();
  if (!ec) lose_client();
}

awaitable<void> connection::ahead_ended() {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this](auto handler) { waiter_ = std::move(handler); }, asio::use_awaitable);
}

void connection::lose_client() {
  client_gone_ = true;
  if (auto tell = std::exchange(gone_, nullptr)) tell();
}

awaitable<void> connection::settle() {
  while (reading_ || asking_) co_await ahead_ended();
}

void connection::close() noexcept {
  stream_.close();
}

void connection::abort() {
  close();
  lose_client();
}

void connection::reset_on_close() noexcept {
  error_code ignored;
  stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
}

}  // namespace tidegate::http
