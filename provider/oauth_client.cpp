#include "provider/options.hpp"

#include <algorithm>

namespace tidegate::provider {

const oauth_client& default_oauth_client(kind k) {
  static const oauth_client none;
  static const oauth_client codex{
      .client_id = "app_EMoamEEZ73f0CkXaXp7hrann",
      .client_secret = {},
      .authorize_url = "https://auth.openai.com/oauth/authorize",
      .token_url = "https://auth.openai.com/oauth/token",
      .device_url = "https://auth.openai.com/api/accounts/deviceauth/usercode"};
  static const oauth_client claude{.client_id = "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
                                   .client_secret = {},
                                   .authorize_url = {},
                                   .token_url = "https://platform.claude.com/v1/oauth/token",
                                   .device_url = {}};
  static const oauth_client antigravity{.client_id = {},
                                        .client_secret = {},
                                        .authorize_url = {},
                                        .token_url = "https://oauth2.googleapis.com/token",
                                        .device_url = {}};
  static const oauth_client xai{.client_id = "b1a00492-073a-47ea-816f-4c329264a828",
                                .client_secret = {},
                                .authorize_url = {},
                                .token_url = "https://auth.x.ai/oauth2/token",
                                .device_url = "https://auth.x.ai/oauth2/device/code"};
  static const oauth_client kimi{
      .client_id = "17e5f671-d194-4dfb-9706-5516cb48c098",
      .client_secret = {},
      .authorize_url = {},
      .token_url = "https://auth.kimi.com/api/oauth/token",
      .device_url = "https://auth.kimi.com/api/oauth/device_authorization"};
  switch (k) {
    case kind::codex:
      return codex;
    case kind::claude:
      return claude;
    case kind::antigravity:
      return antigravity;
    case kind::xai:
      return xai;
    case kind::kimi:
      return kimi;
    case kind::openai_compatibility:
    case kind::gemini:
    case kind::vertex:
      return none;
  }
  return none;
}

oauth_client with_defaults(kind k, oauth_client own) {
  const oauth_client& known = default_oauth_client(k);
  if (own.client_id.empty()) own.client_id = known.client_id;
  if (own.authorize_url.empty()) own.authorize_url = known.authorize_url;
  if (own.token_url.empty()) own.token_url = known.token_url;
  if (own.device_url.empty()) own.device_url = known.device_url;
  return own;
}

oauth_client oauth_client_of(const credential_options& options, kind k) {
  const auto own =
      std::ranges::find(options.oauth_clients, k, [](const auto& c) { return c.first; });
  return with_defaults(k, own == options.oauth_clients.end() ? oauth_client{} : own->second);
}

}  // namespace tidegate::provider
