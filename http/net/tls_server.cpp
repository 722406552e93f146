#include "http/net/tls_server.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include "base/log.hpp"

namespace tidegate::http {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr std::chrono::seconds look_interval{2};
constexpr unsigned char protocols[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
constexpr unsigned char session_scope[] = {'t', 'i', 'd', 'e', 'g', 'a', 't', 'e'};

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, protocols, sizeof protocols, offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

/// No passphrase prompt: a server that waits for a terminal looks hung.
int no_passphrase(char*, int, int, void*) {
  return 0;
}

std::string stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "-";
  return fmt::format("{}.{}.{}.{}.{}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

result<std::shared_ptr<ssl::context>> read_files(const tls_options& files) {
  auto out = std::make_shared<ssl::context>(ssl::context::tls_server);
  auto* native = out->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_id_context(native, session_scope, sizeof session_scope);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(native, no_passphrase);
  error_code ec;
  out->use_certificate_chain_file(files.cert, ec);
  if (ec) return failed(errc::tls_failure, fmt::format("{}: {}", files.cert, ec.message()));
  out->use_private_key_file(files.key, ssl::context::pem, ec);
  if (ec) return failed(errc::tls_failure, fmt::format("{}: {}", files.key, ec.message()));
  if (SSL_CTX_check_private_key(native) != 1) {
    return failed(errc::tls_failure, fmt::format("{} is not the key of {}", files.key, files.cert));
  }
  return out;
}

}  // namespace

result<std::shared_ptr<tls_server>> tls_server::load(const tls_options& files) {
  std::shared_ptr<tls_server> out(new tls_server(files));
  out->seen_ = out->look();
  out->looked_at_ = std::chrono::steady_clock::now();
  auto made = read_files(files);
  if (!made) return std::unexpected(std::move(made.error()));
  out->context_ = std::move(*made);
  return out;
}

tls_server::version tls_server::look() const {
  return {stamp_of(files_.cert) + "/" + stamp_of(files_.key)};
}

std::shared_ptr<tls_server::context> tls_server::current() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_at_ >= look_interval) {
    looked_at_ = now;
    reload_if_changed();
  }
  return context_;
}

void tls_server::reload_if_changed() {
  auto found = look();
  if (found == seen_) return;
  seen_ = std::move(found);
  auto made = read_files(files_);
  if (!made) {
    log::warn("the changed TLS files cannot be used, the old certificate stays: {}",
              made.error().detail);
    return;
  }
  context_ = std::move(*made);
  log::info("the TLS certificate was reloaded from {}", files_.cert);
}

}  // namespace tidegate::http
