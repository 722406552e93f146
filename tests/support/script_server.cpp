#include "tests/support/script_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace tidegate::test {

peer::~peer() {
  end();
}

void peer::end() {
  if (tls_) {
    SSL_free(tls_);
    tls_ = nullptr;
  }
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

long peer::read_some(char* into, std::size_t n) {
  if (tls_) return SSL_read(tls_, into, static_cast<int>(n));
  return ::recv(fd_, into, n, 0);
}

std::string peer::read_head() {
  for (;;) {
    if (const auto end = kept_.find("\r\n\r\n"); end != std::string::npos) {
      std::string head = kept_.substr(0, end + 4);
      kept_.erase(0, end + 4);
      return head;
    }
    char piece[4096];
    const auto n = read_some(piece, sizeof piece);
    if (n <= 0) return {};
    kept_.append(piece, static_cast<std::size_t>(n));
  }
}

std::string peer::read_exactly(std::size_t n) {
  while (kept_.size() < n) {
    char piece[4096];
    const auto got = read_some(piece, sizeof piece);
    if (got <= 0) break;
    kept_.append(piece, static_cast<std::size_t>(got));
  }
  std::string out = kept_.substr(0, n);
  kept_.erase(0, out.size());
  return out;
}

std::string peer::read_request() {
  std::string head = read_head();
  const auto at = head.find("Content-Length: ");
  if (at == std::string::npos) return head;
  return head + read_exactly(std::stoul(head.substr(at + 16)));
}

void peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long n = tls_ ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                        : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void peer::send_bytewise(std::string_view bytes) {
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on);
  for (const char& byte : bytes) send({&byte, 1});
}

void peer::wait_until_closed() {
  char piece[65536];
  while (read_some(piece, sizeof piece) > 0) {
  }
}

void peer::reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  end();
}

bool peer::start_tls(SSL_CTX* context) {
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, fd_);
  return SSL_accept(tls_) == 1;
}

void peer::half_close() {
  ::shutdown(fd_, SHUT_WR);
}

void peer::relay_to(int port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(other, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return;
  peer target(other, nullptr);
  char piece[16384];
  for (;;) {
    pollfd both[] = {{fd_, POLLIN, 0}, {other, POLLIN, 0}};
    if (SSL_pending(tls_) == 0) ::poll(both, 2, -1);
    if (SSL_pending(tls_) > 0 || both[0].revents != 0) {
      const auto n = read_some(piece, sizeof piece);
      if (n <= 0) return;
      target.send({piece, static_cast<std::size_t>(n)});
    }
    if (both[1].revents != 0) {
      const auto n = target.read_some(piece, sizeof piece);
      if (n <= 0) return;
      send({piece, static_cast<std::size_t>(n)});
    }
  }
}

std::string peer::server_name() const {
  const char* name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
  return name ? name : "";
}

std::string peer::alpn() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(tls_, &name, &length);
  return {reinterpret_cast<const char*>(name), length};
}

script_server::script_server(script play, SSL_CTX* tls) : play_(std::move(play)), tls_(tls) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), size) != 0 ||
      ::listen(listener_, 512) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    throw std::runtime_error("no listening socket");
  }
  port_ = ntohs(at.sin_port);
  acceptor_ = std::thread([this] { accept_loop(); });
}

script_server::~script_server() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard lock(guard_);
    for (const auto& p : peers_) {
      if (p->fd() >= 0) ::shutdown(p->fd(), SHUT_RDWR);
    }
  }
  settle();
}

void script_server::settle() {
  std::list<std::thread> ended;
  {
    const std::lock_guard lock(guard_);
    ended.swap(running_);
  }
  for (auto& thread : ended) thread.join();
}

void script_server::accept_loop() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const auto client = std::make_shared<peer>(fd, nullptr);
    const std::lock_guard lock(guard_);
    const int nth = accepted_++;
    peers_.push_back(client);
    running_.emplace_back([this, client, nth] {
      if (!tls_ || client->start_tls(tls_)) play_(*client, nth);
      const std::lock_guard ending(guard_);
      std::erase(peers_, client);
      client->end();
    });
  }
}

std::string script_server::url(std::string_view target) const {
  return fmt::format("{}://127.0.0.1:{}{}", tls_ ? "https" : "http", port_, target);
}

std::string simple_answer(std::string_view body, std::string_view more_headers) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{}\r\n{}", body.size(), more_headers,
                     body);
}

}  // namespace tidegate::test
