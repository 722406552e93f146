#include "provider/antigravity/token.hpp"

#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

namespace tidegate::provider::antigravity {

namespace {

result<upstream_request> build(const credential& who, const oauth_client& own, instant) {
  const oauth_client client = with_defaults(kind::antigravity, own);
  const auto fields = renewal_fields(who, client);
  if (!fields) return std::unexpected{fields.error()};
  if (client.client_secret.empty()) {
    return failed(errc::invalid_input, "oauth.providers.antigravity.client-secret is not set");
  }
  return form_request(client.token_url, *fields);
}

}  // namespace

const token_rules tokens{std::chrono::minutes{30}, build, read_token_reply};

}  // namespace tidegate::provider::antigravity
