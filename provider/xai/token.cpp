#include "provider/xai/token.hpp"

#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

namespace tidegate::provider::xai {

namespace {

result<upstream_request> build(const credential& who, const oauth_client& own, instant) {
  const oauth_client client = with_defaults(kind::xai, own);
  const auto fields = renewal_fields(who, client);
  if (!fields) return std::unexpected{fields.error()};
  return form_request(client.token_url, *fields);
}

}  // namespace

const token_rules tokens{std::chrono::minutes{5}, build, read_token_reply};

}  // namespace tidegate::provider::xai
