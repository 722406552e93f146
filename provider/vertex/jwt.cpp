#include "provider/vertex/jwt.hpp"

#include "base/base64.hpp"
#include "base/endpoint.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace tidegate::provider::vertex {

namespace {

constexpr std::string_view cloud_scope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::chrono::seconds lifetime{3600};
constexpr std::size_t key_bytes_max = 16 * 1024;
constexpr int key_bits_min = 2048;

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using bio_ptr = std::unique_ptr<BIO, decltype(&BIO_free)>;
using digest_ptr = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

std::unexpected<error> refused(std::string detail) {
  ERR_clear_error();
  return failed(errc::invalid_input, std::move(detail));
}

/// Without it OpenSSL would ask for a password at the terminal.
int no_password(char*, int, int, void*) {
  return -1;
}

result<key_ptr> key_of(std::string_view pem) {
  if (pem.size() > key_bytes_max) return refused("`private_key` is too large");
  const bio_ptr text{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free};
  key_ptr key{text ? PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr) : nullptr,
              EVP_PKEY_free};
  if (!key) return refused("`private_key` is no PEM private key without a password");
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return refused("`private_key` is no RSA key");
  }
  if (EVP_PKEY_get_bits(key.get()) < key_bits_min) {
    return refused("`private_key` has less than 2048 bits");
  }
  return key;
}

result<key_ptr> signing_key_of(const service_account& who) {
  if (who.client_email.empty()) return refused("`client_email` is missing");
  if (who.private_key.empty()) return refused("`private_key` is missing");
  if (!is_protected_url(who.token_uri)) {
    return refused("`token_uri` must be an https URL or a loopback one");
  }
  return key_of(who.private_key.reveal());
}

result<std::string> signature(EVP_PKEY* key, std::string_view text) {
  const digest_ptr digest{EVP_MD_CTX_new(), EVP_MD_CTX_free};
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  std::string out;
  bool done = digest &&
              EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
              EVP_DigestSign(digest.get(), nullptr, &size, bytes, text.size()) == 1;
  if (done) {
    out.resize(size);
    auto* into = reinterpret_cast<unsigned char*>(out.data());
    done = EVP_DigestSign(digest.get(), into, &size, bytes, text.size()) == 1;
  }
  if (!done) return refused("`private_key` cannot sign");
  out.resize(size);
  return out;
}

std::string part(const nlohmann::ordered_json& object) {
  return base64url(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

result<void> can_sign(const service_account& who) {
  const auto key = signing_key_of(who);
  if (!key) return std::unexpected{key.error()};
  return {};
}

result<secret_string> signed_assertion(const service_account& who, instant now) {
  const auto key = signing_key_of(who);
  if (!key) return std::unexpected{key.error()};

  nlohmann::ordered_json head{{"alg", "RS256"}, {"typ", "JWT"}};
  if (!who.private_key_id.empty()) head["kid"] = who.private_key_id;
  const auto issued = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const nlohmann::ordered_json claims{{"iss", who.client_email},
                                      {"scope", cloud_scope},
                                      {"aud", who.token_uri},
                                      {"iat", issued.count()},
                                      {"exp", (issued + lifetime).count()}};
  std::string text = part(head) + "." + part(claims);
  const auto sealed = signature(key->get(), text);
  if (!sealed) return std::unexpected{sealed.error()};
  return secret_string{std::move(text) + "." + base64url(*sealed)};
}

}  // namespace tidegate::provider::vertex
