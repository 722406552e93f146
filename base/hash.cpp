#include "base/hash.hpp"

#include <openssl/evp.h>

#include <array>

#include "base/error.hpp"

namespace tidegate {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int ok = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  TG_ASSERT(ok == 1);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string sha256_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : sha256(bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(digits[byte >> 4]);
    hex.push_back(digits[byte & 15]);
  }
  return hex;
}

}  // namespace tidegate
