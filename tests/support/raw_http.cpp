#include "tests/support/raw_http.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace tidegate::test {
namespace {

constexpr int patience_seconds = 10;

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string raw_response::field(const std::string& lower_name) const {
  if (fields.count(lower_name) != 1) return {};
  return fields.find(lower_name)->second;
}

raw_client::raw_client(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  timeval patience{patience_seconds, 0};
  const int on = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect to the server under test");
  }
}

raw_client::~raw_client() {
  close();
}

bool raw_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool raw_client::fill() {
  char bytes[16 * 1024];
  const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> raw_client::line() {
  for (;;) {
    const auto end = buffer_.find("\r\n");
    if (end != std::string::npos) {
      std::string out = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return out;
    }
    if (!fill()) return std::nullopt;
  }
}

bool raw_client::take(std::size_t count, std::string& into) {
  while (buffer_.size() < count) {
    if (fill()) continue;
    into += std::exchange(buffer_, {});
    return false;
  }
  into.append(buffer_, 0, count);
  buffer_.erase(0, count);
  return true;
}

void raw_client::receive_chunks(raw_response& out) {
  for (;;) {
    const auto size_line = line();
    if (!size_line) return;
    const auto size = std::strtoull(size_line->c_str(), nullptr, 16);
    if (size > 0) {
      ++out.chunks;
      if (!take(size, out.body)) return;
    }
    const auto end = line();
    if (!end || !end->empty()) return;
    if (size == 0) {
      out.complete = true;
      return;
    }
  }
}

raw_response raw_client::receive(bool to_head) {
  raw_response out;
  const auto status = line();
  if (!status || !status->starts_with("HTTP/1.1 ")) return out;
  out.head = *status + "\r\n";
  for (;;) {
    const auto text = line();
    if (!text) return out;
    if (text->empty()) break;
    out.head += *text + "\r\n";
    const auto colon = text->find(": ");
    if (colon == std::string::npos) return out;
    out.fields.emplace(lowered(text->substr(0, colon)), text->substr(colon + 2));
  }
  out.status = std::atoi(status->c_str() + 9);
  const bool bare = to_head || out.status < 200 || out.status == 204 || out.status == 304;
  if (bare) {
    out.complete = true;
  } else if (out.field("transfer-encoding") == "chunked") {
    receive_chunks(out);
  } else if (const auto length = out.field("content-length"); !length.empty()) {
    out.complete = take(std::strtoull(length.c_str(), nullptr, 10), out.body);
  } else {
    out.body = rest();
    out.complete = true;
  }
  return out;
}

std::string raw_client::some() {
  if (buffer_.empty()) fill();
  return std::exchange(buffer_, {});
}

bool raw_client::closed() {
  return buffer_.empty() && !fill();
}

std::string raw_client::rest() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

void raw_client::half_close() {
  ::shutdown(socket_, SHUT_WR);
}

void raw_client::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

std::string get(std::string_view path, std::string_view extra) {
  std::string out = "GET ";
  out += path;
  out += " HTTP/1.1\r\nHost: tidegate.test\r\n";
  out += extra;
  return out + "\r\n";
}

std::string post(std::string_view path, std::string_view body, std::string_view extra) {
  std::string out = "POST ";
  out += path;
  out += " HTTP/1.1\r\nHost: tidegate.test\r\nContent-Length: " + std::to_string(body.size());
  out += "\r\n";
  out += extra;
  out += "\r\n";
  out += body;
  return out;
}

}  // namespace tidegate::test
