#include "bench/sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tidegate::bench {
namespace {

constexpr std::uint64_t timer_token = ~std::uint64_t{0};
constexpr int backlog = 4096;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void switch_on(int socket, int level, int option) {
  const int on = 1;
  setsockopt(socket, level, option, &on, sizeof on);
}

io failed_how() { return errno == EAGAIN || errno == EINTR ? io::blocked : io::ended; }

timespec absolute(steady::time_point when) {
  const auto since = std::max(when.time_since_epoch(), steady::duration{1});
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  return {.tv_sec = seconds.count(), .tv_nsec = (since - seconds).count()};
}

}  // namespace

void give_up(std::string_view what) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(what.size()), what.data(),
               std::strerror(errno));
  std::exit(1);
}

descriptor::descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

descriptor::~descriptor() { close(); }

void descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

descriptor listen_on(std::uint16_t port) {
  descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket.is_open()) give_up("socket");
  switch_on(socket.number(), SOL_SOCKET, SO_REUSEADDR);
  const auto address = loopback(port);
  if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    give_up("bind");
  }
  if (listen(socket.number(), backlog) != 0) give_up("listen");
  return socket;
}

std::uint16_t port_of(const descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    give_up("getsockname");
  }
  return ntohs(address.sin_port);
}

descriptor connect_to(std::uint16_t port) {
  descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket.is_open()) give_up("socket");
  switch_on(socket.number(), IPPROTO_TCP, TCP_NODELAY);
  const auto address = loopback(port);
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket.number(), plain, sizeof address) != 0 && errno != EINPROGRESS) return {};
  return socket;
}

descriptor accept_from(const descriptor& listener) {
  descriptor socket{accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (socket.is_open()) switch_on(socket.number(), IPPROTO_TCP, TCP_NODELAY);
  return socket;
}

io read_some(const descriptor& from, std::span<char> into, std::size_t& size) {
  const auto count = recv(from.number(), into.data(), into.size(), 0);
  size = count > 0 ? static_cast<std::size_t>(count) : 0;
  if (count == 0) return io::ended;
  return count > 0 ? io::moved : failed_how();
}

io write_some(const descriptor& to, std::string_view bytes, std::size_t& size) {
  const auto count = send(to.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  size = count > 0 ? static_cast<std::size_t>(count) : 0;
  if (count < 0 && errno == ENOTCONN) return io::blocked;
  return count >= 0 ? io::moved : failed_how();
}

poller::poller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!epoll_.is_open() || !timer_.is_open()) give_up("epoll");
  add(timer_, timer_token);
}

void poller::add(const descriptor& what, std::uint64_t token) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = token;
  if (epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, what.number(), &event) != 0) give_up("epoll_ctl");
}

std::span<const epoll_event> poller::wait_until(steady::time_point when) {
  const itimerspec spec{.it_interval = {}, .it_value = absolute(when)};
  timerfd_settime(timer_.number(), TFD_TIMER_ABSTIME, &spec, nullptr);
  const int count = epoll_wait(epoll_.number(), events_, events_max, -1);
  if (count < 0 && errno != EINTR) give_up("epoll_wait");
  auto* const end = std::remove_if(events_, events_ + std::max(count, 0), [](const auto& event) {
    return event.data.u64 == timer_token;
  });
  return {events_, static_cast<std::size_t>(end - events_)};
}

}  // namespace tidegate::bench
