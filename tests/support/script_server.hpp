#pragma once
/// Servers on 127.0.0.1 that speak in literal bytes, one thread per connection: for clients of
/// ours, as raw_http.hpp is for servers of ours.

#include <openssl/ssl.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tidegate::test {

/// What scripts saw, in order. Any thread.
class transcript {
 public:
  void add(std::string line) {
    const std::lock_guard lock(guard_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(guard_);
    return lines_;
  }
  std::size_t size() const { return all().size(); }

 private:
  mutable std::mutex guard_;
  std::vector<std::string> lines_;
};

/// The server's end of one connection. Blocking; every call answers false or short when it is over.
class peer {
 public:
  peer(int fd, SSL* tls) : fd_(fd), tls_(tls) {}
  ~peer();
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  /// Up to and with the blank line; empty when the client closed first.
  std::string read_head();
  std::string read_exactly(std::size_t n);
  /// Head and as many body bytes as its Content-Length says.
  std::string read_request();
  void send(std::string_view bytes);
  void send_bytewise(std::string_view bytes);
  /// Blocks until the client has closed; what it sent meanwhile is thrown away.
  void wait_until_closed();
  /// A TCP reset instead of an orderly end.
  void reset();
  /// Puts TLS on top of what was agreed so far; false when the handshake failed.
  bool start_tls(SSL_CTX* context);
  /// The TLS closing alert.
  void shut_tls() { SSL_shutdown(tls_); }
  bool session_reused() const { return SSL_session_reused(tls_) == 1; }
  /// No more from us; the client may still send.
  void half_close();
  /// Passes everything on, both ways, until one side ends.
  void relay_to(int port);
  std::string server_name() const;
  std::string alpn() const;
  int fd() const { return fd_; }
  void end();

 private:
  long read_some(char* into, std::size_t n);

  int fd_;
  SSL* tls_;
  std::string kept_;  ///< read beyond what was asked for
};

/// Runs `script` on its own thread for every connection, numbered from 0.
class script_server {
 public:
  using script = std::function<void(peer&, int nth)>;

  explicit script_server(script play, SSL_CTX* tls = nullptr);
  ~script_server();
  script_server(const script_server&) = delete;
  script_server& operator=(const script_server&) = delete;

  int port() const { return port_; }
  std::string url(std::string_view target = "/") const;
  std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }
  int connections() const { return accepted_; }
  /// Waits for the scripts that have started.
  void settle();

 private:
  void accept_loop();

  script play_;
  SSL_CTX* tls_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> accepted_{0};
  std::mutex guard_;
  std::list<std::thread> running_;
  std::vector<std::shared_ptr<peer>> peers_;
  std::thread acceptor_;
};

std::string simple_answer(std::string_view body, std::string_view more_headers = "");

}  // namespace tidegate::test
