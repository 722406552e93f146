#include "http/server/server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <unordered_map>

#include "base/log.hpp"
#include "http/net/tls_server.hpp"
#include "http/server/core.hpp"
#include "http/server/cors.hpp"
#include "http/server/listen.hpp"
#include "http/server/session.hpp"

namespace tidegate::http {
namespace {

constexpr std::size_t refusing_max = 64;  ///< connections being told 503 at one time
constexpr std::size_t refused_bytes_max = 64 * 1024;
constexpr std::chrono::seconds refused_timeout{1};
constexpr std::chrono::milliseconds accept_pause{100};  ///< after an accept that failed

}  // namespace

/// State of the listener; everything but the atomics lives on its strand `on`.
struct server::impl : std::enable_shared_from_this<impl> {
  impl(asio::io_context& context, snapshot_source config, service answers)
      : io(context),
        core(std::make_shared<server_core>(std::move(config), std::move(answers))),
        on(asio::make_strand(context)) {}

  awaitable<void> accept_from(tcp::acceptor& acceptor);
  void welcome(tcp::socket socket, const strand& its);
  awaitable<void> turn_away(tcp::socket socket, quota::response_mode mode);
  void ended(const session* which);
  void close_acceptors();
  void finish_stop();

  asio::io_context& io;
  const std::shared_ptr<server_core> core;
  const strand on;
  std::vector<tcp::acceptor> acceptors;
  std::shared_ptr<tls_server> tls;
  std::string host;
  std::uint16_t port = 0;
  std::unordered_map<const session*, std::weak_ptr<session>> sessions;
  std::function<void()> stopped;
  std::size_t accepting = 0;  ///< accept loops that have not ended
  std::size_t refusing = 0;
  bool stopping = false;
};

awaitable<void> server::impl::accept_from(tcp::acceptor& acceptor) {
  const auto self = shared_from_this();
  asio::steady_timer pause(asio::any_io_executor{on});
  bool warned = false;
  while (acceptor.is_open()) {
    const strand its = asio::make_strand(io);
    const asio::any_io_executor executor{its};
    auto [ec, socket] = co_await acceptor.async_accept(executor, no_throw);
    if (!ec) {
      warned = false;
      welcome(std::move(socket), its);
      continue;
    }
    if (!acceptor.is_open()) break;
    if (!warned) log::warn("cannot accept connections: {}", ec.message());
    warned = true;
    pause.expires_after(accept_pause);
    co_await pause.async_wait(no_throw);
  }
  --accepting;
  finish_stop();
}

void server::impl::welcome(tcp::socket socket, const strand& its) {
  if (stopping || core->draining) return;
  const auto config = core->config();
  if (core->open >= config->server.connections_max) {
    if (tls || refusing >= refusing_max) return;
    ++refusing;
    asio::co_spawn(on, turn_away(std::move(socket), config->routing.cooldown.mode), asio::detached);
    return;
  }
  ++core->open;
  auto made =
      std::make_shared<session>(core, std::move(socket), its, tls ? tls->current() : nullptr);
  sessions.emplace(made.get(), made);
  const auto* name = made.get();
  asio::post(its, [self = shared_from_this(), made = std::move(made), name] {
    made->start([self, name] { asio::post(self->on, [self, name] { self->ended(name); }); });
  });
}

awaitable<void> server::impl::turn_away(tcp::socket socket, quota::response_mode mode) {
  const auto self = shared_from_this();
  std::string text = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n";
  const std::string_view body =
      R"({"error":{"message":"too many connections","type":"server_error"}})";
  text += cors_block(mode);
  text += "Retry-After: 1\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size());
  text += "\r\n\r\n";
  text += body;
  auto last = std::make_shared<tcp::socket>(std::move(socket));
  watchdog limit{asio::any_io_executor{on}};
  limit.expect(refused_timeout, [last] {
    error_code ignored;
    last->close(ignored);
  });
  std::size_t dropped = 0;
  char bytes[2048];
  auto [failed, sent] = co_await last->async_send(asio::buffer(text), no_throw);
  error_code ec = failed;
  // Closing on unread input would reset the connection and lose the answer.
  if (!ec) last->shutdown(tcp::socket::shutdown_send, ec);
  while (!ec && dropped < refused_bytes_max) {
    auto [end, count] = co_await last->async_receive(asio::buffer(bytes), no_throw);
    ec = end;
    dropped += count;
  }
  --refusing;
  finish_stop();
}

void server::impl::ended(const session* which) {
  sessions.erase(which);
  --core->open;
  finish_stop();
}

void server::impl::close_acceptors() {
  error_code ignored;
  for (auto& acceptor : acceptors) acceptor.close(ignored);
}

void server::impl::finish_stop() {
  if (!stopping || !stopped || accepting > 0 || refusing > 0 || !sessions.empty()) return;
  std::exchange(stopped, nullptr)();
}

server::server(asio::io_context& io, snapshot_source config, service answers)
    : impl_(std::make_shared<impl>(io, std::move(config), std::move(answers))) {}

server::~server() {
  stop(nullptr);
}

result<void> server::start() {
  const auto options = impl_->core->config()->server;
  if (options.tls.enable) {
    auto loaded = tls_server::load(options.tls);
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    impl_->tls = std::move(*loaded);
  }
  auto opened = listen_on(asio::any_io_executor{impl_->on}, options.host, options.port);
  if (!opened) return std::unexpected(std::move(opened.error()));
  impl_->acceptors = std::move(*opened);
  impl_->host = options.host;
  impl_->port = impl_->acceptors.front().local_endpoint().port();
  impl_->accepting = impl_->acceptors.size();
  for (auto& acceptor : impl_->acceptors) {
    asio::co_spawn(impl_->on, impl_->accept_from(acceptor), asio::detached);
  }
  return {};
}

std::uint16_t server::port() const {
  return impl_->port;
}
std::string server::host() const {
  return impl_->host;
}
bool server::draining() const {
  return impl_->core->draining;
}
std::size_t server::active_requests() const {
  return impl_->core->active;
}
std::size_t server::open_connections() const {
  return impl_->core->open;
}

void server::begin_drain() {
  impl_->core->draining = true;
  asio::post(impl_->on, [self = impl_] {
    self->close_acceptors();
    for (const auto& [name, weak] : self->sessions) {
      if (auto one = weak.lock()) asio::post(one->executor(), [one] { one->drain(); });
    }
  });
}

void server::stop(std::function<void()> done) {
  impl_->core->draining = true;
  asio::post(impl_->on, [self = impl_, done = std::move(done)] {
    self->stopping = true;
    if (done) self->stopped = done;
    self->close_acceptors();
    for (const auto& [name, weak] : self->sessions) {
      if (auto one = weak.lock()) asio::post(one->executor(), [one] { one->stop(); });
    }
    self->finish_stop();
  });
}

}  // namespace tidegate::http
