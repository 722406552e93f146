#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <filesystem>

#include "base/log.hpp"
#include "http/net/tls_server.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/unit/http/server_rig.hpp"

namespace tidegate::test {
namespace {

using owned_key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using owned_certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using owned_context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using owned_tls = std::unique_ptr<SSL, decltype(&SSL_free)>;

/// A directory with `cert.pem` and `key.pem` that goes away with the test.
class certificate_files {
 public:
  /// Replaces both files by a new self-signed certificate, as a renewal tool does.
  void renew(const std::string& common_name) {
    const owned_key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const owned_certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    auto* name = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                               0);
    X509_set_issuer_name(made.get(), name);
    X509_sign(made.get(), key.get(), EVP_sha256());
    write("cert.pem", [&](BIO* out) { PEM_write_bio_X509(out, made.get()); });
    write("key.pem", [&](BIO* out) {
      PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }
  void spoil() { directory_.put("cert.pem", "not a certificate"); }

  http::tls_options options() const {
    http::tls_options out;
    out.enable = true;
    out.cert = directory_ / "cert.pem";
    out.key = directory_ / "key.pem";
    return out;
  }

 private:
  template <class Fill>
  void write(const char* name, Fill fill) {
    const auto fresh = directory_ / (std::string{name} + ".new");
    BIO* out = BIO_new_file(fresh.c_str(), "w");
    fill(out);
    BIO_free(out);
    std::filesystem::rename(fresh, directory_ / name);
  }

  scratch_directory directory_;
  long serial_ = 0;
};

/// A blocking TLS client.
class tls_client {
 public:
  explicit tls_client(std::uint16_t port, int version_max = TLS1_3_VERSION,
                      std::string alpn = "\x08http/1.1")
      : transport_(port),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        tls_(nullptr, SSL_free) {
    SSL_CTX_set_max_proto_version(context_.get(), version_max);
    if (!alpn.empty()) {
      SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                              static_cast<unsigned>(alpn.size()));
    }
    tls_.reset(SSL_new(context_.get()));
    SSL_set_fd(tls_.get(), transport_.native());
    connected_ = SSL_connect(tls_.get()) == 1;
  }

  bool connected() const { return connected_; }
  std::string subject() const {
    const owned_certificate peer(SSL_get1_peer_certificate(tls_.get()), X509_free);
    char name[256] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(peer.get()), NID_commonName, name, sizeof name);
    return name;
  }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  int version() const { return SSL_version(tls_.get()); }
  void send(const std::string& bytes) {
    SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }
  /// Until `marker` has come or the connection ends.
  std::string until(const std::string& marker) {
    std::string out;
    char bytes[4096];
    while (out.find(marker) == std::string::npos) {
      const int count = SSL_read(tls_.get(), bytes, sizeof bytes);
      if (count <= 0) break;
      out.append(bytes, static_cast<std::size_t>(count));
    }
    return out;
  }
  /// True when the peer said goodbye before it closed.
  bool closed_in_order() {
    char byte = 0;
    const int count = SSL_read(tls_.get(), &byte, 1);
    return count == 0 && SSL_get_error(tls_.get(), count) == SSL_ERROR_ZERO_RETURN;
  }
  void hang_up() { transport_.close(); }

 private:
  raw_client transport_;
  owned_context context_;
  owned_tls tls_;
  bool connected_ = false;
};

config::snapshot tls_config(const certificate_files& files) {
  auto out = local_config();
  out.server.tls = files.options();
  return out;
}

std::string subject_of(http::tls_server::context& context) {
  char name[256] = "";
  X509* leaf = SSL_CTX_get0_certificate(context.native_handle());
  X509_NAME_get_text_by_NID(X509_get_subject_name(leaf), NID_commonName, name, sizeof name);
  return name;
}

}  // namespace

