#include "provider/claude/token.hpp"

#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

#include <algorithm>

namespace tidegate::provider::claude {

namespace {

using std::chrono::seconds;

constexpr seconds wait_min{5};
constexpr seconds wait_max{300};

result<upstream_request> build(const credential& who, const oauth_client& own, instant) {
  const oauth_client client = with_defaults(kind::claude, own);
  const auto fields = renewal_fields(who, client);
  if (!fields) return std::unexpected{fields.error()};
  return json_request(client.token_url, *fields);
}

/// A refusal of this request, stated by the endpoint itself and not by something before it.
bool is_final(int status, std::string_view body) {
  if (status < 400 || status >= 500 || status == 408 || status == 425) return false;
  const std::string code = token_error_code(body);
  return !code.empty() && code != "invalid_client" && code != "unauthorized_client";
}

refresh_reply read(int status, const header_lookup& header, std::string_view body, instant now) {
  auto reply = read_token_reply(status, header, body, now);
  if (reply) return reply;
  auto& failure = reply.error();
  if (failure.kind == refresh_fault::limited) {
    failure.retry_after = std::clamp(failure.retry_after.value_or(wait_min), wait_min, wait_max);
  } else if (is_final(status, body)) {
    failure.kind = refresh_fault::rejected;
  }
  return reply;
}

}  // namespace

const token_rules tokens{std::chrono::hours{4}, build, read};

}  // namespace tidegate::provider::claude
