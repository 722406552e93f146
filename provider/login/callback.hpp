#pragma once
/// What a login page sends back, as a browser's request or as a person pastes it: a whole URL, its
/// query alone, or `CODE#STATE`. Anybody can send it, so that its state decides whether it counts.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"

namespace tidegate::provider::login {

inline constexpr std::size_t callback_bytes_max = 8 * 1024;
inline constexpr std::size_t state_bytes_max = 128;

struct callback {
  secret_string code;  ///< empty when there is an error
  std::string state;   ///< of `[A-Za-z0-9._-]`; empty when none came
  std::string error;   ///< the page's own code, such as `access_denied`; empty when all went well
};

/// errc::limit_exceeded: too long; errc::invalid_input: neither code nor error, a parameter twice,
/// broken escapes, or odd characters.
result<callback> parse_callback(std::string_view pasted);

/// The code, when the answer belongs to the login of this state; compared in constant time.
/// errc::invalid_input: another login's; errc::cancelled: the page reports an error, with its code.
result<secret_string> code_of(const callback& answer, const secret_string& expected_state);

}  // namespace tidegate::provider::login
