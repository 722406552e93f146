#include "http/server/session.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include "base/log.hpp"
#include "http/server/refusal.hpp"

namespace tidegate::http {
namespace {

constexpr std::chrono::seconds handshake_timeout{10};
constexpr std::chrono::seconds farewell_timeout{2};        ///< TLS shutdown, or lingering
constexpr std::size_t linger_bytes_max = 4 * 1024 * 1024;  ///< read and dropped before closing
constexpr std::size_t linger_room = 16 * 1024;
constexpr std::size_t kept_body_bytes_max = 64 * 1024;  ///< memory an idle connection may hold

std::string address_text(const tcp::socket& socket, bool& loopback) {
  error_code ec;
  auto address = socket.remote_endpoint(ec).address();
  if (ec) return {};
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  loopback = address.is_loopback();
  return address.to_string();
}

}  // namespace

session::session(std::shared_ptr<server_core> core, tcp::socket socket, const strand& on,
                 std::shared_ptr<asio::ssl::context> tls)
    : core_(std::move(core)),
      on_(on),
      tls_(std::move(tls)),
      connection_(stream(std::move(socket)), on),
      timeouts_(asio::any_io_executor(on)),
      reader_(connection_, timeouts_, *core_),
      answer_(connection_, *core_) {
  auto& peer = connection_.transport().socket();
  request_.peer = address_text(peer, request_.peer_is_loopback);
  error_code ignored;
  peer.set_option(tcp::no_delay(true), ignored);
  peer.set_option(asio::socket_base::keep_alive(true), ignored);
  peer.non_blocking(true, ignored);
}

void session::start(std::function<void()> ended) {
  const auto self = shared_from_this();
  asio::co_spawn(on_, run(),
                 asio::bind_cancellation_slot(
                     cancel_.slot(), [self, ended = std::move(ended)](std::exception_ptr failure) {
                       self->connection_.close();
                       try {
                         if (failure) std::rethrow_exception(failure);
                       } catch (const std::exception& e) {
                         log::error("a client connection ended by an exception: {}", e.what());
                       }
                       ended();
                     }));
}

void session::drain() {
  if (reader_.idle()) connection_.close();
}

void session::stop() {
  stopped_ = true;
  connection_.abort();
  cancel_.emit(asio::cancellation_type::terminal);
}

awaitable<void> session::run() {
  // A handler that is cancelled still ends by its own code, not by an exception.
  co_await asio::this_coro::throw_if_cancelled(false);
  bool more = true;
  if (tls_) more = co_await handshake();
  while (more && !stopped_ && !(core_->draining && connection_.buffered().empty())) {
    more = co_await exchange();
  }
  co_await end_connection();
}

awaitable<bool> session::handshake() {
  auto& layer = connection_.transport().start_tls(*tls_);
  timeouts_.expect(handshake_timeout, [this] { connection_.close(); });
  auto [ec] = co_await layer.async_handshake(asio::ssl::stream_base::server, no_throw);
  timeouts_.relax();
  broken_ = static_cast<bool>(ec);
  if (ec) log::debug("TLS handshake with {} failed: {}", request_.peer, ec.message());
  co_return !ec;
}

void session::expect_answer() {
  const auto& now = reader_.config();
  answer_terms terms;
  terms.keep_alive = reader_.keep_alive();
  terms.http10 = reader_.http10();
  terms.head_only = reader_.head_only();
  terms.any_origin = reader_.any_origin();
  terms.mode = now.routing.cooldown.mode;
  terms.write_timeout = now.server.write_timeout;
  answer_.expect(terms, weak_from_this());
}

awaitable<bool> session::exchange() {
  const read_end end = co_await reader_.next(request_);
  if (end == read_end::closed) co_return false;
  expect_answer();
  bool answered = false;
  if (end == read_end::refused) {
    answered = co_await answer_.send(std::move(reader_.refusal()));
  } else {
    ++core_->active;
    answered = co_await serve();
    --core_->active;
  }
  request_.config = nullptr;
  if (request_.body.capacity() > kept_body_bytes_max) request_.body = std::string{};
  reader_.release_body();
  co_return answered&& answer_.reusable();
}

awaitable<bool> session::serve() {
  session_context context{on_, timeouts_};
  try {
    co_await core_->serve(request_, answer_, context);
  } catch (const std::exception& e) {
    log::error("a request handler failed: {}", e.what());
  }
  connection_.unwatch();
  timeouts_.relax();
  if (answer_.finished()) co_return true;
  if (!answer_.begun() && !connection_.client_gone()) {
    log::error("a request handler gave no answer");
    auto reply = refusal(500, "internal error", std::nullopt);
    co_return co_await answer_.send(std::move(reply));
  }
  broken_ = true;
  if (answer_.until_close()) connection_.reset_on_close();
  co_return false;
}

awaitable<void> session::end_connection() {
  const bool orderly = !broken_ && !stopped_ && !connection_.client_gone();
  if (orderly && connection_.transport().tls() != nullptr) {
    timeouts_.expect(farewell_timeout, [this] { connection_.close(); });
    connection_.cancel_receive();
    co_await connection_.settle();
    co_await connection_.transport().tls()->async_shutdown(no_throw);
  } else if (orderly && (reader_.body_unread() || !connection_.buffered().empty())) {
    co_await linger();
  }
  timeouts_.relax();
  connection_.close();
  co_await connection_.settle();
}

awaitable<void> session::linger() {
  // Closing with unread input would reset the connection and could take our answer with it.
  error_code ignored;
  connection_.transport().socket().shutdown(tcp::socket::shutdown_send, ignored);
  timeouts_.expect(farewell_timeout, [this] { connection_.close(); });
  std::size_t dropped = connection_.buffered().size();
  connection_.input().clear();
  while (dropped < linger_bytes_max) {
    const error_code ec = co_await connection_.receive(linger_room);
    if (ec) break;
    dropped += connection_.buffered().size();
    connection_.input().clear();
  }
}

}  // namespace tidegate::http
