#pragma once
/// A throw-away certificate authority for the client's TLS tests.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tests/support/scratch_directory.hpp"

namespace tidegate::http::testing {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using cert_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using context_ptr = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;

class test_ca {
 public:
  test_ca() : key_(EVP_EC_gen("P-256")) {
    cert_ = make(key_.get(), "Test CA", "critical,CA:TRUE", NID_basic_constraints, 3600);
    std::FILE* out = std::fopen(file().c_str(), "w");
    PEM_write_X509(out, cert_.get());
    std::fclose(out);
  }
  test_ca(const test_ca&) = delete;
  test_ca& operator=(const test_ca&) = delete;

  /// PEM file with the CA certificate.
  std::string file() const { return folder_ / "ca.pem"; }
  std::string write(const std::string& name, const std::string& text) const {
    folder_.put(name, text);
    return folder_ / name;
  }

  /// A server context with a certificate for `names` (`DNS:a,IP:127.0.0.1`).
  context_ptr server(const std::string& names, long lifetime_seconds = 3600) const {
    const key_ptr key(EVP_EC_gen("P-256"));
    const auto cert = make(key.get(), "leaf", names, NID_subject_alt_name, lifetime_seconds);
    context_ptr context(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(context.get(), cert.get());
    SSL_CTX_use_PrivateKey(context.get(), key.get());
    static constexpr unsigned char id[] = "test";
    SSL_CTX_set_session_id_context(context.get(), id, sizeof id);
    SSL_CTX_set_alpn_select_cb(context.get(), choose_http, nullptr);
    return context;
  }

 private:
  static int choose_http(SSL*, const unsigned char** out, unsigned char* length,
                         const unsigned char* offered, unsigned size, void*) {
    *out = offered + 1;
    *length = offered[0];
    return size > 0 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
  }

  cert_ptr make(EVP_PKEY* key, const char* name, const std::string& extension, int kind,
                long lifetime_seconds) const {
    static long serial = 1;
    cert_ptr cert(X509_new());
    X509_set_version(cert.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert.get()), -7200);
    X509_gmtime_adj(X509_getm_notAfter(cert.get()), lifetime_seconds);
    X509_set_pubkey(cert.get(), key);
    X509_NAME* subject = X509_get_subject_name(cert.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(cert.get(), cert_ ? X509_get_subject_name(cert_.get()) : subject);
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509_EXTENSION* added = X509V3_EXT_conf_nid(nullptr, &context, kind, extension.c_str());
    X509_add_ext(cert.get(), added, -1);
    X509_EXTENSION_free(added);
    X509_sign(cert.get(), key_.get(), EVP_sha256());
    return cert;
  }

  key_ptr key_;
  cert_ptr cert_;
  test::scratch_directory folder_;
};

}  // namespace tidegate::http::testing
