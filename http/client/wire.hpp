#pragma once
/// A stream as the client needs it: TCP, TLS, or TLS to the origin inside TLS to an https proxy.
/// Owner: one connection. Asio's AsyncReadStream and AsyncWriteStream interface.

#include <openssl/ssl.h>

#include <memory>
#include <utility>

#include "http/net/stream.hpp"

namespace tidegate::http::upstream {

class wire {
 public:
  using executor_type = stream::executor_type;
  using outer_layer = stream::tls_layer;
  using inner_layer = asio::ssl::stream<outer_layer&>;

  explicit wire(tcp::socket socket) : base_(std::move(socket)) {}

  executor_type get_executor() { return base_.get_executor(); }
  tcp::socket& socket() { return base_.socket(); }

  outer_layer* outer() { return base_.tls(); }
  outer_layer& start_outer(asio::ssl::context& context) { return base_.start_tls(context); }
  /// Only on top of outer().
  inner_layer& start_inner(asio::ssl::context& context) {
    inner_ = std::make_unique<inner_layer>(*base_.tls(), context);
    return *inner_;
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& into, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto done, const Buffers& buffers) {
          if (inner_) {
            inner_->async_read_some(buffers, std::move(done));
          } else {
            base_.async_read_some(buffers, std::move(done));
          }
        },
        token, into);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& from, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto done, const Buffers& buffers) {
          if (inner_) {
            inner_->async_write_some(buffers, std::move(done));
          } else {
            base_.async_write_some(buffers, std::move(done));
          }
        },
        token, from);
  }

  /// True when a TLS layer holds decrypted bytes that nobody asked for.
  bool has_decrypted_leftovers() {
    if (inner_ && SSL_pending(inner_->native_handle()) > 0) return true;
    return base_.tls() != nullptr && !inner_ && SSL_pending(base_.tls()->native_handle()) > 0;
  }

  /// Ends both directions at once. TLS counts as shut down, so that its session stays resumable.
  void close() noexcept {
    if (inner_) shut(inner_->native_handle());
    if (base_.tls()) shut(base_.tls()->native_handle());
    base_.close();
  }

 private:
  static void shut(SSL* layer) {
    SSL_set_shutdown(layer, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }

  stream base_;
  std::unique_ptr<inner_layer> inner_;
};

}  // namespace tidegate::http::upstream
