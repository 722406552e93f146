#pragma once
/// An RSA private key as Google's service account keys hold one; new in every run.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>
#include <string>

namespace tidegate::test {

/// PKCS #8; with a password it is encrypted.
inline std::string pem_of(EVP_PKEY* key, const std::string& password = {}) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), BIO_free};
  const bool sealed = !password.empty();
  if (PEM_write_bio_PKCS8PrivateKey(out.get(), key, sealed ? EVP_aes_128_cbc() : nullptr,
                                    sealed ? password.data() : nullptr,
                                    static_cast<int>(password.size()), nullptr, nullptr) != 1) {
    return {};
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

inline EVP_PKEY* signing_key() {
  static const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_RSA_gen(2048),
                                                                       EVP_PKEY_free};
  return key.get();
}

inline const std::string& signing_key_pem() {
  static const std::string pem = pem_of(signing_key());
  return pem;
}

}  // namespace tidegate::test
