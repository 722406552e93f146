#include "provider/account_tokens.hpp"
#include "provider/credential_parts.hpp"
#include "provider/text_match.hpp"
#include "provider/xai/provider.hpp"

namespace tidegate::provider::xai {
namespace {

/// That address serves one program only; the account's tokens are good at the API as well.
bool is_for_another_program(std::string_view base_url) {
  const auto url = lower(base_url);
  constexpr std::string_view host = "://cli-chat-proxy.grok.com";
  const auto at = url.find(host);
  if (at == std::string::npos) return false;
  const auto rest = std::string_view{url}.substr(at + host.size());
  return rest.empty() || rest.front() == '/' || rest.front() == ':';
}

}  // namespace

void read_account(credential& made, credential_fields& fields) {
  read_tokens(made, fields);
  infer_expiry(made, fields, "last_refresh");
  if (made.label.empty()) made.label = fields.text("sub");
  if (is_for_another_program(made.base_url)) made.base_url = default_base_url(kind::xai);
}

}  // namespace tidegate::provider::xai
