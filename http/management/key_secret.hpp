#pragma once
/// The management key as the configuration holds it: plain text or a bcrypt hash, and how a
/// presented key is held against either. Pure; any thread.

#include <array>
#include <cstdint>
#include <string_view>

namespace tidegate::http {

/// A hash above this cost would keep a core busy for seconds per check and is not used.
inline constexpr int bcrypt_cost_max = 14;

enum class secret_form : std::uint8_t {
  plain,
  bcrypt,    ///< $2a$, $2b$ or $2y$
  unusable,  ///< begins like a bcrypt hash, but is none or costs too much: no key matches it
};

secret_form form_of(std::string_view configured);

/// Computes the hash; tens of milliseconds and more of processor time.
bool bcrypt_matches(std::string_view presented, std::string_view hash);

using key_mark = std::array<unsigned char, 32>;

/// HMAC-SHA256 under a random key of this object. Equal marks mean equal pairs of texts, and
/// nothing about the texts can be learnt from a mark without the object.
class marker {
 public:
  marker();
  ~marker();
  marker(const marker&) = delete;
  marker& operator=(const marker&) = delete;

  key_mark of(std::string_view first, std::string_view second) const;

 private:
  std::array<unsigned char, 32> key_{};
};

/// Takes the same time wherever the first difference is.
bool same(const key_mark& a, const key_mark& b);

}  // namespace tidegate::http
