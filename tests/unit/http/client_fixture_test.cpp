#include "tests/unit/http/client_fixture.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <filesystem>

#include "base/text.hpp"

namespace tidegate::http::testing {

std::optional<std::string> answer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

void running::cancel() {
  call_->cancel();
}

harness::harness() : client_(io_) {
  options.connect_timeout = std::chrono::seconds(20);
  options.header_timeout = std::chrono::seconds(20);
  options.first_byte_timeout = std::chrono::seconds(20);
  options.idle_timeout = std::chrono::seconds(20);
}

harness::~harness() {
  client_.stop();
  io_.poll();
}

awaitable<void> harness::drive(std::shared_ptr<running> call, int pieces_max) {
  auto& got = call->got;
  auto sent = co_await call->call_->send(call->request_);
  if (!sent) {
    got.failure = sent.error();
    call->finished = true;
    co_return;
  }
  auto& response = call->response_;
  response = std::move(*sent);
  got.status = response->status();
  got.length = response->content_length();
  response->each_header([&](std::string_view name, std::string_view value) {
    got.headers.emplace_back(name, value);
  });
  got.head = true;
  while (got.pieces != pieces_max) {
    const auto piece = co_await response->read();
    if (!piece) {
      got.failure = piece.error();
      break;
    }
    if (piece->empty()) break;
    got.body.append(*piece);
    got.pieces += 1;
  }
  response.reset();
  call->finished = true;
}

std::shared_ptr<running> harness::begin(provider::upstream_request request, int pieces_max) {
  auto call = std::make_shared<running>();
  call->request_ = std::move(request);
  const auto on = asio::make_strand(io_.get_executor());
  call->timeouts_ = std::make_unique<watchdog>(on);
  call->call_ = client_.prepare(options, secret_string(proxy), *call->timeouts_, on);
  asio::co_spawn(on, drive(call, pieces_max), asio::detached);
  return call;
}

std::shared_ptr<running> harness::begin_get(const std::string& url, int pieces_max) {
  return begin(get_request(url), pieces_max);
}

void harness::run_until(const std::function<bool()>& reached) {
  io_.restart();
  while (!reached() && io_.run_one() > 0) {
  }
}

void harness::finish(running& call) {
  run_until([&] { return call.finished; });
}

answer harness::send(provider::upstream_request request) {
  const auto call = begin(std::move(request));
  finish(*call);
  return call->got;
}

answer harness::get(const std::string& url) {
  return send(get_request(url));
}

awaitable<void> harness::drive_many(std::string url, int calls, std::string_view expected,
                                    std::atomic<int>& good, strand on) {
  watchdog timeouts(on);
  for (int i = 0; i < calls; ++i) {
    const auto request = get_request(url);
    const auto call = client_.prepare(options, secret_string(proxy), timeouts, on);
    auto sent = co_await call->send(request);
    if (!sent) continue;
    std::string body;
    for (;;) {
      const auto piece = co_await (*sent)->read();
      if (!piece || piece->empty()) break;
      body.append(*piece);
    }
    if (body == expected) good += 1;
  }
}

int harness::hammer(const std::string& url, int callers, int per_caller,
                    std::string_view expected) {
  std::atomic<int> good{0};
  for (int i = 0; i < callers; ++i) {
    const auto on = asio::make_strand(io_.get_executor());
    asio::co_spawn(on, drive_many(url, per_caller, expected, good, on), asio::detached);
  }
  io_.restart();
  std::thread second([this] { io_.run(); });
  io_.run();
  second.join();
  return good;
}

provider::upstream_request get_request(const std::string& url) {
  provider::upstream_request out;
  out.method = "GET";
  out.url = url;
  return out;
}

provider::upstream_request post_request(const std::string& url, std::string_view body) {
  provider::upstream_request out;
  out.url = url;
  out.body.push_back(body);
  return out;
}

std::size_t open_descriptors() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace tidegate::http::testing
