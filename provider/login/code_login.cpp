#include "provider/login/code_login.hpp"

#include "base/endpoint.hpp"
#include "provider/token_request.hpp"

#include <fmt/format.h>

namespace tidegate::provider::login {

namespace {

std::unexpected<error> no_such_login(kind k) {
  return failed(errc::invalid_input,
                fmt::format("{} has no login in a browser here", to_string(k)));
}

}  // namespace

bool has_code_login(kind k) {
  return k == kind::codex;
}

result<std::string> authorize_url(kind k, const oauth_client& own, const pkce& proof,
                                  std::string_view state, std::string_view redirect_uri) {
  if (!has_code_login(k)) return no_such_login(k);
  const oauth_client client = with_defaults(k, own);
  if (!is_protected_url(client.authorize_url)) {
    return failed(errc::invalid_input, "a login page must be an https URL or a loopback one");
  }
  const std::string query = form_text({{"response_type", "code"},
                                       {"client_id", client.client_id},
                                       {"redirect_uri", redirect_uri},
                                       {"scope", "openid profile email offline_access"},
                                       {"state", state},
                                       {"code_challenge", proof.challenge},
                                       {"code_challenge_method", "S256"},
                                       {"prompt", "login"},
                                       {"id_token_add_organizations", "true"},
                                       {"codex_cli_simplified_flow", "true"}});
  const char joint = client.authorize_url.find('?') == std::string::npos ? '?' : '&';
  return client.authorize_url + joint + query;
}

result<upstream_request> exchange_request(kind k, const oauth_client& own,
                                          const secret_string& code, const secret_string& verifier,
                                          std::string_view redirect_uri) {
  if (!has_code_login(k)) return no_such_login(k);
  const oauth_client client = with_defaults(k, own);
  token_fields fields{{"grant_type", "authorization_code"},
                      {"client_id", client.client_id},
                      {"code", code.reveal()},
                      {"redirect_uri", redirect_uri},
                      {"code_verifier", verifier.reveal()}};
  if (!client.client_secret.empty()) {
    fields.emplace_back("client_secret", client.client_secret.reveal());
  }
  return form_request(client.token_url, fields);
}

}  // namespace tidegate::provider::login
