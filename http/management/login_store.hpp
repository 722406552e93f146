#pragma once
/// The ends of logins over management: what they brought becomes a credential file.

#include "http/exchange/services.hpp"
#include "http/login/terms.hpp"
#include "provider/login/account_file.hpp"
#include "provider/token.hpp"

namespace tidegate::http::management {

/// Writes a new account; a file of its name keeps its settings. Errors are the desk's.
awaitable<result<void>> store_account(services& with, provider::login::account_file made);

struct login_end {
  std::string state;
  std::string peer;
  login::login_terms with;
  provider::fresh_tokens tokens;
};

/// Stores the tokens and notes how the login ended. errc::cancelled: it was cancelled meanwhile.
awaitable<result<void>> end_login(services& with, login_end end);

}  // namespace tidegate::http::management
