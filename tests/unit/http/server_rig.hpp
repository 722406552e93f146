#pragma once
/// A real listener on a free loopback port with two I/O threads, for the server's tests.

#include <boost/asio/executor_work_guard.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/server/server.hpp"

namespace tidegate::test {

inline config::snapshot local_config() {
  config::snapshot out;
  out.server.host = "127.0.0.1";
  out.server.port = 0;
  return out;
}

/// Answers `METHOD path?query|body`.
inline http::awaitable<void> echo(http::request& call, http::responder& out,
                                  http::session_context&) {
  protocol::reply reply;
  reply.status = 200;
  reply.headers.emplace_back("Content-Type", "text/plain");
  reply.body = call.method + ' ' + call.path;
  if (!call.query.empty()) reply.body += '?' + call.query;
  reply.body += '|' + call.body;
  co_await out.send(std::move(reply));
}

class server_rig {
 public:
  explicit server_rig(config::snapshot config = local_config(), http::handler serve = echo)
      : server_rig(std::move(config), http::service{.serve = std::move(serve)}) {}
  server_rig(config::snapshot config, http::service behind)
      : work_(http::asio::make_work_guard(io_)) {
    const auto shared = std::make_shared<const config::snapshot>(std::move(config));
    behind.serve = [this, serve = std::move(behind.serve)](
                       http::request& call, http::responder& out, http::session_context& context) {
      ++handled_;
      return serve(call, out, context);
    };
    server_ = std::make_unique<http::server>(
        io_, [shared] { return shared; }, std::move(behind));
    started_ = server_->start();
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { io_.run(); });
  }
  ~server_rig() {
    stop();
    work_.reset();
    io_.stop();
    for (auto& thread : threads_) thread.join();
  }

  /// Waits until every session has ended.
  void stop() {
    std::promise<void> done;
    server_->stop([&done] { done.set_value(); });
    done.get_future().wait();
  }

  http::server& server() { return *server_; }
  std::uint16_t port() const { return server_->port(); }
  int handled() const { return handled_; }
  const result<void>& started() const { return started_; }
  http::asio::io_context& io() { return io_; }

 private:
  http::asio::io_context io_{2};
  http::asio::executor_work_guard<http::asio::io_context::executor_type> work_;
  std::atomic<int> handled_{0};
  std::unique_ptr<http::server> server_;
  result<void> started_;
  std::vector<std::thread> threads_;
};

}  // namespace tidegate::test
