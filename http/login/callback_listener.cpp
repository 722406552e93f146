#include "http/login/callback_listener.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <vector>

#include "base/endpoint.hpp"
#include "http/client/url.hpp"
#include "http/login/callback_page.hpp"

namespace tidegate::http::login {

namespace beast = boost::beast;
using head_parser = beast::http::request_parser<beast::http::empty_body>;

struct callback_listener::shared {
  shared(const asio::any_io_executor& executor, std::string where, std::shared_ptr<answer_box> box)
      : on(executor),
        path(std::move(where)),
        into(std::move(box)),
        room(executor, asio::steady_timer::time_point::max()) {}

  error_code listen(const tcp::endpoint& at);
  /// They keep what they work with alive.
  static awaitable<void> accept(std::shared_ptr<shared> self, std::size_t nth);
  static awaitable<void> serve(std::shared_ptr<shared> self, tcp::socket socket);
  callback_page judge(const head_parser& head, result<secret_string>& found) const;
  void close();

  asio::any_io_executor on;
  std::string path;
  std::shared_ptr<answer_box> into;
  std::vector<tcp::acceptor> acceptors;
  asio::steady_timer room;  ///< cancelled when a connection has ended
  int running = 0;
  int served = 0;
  bool closed = false;
};

error_code callback_listener::shared::listen(const tcp::endpoint& at) {
  tcp::acceptor acceptor{on};
  error_code ec;
  const auto step = [&ec](auto&& run) {
    if (!ec) run();
  };
  step([&] { acceptor.open(at.protocol(), ec); });
  step([&] { acceptor.set_option(tcp::acceptor::reuse_address{true}, ec); });
  step([&] {
    if (at.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only{true}, ec);
  });
  step([&] { acceptor.bind(at, ec); });
  step([&] { acceptor.listen(callback_connections_max, ec); });
  if (!ec) acceptors.push_back(std::move(acceptor));
  return ec;
}

awaitable<void> callback_listener::shared::accept(std::shared_ptr<shared> self, std::size_t nth) {
  while (!self->closed && self->served < callback_requests_max) {
    if (self->running >= callback_connections_max) {
      co_await self->room.async_wait(no_throw);
      continue;
    }
    auto [ec, socket] = co_await self->acceptors[nth].async_accept(no_throw);
    if (ec || self->closed) co_return;
    ++self->served;
    ++self->running;
    asio::co_spawn(self->on, serve(self, std::move(socket)), asio::detached);
  }
  self->close();
}

callback_page callback_listener::shared::judge(const head_parser& head,
                                               result<secret_string>& found) const {
  const auto& request = head.get();
  const auto host = request[beast::http::field::host];
  const auto authority = upstream::parse_authority({host.data(), host.size()});
  if (!authority || !is_loopback_host(authority->without_port)) return callback_page::wrong_host;
  const std::string_view target{request.target().data(), request.target().size()};
  if (target.substr(0, target.find('?')) != path) return callback_page::nothing_here;
  if (request.method() != beast::http::verb::get) return callback_page::wrong_method;
  found = into->look_at(target);
  if (found) return callback_page::arrived;
  return found.error().code == errc::cancelled ? callback_page::refused : callback_page::not_ours;
}

awaitable<void> callback_listener::shared::serve(std::shared_ptr<shared> self, tcp::socket socket) {
  beast::tcp_stream stream{std::move(socket)};
  stream.expires_after(callback_patience);
  beast::flat_buffer input{callback_head_bytes_max};
  head_parser head;
  head.header_limit(callback_head_bytes_max);
  const auto [ec, bytes] = co_await beast::http::async_read_header(stream, input, head, no_throw);
  if (!ec) {
    result<secret_string> found = failed(errc::invalid_input, "no answer");
    const auto response = response_of(self->judge(head, found));
    // First the page, then the login: the program may end when it goes on.
    const auto [cut, sent] = co_await asio::async_write(stream, asio::buffer(response), no_throw);
    self->into->take(found);
    if (!cut) {
      error_code ignored;
      stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
  }
  --self->running;
  self->room.cancel();
}

void callback_listener::shared::close() {
  closed = true;
  for (auto& acceptor : acceptors) {
    error_code ignored;
    acceptor.close(ignored);
  }
  room.cancel();
}

result<std::unique_ptr<callback_listener>> callback_listener::open(
    const asio::any_io_executor& on, std::uint16_t port, std::string path,
    std::shared_ptr<answer_box> into) {
  auto state = std::make_shared<shared>(on, std::move(path), std::move(into));
  if (const auto ec = state->listen({asio::ip::address_v4::loopback(), port})) {
    return failed(errc::io_failure, fmt::format("127.0.0.1:{}: {}", port, ec.message()));
  }
  const auto bound = state->acceptors.front().local_endpoint().port();
  // Only a help for browsers that look for `localhost` there first.
  static_cast<void>(state->listen({asio::ip::address_v6::loopback(), bound}));
  for (std::size_t nth = 0; nth < state->acceptors.size(); ++nth) {
    asio::co_spawn(on, shared::accept(state, nth), asio::detached);
  }
  return std::unique_ptr<callback_listener>{new callback_listener{std::move(state)}};
}

callback_listener::~callback_listener() {
  state_->close();
}

std::uint16_t callback_listener::port() const {
  return state_->acceptors.front().local_endpoint().port();
}

}  // namespace tidegate::http::login
