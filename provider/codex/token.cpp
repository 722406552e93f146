#include "provider/codex/token.hpp"

#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

namespace tidegate::provider::codex {

namespace {

result<upstream_request> build(const credential& who, const oauth_client& own, instant) {
  const oauth_client client = with_defaults(kind::codex, own);
  auto fields = renewal_fields(who, client);
  if (!fields) return std::unexpected{fields.error()};
  fields->emplace_back("scope", "openid profile email");
  return form_request(client.token_url, *fields);
}

}  // namespace

const token_rules tokens{std::chrono::hours{24}, build, read_token_reply};

}  // namespace tidegate::provider::codex
