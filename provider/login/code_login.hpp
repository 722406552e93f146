#pragma once
/// Login in a browser: the page to open, and the exchange of the code that it sends back. Codex
/// only: accounts of Claude and Antigravity are imported, the others log in on another device.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "provider/login/pkce.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider::login {

/// Where Codex's login page sends the browser; no other address is accepted there.
inline constexpr std::string_view codex_redirect_uri = "http://localhost:1455/auth/callback";

bool has_code_login(kind k);

/// errc::invalid_input: no such login, or an address that is not protected. The client's empty
/// fields stand for the defaults.
result<std::string> authorize_url(kind k, const oauth_client& client, const pkce& proof,
                                  std::string_view state, std::string_view redirect_uri);

/// The answer is read like one to a renewal (token_rules::read).
result<upstream_request> exchange_request(kind k, const oauth_client& client,
                                          const secret_string& code, const secret_string& verifier,
                                          std::string_view redirect_uri);

}  // namespace tidegate::provider::login
