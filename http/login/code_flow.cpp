#include "http/login/code_flow.hpp"

#include "http/login/token_call.hpp"
#include "provider/login/code_login.hpp"

namespace tidegate::http::login {

namespace rules = provider::login;

result<code_login> begin_code_login(const login_terms& with) {
  code_login login;
  login.proof = rules::make_pkce(random_bytes(rules::pkce_random_bytes).reveal());
  login.state = secret_string{rules::make_state(random_bytes(rules::state_random_bytes).reveal())};
  login.redirect_uri = rules::codex_redirect_uri;
  auto url = rules::authorize_url(with.of, with.oauth, login.proof, login.state.reveal(),
                                  login.redirect_uri);
  if (!url) return std::unexpected{url.error()};
  login.url = std::move(*url);
  return login;
}

awaitable<result<provider::fresh_tokens>> exchange_code(login_terms with, code_login login,
                                                        secret_string code) {
  auto request =
      rules::exchange_request(with.of, with.oauth, code, login.proof.verifier, login.redirect_uri);
  if (!request) co_return std::unexpected{request.error()};
  co_return co_await ask_for_tokens(std::move(with), std::move(*request));
}

}  // namespace tidegate::http::login
