#include "app/sim/server.hpp"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <thread>
#include <unordered_set>
#include <utility>

#include "app/sim/session.hpp"

namespace tidegate::sim {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct server::core : std::enable_shared_from_this<server::core> {
  using strand_type = asio::strand<asio::io_context::executor_type>;

  core(asio::io_context& io, script&& plan, const wall_clock& clock, std::uint16_t wanted)
      : strand(asio::make_strand(io)),
        acceptor(strand),
        retry(strand),
        brain(std::move(plan), clock),
        port_wanted(wanted) {}

  asio::awaitable<void> accept() {
    while (!stopping) {
      error_code ec;
      tcp::socket socket{strand};
      co_await acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, ec));
      if (stopping) break;
      if (ec) {
        co_await breathe();
        continue;
      }
      if (live.size() >= connections_max) continue;
      auto connection = std::make_shared<session>(std::move(socket), brain);
      live.insert(connection);
      asio::co_spawn(strand, serve(shared_from_this(), std::move(connection)), asio::detached);
    }
  }

  /// Out of descriptors, mostly: trying again at once would only spin.
  asio::awaitable<void> breathe() {
    error_code ignored;
    retry.expires_after(std::chrono::milliseconds{20});
    co_await retry.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  static asio::awaitable<void> serve(std::shared_ptr<core> self,
                                     std::shared_ptr<session> connection) {
    co_await connection->run();
    self->live.erase(connection);
  }

  static asio::awaitable<void> listen(std::shared_ptr<core> self) { co_await self->accept(); }

  void shut() {
    stopping = true;
    error_code ignored;
    acceptor.close(ignored);
    retry.cancel();
    for (const auto& connection : live) connection->abort();
  }

  strand_type strand;
  tcp::acceptor acceptor;
  asio::steady_timer retry;
  simulator brain;
  std::unordered_set<std::shared_ptr<session>> live;
  bool stopping = false;
  std::uint16_t port_wanted;
  std::atomic<std::uint16_t> port{0};
  std::atomic<bool> started{false};

  /// Runs `work` where the state may be touched and brings back its result.
  template <class Work>
  auto on_strand(Work work) -> result<decltype(work(std::declval<simulator&>()))> {
    if (!started || strand.running_in_this_thread()) return work(brain);
    using value = decltype(work(brain));
    auto done = std::make_shared<std::promise<value>>();
    auto answer = done->get_future();
    asio::post(strand, [self = shared_from_this(), done, work = std::move(work)]() mutable {
      done->set_value(work(self->brain));
    });
    if (answer.wait_for(answer_wait_max) != std::future_status::ready)
      return failed(errc::unavailable, "no thread runs the simulator's io_context");
    return answer.get();
  }
};

server::server(asio::io_context& io, script plan, const wall_clock& clock, std::uint16_t port)
    : core_(std::make_shared<core>(io, std::move(plan), clock, port)) {}

server::~server() {
  stop();
}

result<void> server::start() {
  const tcp::endpoint where{asio::ip::address_v4::loopback(), core_->port_wanted};
  auto& acceptor = core_->acceptor;
  error_code ec;
  acceptor.open(where.protocol(), ec);
  if (!ec) acceptor.set_option(asio::socket_base::reuse_address{true}, ec);
  if (!ec) acceptor.bind(where, ec);
  if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec)
    return failed(errc::io_failure,
                  fmt::format("cannot listen on 127.0.0.1:{}: {}", where.port(), ec.message()));
  core_->port = acceptor.local_endpoint(ec).port();
  core_->started = true;
  asio::co_spawn(core_->strand, core::listen(core_), asio::detached);
  return {};
}

void server::stop() {
  asio::dispatch(core_->strand, [self = core_] { self->shut(); });
}

std::uint16_t server::port() const {
  return core_->port;
}

std::string server::url() const {
  return fmt::format("http://127.0.0.1:{}", port());
}

result<journal_view> server::requests(std::size_t last) const {
  return core_->on_strand([last](simulator& brain) { return brain.view(last); });
}

result<void> server::reset() {
  const auto done = core_->on_strand([](simulator& brain) {
    brain.reset();
    return true;
  });
  return done ? result<void>{} : std::unexpected{done.error()};
}

result<void> server::use(script plan) {
  const auto done = core_->on_strand([plan = std::move(plan)](simulator& brain) mutable {
    brain.use(std::move(plan));
    return true;
  });
  return done ? result<void>{} : std::unexpected{done.error()};
}

struct local_server::host {
  host(script&& plan, const wall_clock& clock) : inner(io, std::move(plan), clock) {}

  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  server inner;
  std::thread runner;
};

local_server::local_server(script plan, const wall_clock& clock)
    : host_(std::make_unique<host>(std::move(plan), clock)) {
  const auto started = host_->inner.start();
  TG_ASSERT(started.has_value());
  host_->runner = std::thread{[&io = host_->io] { io.run(); }};
}

local_server::~local_server() {
  host_->inner.stop();
  host_->work.reset();
  host_->runner.join();
}

server& local_server::operator*() {
  return host_->inner;
}
server* local_server::operator->() {
  return &host_->inner;
}

}  // namespace tidegate::sim