TEST_CASE("requests are served over TLS 1.2 and 1.3 with ALPN") {
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  certificate_files files;
  files.renew("first.test");
  server_rig rig(tls_config(files));
  REQUIRE(rig.started());
  tls_client client(rig.port(), version);
  REQUIRE(client.connected());
  CHECK(client.version() == version);
  CHECK(client.protocol() == "http/1.1");
  CHECK(client.subject() == "first.test");
  client.send(post("/v1/messages", "one") + post("/v1/messages", "two"));
  const auto answers = client.until("messages|two");
  CHECK_THAT(answers, ContainsSubstring("messages|one"));
  const std::string large(300'000, 'l');
  client.send(post("/large", large));
  CHECK(client.until("lll").size() > 0);
}

TEST_CASE("a TLS connection that ends by agreement says so") {
  certificate_files files;
  files.renew("first.test");
  server_rig rig(tls_config(files));
  tls_client client(rig.port());
  client.send(get("/x", "Connection: close\r\n"));
  CHECK_THAT(client.until("GET /x|"), ContainsSubstring("GET /x|"));
  CHECK(client.closed_in_order());
}

TEST_CASE("old versions, other protocols and plain text are refused without harm") {
  certificate_files files;
  files.renew("first.test");
  server_rig rig(tls_config(files));
  CHECK_FALSE(tls_client(rig.port(), TLS1_1_VERSION).connected());
  CHECK_FALSE(tls_client(rig.port(), TLS1_3_VERSION, "\x02h2").connected());
  CHECK(tls_client(rig.port(), TLS1_3_VERSION, "").connected());
  raw_client plain(rig.port());
  plain.send(get("/x"));
  plain.rest();
  tls_client after(rig.port());
  after.send(get("/x"));
  CHECK_THAT(after.until("GET /x|"), ContainsSubstring(" 200 "));
}

TEST_CASE("a TLS client that hangs up while the handler waits is noticed") {
  certificate_files files;
  files.renew("first.test");
  std::promise<void> gone;
  std::promise<void> waiting;
  server_rig rig(tls_config(files),
                 [&](http::request&, http::responder& out,
                     http::session_context& context) -> http::awaitable<void> {
                   http::asio::steady_timer timer(context.on);
                   timer.expires_at(std::chrono::steady_clock::time_point::max());
                   out.watch_client([&] {
                     gone.set_value();
                     timer.cancel();
                   });
                   waiting.set_value();
                   co_await timer.async_wait(http::no_throw);
                 });
  tls_client client(rig.port());
  client.send(get("/x"));
  waiting.get_future().wait();
  client.hang_up();
  gone.get_future().wait();
  SUCCEED();
}

TEST_CASE("changed certificate files are used for new connections") {
  certificate_files files;
  files.renew("first.test");
  auto loaded = http::tls_server::load(files.options());
  REQUIRE(loaded);
  auto& server = **loaded;
  const auto before = server.current();
  CHECK(subject_of(*before) == "first.test");
  files.renew("second.test");
  server.reload_if_changed();
  CHECK(subject_of(*server.current()) == "second.test");
  CHECK(subject_of(*before) == "first.test");
}

TEST_CASE("broken certificate files keep the old certificate and warn once") {
  certificate_files files;
  files.renew("first.test");
  auto loaded = http::tls_server::load(files.options());
  REQUIRE(loaded);
  auto& server = **loaded;
  int warnings = 0;
  log::observe([&](log::level at, std::string_view) { warnings += at == log::level::warn; });
  files.spoil();
  server.reload_if_changed();
  server.reload_if_changed();
  CHECK(subject_of(*server.current()) == "first.test");
  CHECK(warnings == 1);
  files.renew("second.test");
  server.reload_if_changed();
  log::observe(nullptr);
  CHECK(subject_of(*server.current()) == "second.test");
  CHECK(warnings == 1);
}

TEST_CASE("a listener with unusable certificate files does not start and says why") {
  certificate_files files;
  SECTION("missing") {}
  SECTION("broken") {
    files.renew("first.test");
    files.spoil();
  }
  SECTION("another key") {
    files.renew("first.test");
    certificate_files other;
    other.renew("other.test");
    std::filesystem::copy_file(other.options().key, files.options().key,
                               std::filesystem::copy_options::overwrite_existing);
  }
  server_rig rig(tls_config(files));
  REQUIRE_FALSE(rig.started());
  CHECK(rig.started().error().code == errc::tls_failure);
  const std::string cert = files.options().cert;
  CHECK_THAT(rig.started().error().detail, ContainsSubstring(cert.substr(0, cert.rfind('/'))));
}

}  // namespace tidegate::test
