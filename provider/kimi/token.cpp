#include "provider/kimi/token.hpp"

#include "provider/kimi/login_headers.hpp"
#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

namespace tidegate::provider::kimi {

namespace {

result<upstream_request> build(const credential& who, const oauth_client& own, instant) {
  const oauth_client client = with_defaults(kind::kimi, own);
  const auto fields = renewal_fields(who, client);
  if (!fields) return std::unexpected{fields.error()};
  auto request = form_request(client.token_url, *fields);
  if (request) add_login_headers(*request, who.device_id);
  return request;
}

}  // namespace

const token_rules tokens{std::chrono::minutes{5}, build, read_token_reply};

}  // namespace tidegate::provider::kimi
