#pragma once
/// TLS towards upstreams and proxies: verification on, TLS 1.2 or newer, ALPN http/1.1, one
/// context per CA file, sessions kept for resumption. Any thread. errc::tls_failure.

#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"

namespace tidegate::http::upstream {

inline constexpr std::size_t tls_sessions_max = 512;  ///< per context
inline constexpr std::size_t tls_contexts_max = 16;   ///< CA files in use at a time

/// Trust anchors with the sessions that were verified against them.
class tls_context {
 public:
  tls_context();

  boost::asio::ssl::context& native() { return context_; }
  /// A copy of the last session for `peer`, or null; the caller frees it.
  SSL_SESSION* recall(const std::string& peer);
  void remember(const std::string& peer, SSL_SESSION* session);

 private:
  struct free_session {
    void operator()(SSL_SESSION* s) const { SSL_SESSION_free(s); }
  };

  boost::asio::ssl::context context_;
  std::mutex guard_;
  std::unordered_map<std::string, std::unique_ptr<SSL_SESSION, free_session>> sessions_;
};

/// Where one TLS layer leaves its new sessions; must outlive the layer.
struct session_keeper {
  session_keeper(std::shared_ptr<tls_context> into, std::string name)
      : context(std::move(into)), peer(std::move(name)) {}

  std::shared_ptr<tls_context> context;
  std::string peer;  ///< `host:port`
};

class tls_contexts {
 public:
  /// The system's trust anchors and, when `ca_file` is not empty, those in it. A changed file gives
  /// a new context. Reads files: used when a connection is made, never per request.
  result<std::shared_ptr<tls_context>> for_ca_file(const std::string& ca_file);

 private:
  struct entry {
    std::string stamp;  ///< of the file when it was read
    std::shared_ptr<tls_context> context;
  };

  std::mutex guard_;
  std::unordered_map<std::string, entry> by_file_;
};

/// Server name, host name verification and resumption for a layer before its handshake.
result<void> prepare_tls(SSL* layer, std::string_view host, session_keeper& keeper);

/// Why a handshake failed, for people.
std::string handshake_problem(SSL* layer, std::string_view peer, std::string_view otherwise);

}  // namespace tidegate::http::upstream
