#include "provider/vertex/token.hpp"

#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"
#include "provider/vertex/jwt.hpp"

namespace tidegate::provider::vertex {

namespace {

result<upstream_request> build(const credential& who, const oauth_client&, instant now) {
  if (!who.signer) return failed(errc::invalid_input, "the credential has no service account");
  const auto assertion = signed_assertion(*who.signer, now);
  if (!assertion) return std::unexpected{assertion.error()};
  return form_request(who.signer->token_uri,
                      {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                       {"assertion", assertion->reveal()}});
}

}  // namespace

const token_rules tokens{std::chrono::minutes{5}, build, read_token_reply};

}  // namespace tidegate::provider::vertex
