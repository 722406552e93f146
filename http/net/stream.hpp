#pragma once
/// One connected byte stream, plain TCP or TLS, with Asio's AsyncReadStream and AsyncWriteStream
/// interface. Owner: one coroutine at a time; never used from two strands at once.

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <utility>

#include "http/net/asio.hpp"

namespace tidegate::http {

class stream {
 public:
  using executor_type = tcp::socket::executor_type;
  using tls_layer = asio::ssl::stream<tcp::socket&>;

  explicit stream(tcp::socket socket) : socket_(std::make_unique<tcp::socket>(std::move(socket))) {}
  stream(stream&&) noexcept = default;
  stream& operator=(stream&&) noexcept = default;

  executor_type get_executor() { return socket_->get_executor(); }
  tcp::socket& socket() { return *socket_; }
  bool is_tls() const { return tls_ != nullptr; }

  /// Puts TLS on top; the caller does the handshake on the returned layer.
  tls_layer& start_tls(asio::ssl::context& context) {
    tls_ = std::make_unique<tls_layer>(*socket_, context);
    return *tls_;
  }
  tls_layer* tls() { return tls_.get(); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto done, const Buffers& into) {
          if (tls_) {
            tls_->async_read_some(into, std::move(done));
          } else {
            socket_->async_read_some(into, std::move(done));
          }
        },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto done, const Buffers& from) {
          if (tls_) {
            tls_->async_write_some(from, std::move(done));
          } else {
            socket_->async_write_some(from, std::move(done));
          }
        },
        token, buffers);
  }

  /// Ends both directions at once; pending operations complete with an error. Idempotent.
  void close() noexcept {
    error_code ignored;
    if (socket_) socket_->close(ignored);
  }

 private:
  std::unique_ptr<tcp::socket> socket_;  ///< at a stable address: the TLS layer refers to it
  std::unique_ptr<tls_layer> tls_;
};

}  // namespace tidegate::http
