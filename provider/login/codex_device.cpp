#include "provider/login/codex_device.hpp"

#include "base/endpoint.hpp"
#include "provider/login/code_login.hpp"
#include "provider/login/device_reply.hpp"
#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

#include <fmt/format.h>

namespace tidegate::provider::login {

namespace {

constexpr std::chrono::minutes lifetime{15};

std::string own_page(const oauth_client& client, std::string_view path) {
  return std::string{origin_of(client.device_url)} + std::string{path};
}

/// The neighbour of the address where the login begins.
std::string poll_url(const oauth_client& client) {
  const auto slash = client.device_url.rfind('/');
  return client.device_url.substr(0, slash == std::string::npos ? 0 : slash) + "/token";
}

result<upstream_request> start(const oauth_client& own, std::string_view) {
  const oauth_client client = with_defaults(kind::codex, own);
  return json_request(client.device_url, {{"client_id", client.client_id}});
}

result<device_session> read_start(const oauth_client& own, int status, const header_lookup&,
                                  std::string_view body, instant now) {
  const oauth_client client = with_defaults(kind::codex, own);
  const auto reply = status >= 200 && status < 300 ? reply_object(body) : nlohmann::json{};
  device_session session;
  session.device_code = secret_string{token_member(reply, "device_auth_id")};
  session.user_code = token_member(reply, "user_code");
  if (session.user_code.empty()) session.user_code = token_member(reply, "usercode");
  if (session.device_code.empty() || session.user_code.empty()) return no_start(status, body);
  session.verification_url = own_page(client, "/codex/device");
  session.interval = interval_of(reply);
  session.expires_at = now + lifetime;
  return session;
}

result<upstream_request> poll(const oauth_client& own, const device_session& session,
                              std::string_view) {
  return json_request(
      poll_url(with_defaults(kind::codex, own)),
      {{"device_auth_id", session.device_code.reveal()}, {"user_code", session.user_code}});
}

device_answer approval_in(std::string_view body) {
  const auto reply = reply_object(body);
  device_answer answer;
  answer.code = secret_string{token_member(reply, "authorization_code")};
  answer.verifier = secret_string{token_member(reply, "code_verifier")};
  if (answer.code.empty() || answer.verifier.empty()) {
    answer.reason = "the device login's answer cannot be used";
  } else {
    answer.state = device_state::approved;
  }
  return answer;
}

device_answer read_codex_poll(int status, const header_lookup&, std::string_view body, instant) {
  if (status >= 200 && status < 300) return approval_in(body);
  device_answer answer;
  if (const auto state = state_of(token_error_code(body))) {
    answer.state = *state;
  } else if (status == 403 || status == 404) {
    answer.state = device_state::pending;
  } else if (status == 429) {
    answer.state = device_state::slow_down;
  } else if (status >= 400 && status < 500 && status != 408) {
    answer.state = device_state::denied;
  }
  const bool told =
      answer.state == device_state::denied || answer.state == device_state::unavailable;
  if (told) answer.reason = fmt::format("the device login answered {}", status);
  return answer;
}

result<upstream_request> exchange(const oauth_client& own, const device_answer& approved) {
  const oauth_client client = with_defaults(kind::codex, own);
  return exchange_request(kind::codex, client, approved.code, approved.verifier,
                          own_page(client, "/deviceauth/callback"));
}

}  // namespace

const device_rules codex_device{start, read_start, poll, read_codex_poll, exchange};

}  // namespace tidegate::provider::login
