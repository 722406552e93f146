#include "base/secret_string.hpp"

#include <openssl/crypto.h>

namespace tidegate {

secret_string::~secret_string() {
  if (!value_.empty()) OPENSSL_cleanse(value_.data(), value_.size());
}

std::string secret_string::masked() const {
  if (value_.size() < 16) return "********";
  return value_.substr(0, 4) + "..." + value_.substr(value_.size() - 4);
}

bool secret_string::equals(std::string_view other) const noexcept {
  return value_.size() == other.size() &&
         CRYPTO_memcmp(value_.data(), other.data(), other.size()) == 0;
}

}  // namespace tidegate
