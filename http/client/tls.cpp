#include "http/client/tls.hpp"

#include <fmt/format.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <boost/asio/ip/address.hpp>

namespace tidegate::http::upstream {

namespace {

int keeper_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int keep_session(SSL* layer, SSL_SESSION* session) {
  auto* keeper = static_cast<session_keeper*>(SSL_get_ex_data(layer, keeper_index()));
  try {
    if (keeper) keeper->context->remember(keeper->peer, session);
  } catch (const std::exception&) {
    return 0;  // resumption is a saving, not a need
  }
  return 0;
}

/// Changes when the file does; empty for no file.
result<std::string> stamp_of(const std::string& file) {
  if (file.empty()) return std::string{};
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) {
    return failed(errc::tls_failure, fmt::format("ca-file {} cannot be read", file));
  }
  return fmt::format("{} {} {} {}", about.st_ino, about.st_size, about.st_mtim.tv_sec,
                     about.st_mtim.tv_nsec);
}

}  // namespace

tls_context::tls_context() : context_(boost::asio::ssl::context::tls_client) {
  auto* native = context_.native_handle();
  static constexpr unsigned char alpn[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_alpn_protos(native, alpn, sizeof alpn);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(native, keep_session);
}

SSL_SESSION* tls_context::recall(const std::string& peer) {
  const std::lock_guard lock(guard_);
  const auto found = sessions_.find(peer);
  return found == sessions_.end() ? nullptr : SSL_SESSION_dup(found->second.get());
}

void tls_context::remember(const std::string& peer, SSL_SESSION* session) {
  // A copy, because closing without a TLS shutdown marks the connection's own one unusable.
  std::unique_ptr<SSL_SESSION, free_session> copy(SSL_SESSION_dup(session));
  if (!copy) return;
  const std::lock_guard lock(guard_);
  if (sessions_.size() >= tls_sessions_max && !sessions_.contains(peer)) {
    sessions_.erase(sessions_.begin());
  }
  sessions_.insert_or_assign(peer, std::move(copy));
}

result<std::shared_ptr<tls_context>> tls_contexts::for_ca_file(const std::string& ca_file) {
  const auto stamp = stamp_of(ca_file);
  if (!stamp) return std::unexpected(stamp.error());
  const std::lock_guard lock(guard_);
  const auto found = by_file_.find(ca_file);
  if (found != by_file_.end() && found->second.stamp == *stamp) return found->second.context;

  std::shared_ptr<tls_context> made;
  boost::system::error_code ec;
  try {
    made = std::make_shared<tls_context>();
  } catch (const std::exception& e) {
    return failed(errc::tls_failure, fmt::format("TLS cannot be set up: {}", e.what()));
  }
  made->native().set_default_verify_paths(ec);
  if (ec) return failed(errc::tls_failure, "the system's trust anchors cannot be read");
  if (!ca_file.empty()) made->native().load_verify_file(ca_file, ec);
  if (ec) {
    return failed(errc::tls_failure,
                  fmt::format("ca-file {} holds no certificate: {}", ca_file, ec.message()));
  }
  if (by_file_.size() >= tls_contexts_max) by_file_.clear();
  entry& kept = by_file_[ca_file];
  kept.stamp = *stamp;
  kept.context = made;
  return made;
}

result<void> prepare_tls(SSL* layer, std::string_view host, session_keeper& keeper) {
  const std::string name(host);
  boost::system::error_code not_an_address;
  const auto address = boost::asio::ip::make_address(name, not_an_address);
  static_cast<void>(address);
  int ok = 0;
  if (not_an_address) {
    SSL_set_hostflags(layer, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    ok = SSL_set1_host(layer, name.c_str()) == 1 &&
         SSL_set_tlsext_host_name(layer, name.c_str()) == 1;
  } else {
    ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(layer), name.c_str()) == 1;
  }
  if (ok == 0 || SSL_set_ex_data(layer, keeper_index(), &keeper) != 1) {
    return failed(errc::tls_failure, fmt::format("TLS cannot be set up for {}", keeper.peer));
  }
  if (auto* session = keeper.context->recall(keeper.peer)) {
    SSL_set_session(layer, session);
    SSL_SESSION_free(session);
  }
  return {};
}

std::string handshake_problem(SSL* layer, std::string_view peer, std::string_view otherwise) {
  const long verdict = SSL_get_verify_result(layer);
  if (verdict == X509_V_OK) return fmt::format("TLS handshake with {} failed: {}", peer, otherwise);
  return fmt::format("the certificate of {} is not accepted: {}", peer,
                     X509_verify_cert_error_string(verdict));
}

}  // namespace tidegate::http::upstream
