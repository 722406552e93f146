#include "http/client/dial.hpp"

#include <fmt/format.h>

#include <utility>

namespace tidegate::http::upstream {

namespace {

std::unexpected<error> given_up() {
  return failed(errc::cancelled, "given up while connecting");
}

/// Closes a socket whose connection attempt takes more than its share, so that one silent address
/// does not use up the time of the others.
class patience {
 public:
  patience(const strand& on, tcp::socket& socket, std::chrono::milliseconds share)
      : timer_(on, share), waiting_(std::make_shared<bool>(true)) {
    timer_.async_wait([waiting = waiting_, &socket](const error_code& ec) {
      error_code ignored;
      if (!ec && *waiting) socket.close(ignored);
    });
  }
  ~patience() { *waiting_ = false; }
  patience(const patience&) = delete;
  patience& operator=(const patience&) = delete;

 private:
  asio::steady_timer timer_;
  std::shared_ptr<bool> waiting_;
};

awaitable<result<void>> connect_any(tcp::socket& socket, const addresses& found, std::uint16_t port,
                                    std::string peer, const dial_plan& plan) {
  error_code ec;
  const auto share = plan.options.connect_timeout / static_cast<int>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (plan.stop.why) co_return given_up();
    const tcp::endpoint at(found[i], port);
    error_code ignored;
    socket.close(ignored);
    socket.open(at.protocol(), ec);
    if (ec) continue;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    std::optional<patience> limit;
    if (i + 1 < found.size()) limit.emplace(plan.on, socket, share);
    const auto [failure] = co_await socket.async_connect(at, no_throw);
    limit.reset();
    if (plan.stop.why) co_return given_up();
    if (!failure && socket.is_open()) co_return result<void>{};
    ec = failure ? failure : error_code(asio::error::timed_out);
  }
  co_return failed(errc::io_failure, fmt::format("cannot connect to {}: {}", peer, ec.message()));
}

template <class Layer>
awaitable<result<void>> handshake(Layer& layer, std::string_view host, session_keeper& keeper) {
  auto ready = prepare_tls(layer.native_handle(), host, keeper);
  if (!ready) co_return ready;
  const auto [ec] = co_await layer.async_handshake(asio::ssl::stream_base::client, no_throw);
  if (!ec) co_return result<void>{};
  co_return failed(errc::tls_failure,
                   handshake_problem(layer.native_handle(), keeper.peer, ec.message()));
}

/// TLS to the proxy, the outer layer.
awaitable<result<void>> secure_proxy(connection& into, const proxy& via,
                                     std::shared_ptr<tls_context> context) {
  into.outer_session = std::make_unique<session_keeper>(context, via.name);
  co_return co_await handshake(into.link.start_outer(context->native()), via.host,
                               *into.outer_session);
}

/// TLS to the origin, on top of whatever is there.
awaitable<result<void>> secure_origin(connection& into, const url& to, std::string peer,
                                      std::shared_ptr<tls_context> context) {
  auto keeper = std::make_unique<session_keeper>(context, peer);
  if (into.link.outer() != nullptr) {
    into.inner_session = std::move(keeper);
    co_return co_await handshake(into.link.start_inner(context->native()), to.host,
                                 *into.inner_session);
  }
  into.outer_session = std::move(keeper);
  co_return co_await handshake(into.link.start_outer(context->native()), to.host,
                               *into.outer_session);
}

}  // namespace

awaitable<result<void>> dial(connection& into, const dial_plan& plan, names& resolver,
                             tls_contexts& trust) {
  const auto origin_name = endpoint_text(plan.to.host, plan.to.ipv6, plan.to.port);
  const std::string first_host = plan.via ? plan.via->host : std::string(plan.to.host);
  const auto first_port = plan.via ? plan.via->port : plan.to.port;
  const bool proxy_tls = plan.via && plan.via->kind == proxy_kind::https;

  std::shared_ptr<tls_context> context;
  if (plan.to.tls || proxy_tls) {
    auto known = trust.for_ca_file(plan.options.ca_file);
    if (!known) co_return std::unexpected(known.error());
    context = std::move(*known);
  }
  const auto found = co_await resolver.resolve(first_host, plan.on, plan.stop);
  if (!found) co_return std::unexpected(found.error());
  const std::string first_name = plan.via ? "proxy " + plan.via->name : origin_name;
  auto done = co_await connect_any(into.link.socket(), *found, first_port, first_name, plan);
  if (!done) co_return done;

  if (proxy_tls) done = co_await secure_proxy(into, *plan.via, context);
  if (!done) co_return done;
  if (plan.via && plan.via->kind == proxy_kind::socks5) {
    done = co_await open_socks(into.link, *plan.via, std::string(plan.to.host), plan.to.port);
  } else if (plan.via && plan.to.tls) {
    done = co_await open_tunnel(into.link, *plan.via, origin_name);
  }
  if (!done || !plan.to.tls) co_return done;
  co_return co_await secure_origin(into, plan.to, origin_name, context);
}

}  // namespace tidegate::http::upstream
