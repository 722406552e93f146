#include "app/sim/session.hpp"

#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "app/sim/server.hpp"

namespace tidegate::sim {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

session::session(asio::ip::tcp::socket socket, simulator& brain)
    : socket_(std::move(socket)), timer_(socket_.get_executor()), brain_(brain) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  socket_.non_blocking(true, ignored);
}

void session::abort() {
  aborted_ = true;
  error_code ignored;
  socket_.close(ignored);
  timer_.cancel();
}

asio::awaitable<void> session::run() {
  bool going = true;
  while (going && !aborted_) {
    incoming request;
    if (!co_await read(request)) break;
    const bool wanted = request.keep_alive;
    const auto work = brain_.take(std::move(request));
    const auto ended = co_await perform(*work.what, work.id);
    brain_.finish(work, ended);
    going = ended == outcome::complete && work.what->keep_alive && wanted;
  }
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

asio::awaitable<bool> session::read(incoming& out) {
  error_code ec;
  http::request_parser<http::string_body> parser;
  parser.header_limit(request_head_bytes_max);
  parser.body_limit(request_body_bytes_max);
  co_await http::async_read_header(socket_, buffer_, parser,
                                   asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return false;
  if (parser.get()[http::field::expect] == "100-continue") {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(socket_, asio::buffer(go_on),
                               asio::redirect_error(asio::use_awaitable, ec));
  }
  if (!ec && !parser.is_done())
    co_await http::async_read(socket_, buffer_, parser,
                              asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return false;
  auto message = parser.release();
  out.keep_alive = message.keep_alive();
  out.method = std::string{message.method_string()};
  out.target = std::string{message.target()};
  for (const auto& field : message)
    out.headers.emplace_back(std::string{field.name_string()}, std::string{field.value()});
  out.body = std::move(message.body());
  co_return true;
}

asio::awaitable<outcome> session::perform(const plan& what, std::uint64_t id) {
  for (const auto& next : what.steps) {
    switch (next.kind) {
      case step_kind::write:
        if (!co_await write(next, id)) co_return outcome::client_left;
        break;
      case step_kind::pause:
        if (!co_await pause(next.wait)) co_return outcome::client_left;
        break;
      case step_kind::stall:
        co_await wait_for_departure();
        co_return aborted_ ? outcome::misbehaved : outcome::client_left;
      case step_kind::reset:
        reset();
        co_return outcome::misbehaved;
      case step_kind::close:
        co_return outcome::misbehaved;
    }
  }
  co_return outcome::complete;
}

asio::awaitable<bool> session::write(const step& what, std::uint64_t id) {
  const auto bytes = with_id(what, id);
  const auto slice = what.slice == 0 ? bytes.size() : what.slice;
  error_code ec;
  for (std::size_t at = 0; at < bytes.size() && !ec; at += slice) {
    if (at > 0 && what.wait.count() > 0 && !co_await pause(what.wait)) co_return false;
    const auto part = std::string_view{bytes}.substr(at, slice);
    co_await asio::async_write(socket_, asio::buffer(part),
                               asio::redirect_error(asio::use_awaitable, ec));
  }
  co_return !ec;
}

asio::awaitable<bool> session::pause(std::chrono::milliseconds wait) {
  left_ = false;
  timer_.expires_after(wait);
  socket_.async_wait(asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](const error_code& failed) {
                       if (failed || !self->peer_closed()) return;
                       self->left_ = true;
                       self->timer_.cancel();
                     });
  error_code ec;
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  socket_.cancel(ec);
  co_return !left_ && !aborted_;
}

asio::awaitable<void> session::wait_for_departure() {
  error_code ec;
  std::array<char, 4096> unread{};
  while (!ec)
    co_await socket_.async_read_some(asio::buffer(unread),
                                     asio::redirect_error(asio::use_awaitable, ec));
}

bool session::peer_closed() {
  error_code ec;
  char next = 0;
  socket_.receive(asio::buffer(&next, 1), asio::socket_base::message_peek, ec);
  return ec && ec != asio::error::would_block;
}

void session::reset() {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger{true, 0}, ignored);
  socket_.close(ignored);
}

}  // namespace tidegate::sim
