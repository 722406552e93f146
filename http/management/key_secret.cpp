#include "http/management/key_secret.hpp"

#include "base/error.hpp"
#include "base/secret_string.hpp"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <memory>
#include <string>

namespace tidegate::http {
namespace {

constexpr std::size_t bcrypt_size = 60;
constexpr int bcrypt_cost_min = 4;

struct wiped {
  void operator()(crypt_data* state) const {
    OPENSSL_cleanse(state, sizeof *state);
    delete state;
  }
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

secret_form form_of(std::string_view configured) {
  const auto head = configured.substr(0, 4);
  if (head != "$2a$" && head != "$2b$" && head != "$2y$") return secret_form::plain;
  if (configured.size() != bcrypt_size || !is_digit(configured[4]) || !is_digit(configured[5]) ||
      configured[6] != '$') {
    return secret_form::unusable;
  }
  const int cost = (configured[4] - '0') * 10 + (configured[5] - '0');
  return cost >= bcrypt_cost_min && cost <= bcrypt_cost_max ? secret_form::bcrypt
                                                            : secret_form::unusable;
}

bool bcrypt_matches(std::string_view presented, std::string_view hash) {
  if (presented.find('\0') != std::string_view::npos) return false;
  const secret_string phrase{std::string{presented}};
  const secret_string setting{std::string{hash}};
  const std::unique_ptr<crypt_data, wiped> state{new crypt_data{}};
  // The views end where their strings do, so both are terminated.
  const char* computed = crypt_r(phrase.reveal().data(), setting.reveal().data(), state.get());
  return computed != nullptr && computed[0] != '*' && setting.equals(computed);
}

marker::marker() {
  const bool random = RAND_bytes(key_.data(), static_cast<int>(key_.size())) == 1;
  TG_ASSERT(random);
}

marker::~marker() {
  OPENSSL_cleanse(key_.data(), key_.size());
}

key_mark marker::of(std::string_view first, std::string_view second) const {
  // The length in front keeps ("ab", "c") apart from ("a", "bc").
  std::string joined = std::to_string(first.size());
  joined.reserve(joined.size() + 1 + first.size() + second.size());
  joined.append(1, ':').append(first).append(second);
  const secret_string text{std::move(joined)};
  key_mark out{};
  unsigned size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.reveal().data());
  const bool made = HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), bytes,
                         text.reveal().size(), out.data(), &size) != nullptr;
  TG_ASSERT(made && size == out.size());
  return out;
}

bool same(const key_mark& a, const key_mark& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tidegate::http
