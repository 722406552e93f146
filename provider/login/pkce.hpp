#pragma once
/// What ties a login's answer to its beginning: a verifier whose hash the login page gets (RFC
/// 7636, S256), and a state that comes back with the answer.

#include <string>
#include <string_view>

#include "base/secret_string.hpp"

namespace tidegate::provider::login {

inline constexpr std::size_t pkce_random_bytes = 96;
inline constexpr std::size_t state_random_bytes = 16;

struct pkce {
  secret_string verifier;  ///< 128 characters
  std::string challenge;
};

/// `random`: pkce_random_bytes unpredictable bytes.
pkce make_pkce(std::string_view random);

/// 32 hex digits of state_random_bytes unpredictable bytes.
std::string make_state(std::string_view random);

}  // namespace tidegate::provider::login
