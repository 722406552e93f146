#pragma once
/// A login in a browser (RFC 6749 4.1 with PKCE): begun here, answered wherever the answer comes
/// in, and exchanged for tokens. Who waits for the answer and how long is the caller's business.

#include <string>

#include "http/login/terms.hpp"
#include "provider/login/pkce.hpp"
#include "provider/token.hpp"

namespace tidegate::http::login {

/// A login that has begun. `state` ties the answer to it.
struct code_login {
  provider::login::pkce proof;
  secret_string state;
  std::string url;           ///< the page to open
  std::string redirect_uri;  ///< where that page sends the browser
};

/// errc::invalid_input: the provider has no such login, or its address is not protected.
result<code_login> begin_code_login(const login_terms& with);

/// Tokens for the code of this login's answer, asked for once: a code works once. errc::cancelled:
/// the provider says no; errc::unavailable: no usable answer.
awaitable<result<provider::fresh_tokens>> exchange_code(login_terms with, code_login login,
                                                        secret_string code);

}  // namespace tidegate::http::login
