#include "provider/login/standard_device.hpp"

#include "base/endpoint.hpp"
#include "provider/kimi/login_headers.hpp"
#include "provider/login/device_reply.hpp"
#include "provider/token_reply.hpp"
#include "provider/token_request.hpp"

#include <algorithm>

namespace tidegate::provider::login {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view device_grant = "urn:ietf:params:oauth:grant-type:device_code";
constexpr std::string_view xai_scope =
    "openid profile email offline_access grok-cli:access api:access";
constexpr seconds kimi_interval_min{5};

result<upstream_request> start(kind k, const oauth_client& client, std::string_view scope) {
  if (auto known = check_client(k, client); !known) return std::unexpected{known.error()};
  token_fields fields{{"client_id", client.client_id}};
  if (!scope.empty()) fields.emplace_back("scope", scope);
  return form_request(client.device_url, fields);
}

result<upstream_request> poll(const oauth_client& client, const device_session& session) {
  token_fields fields{{"grant_type", device_grant},
                      {"device_code", session.device_code.reveal()},
                      {"client_id", client.client_id}};
  if (!client.client_secret.empty()) {
    fields.emplace_back("client_secret", client.client_secret.reveal());
  }
  return form_request(client.token_url, fields);
}

/// The page that already holds the code, when there is a usable one.
std::string page_of(const nlohmann::json& reply) {
  for (const auto* name : {"verification_uri_complete", "verification_uri"}) {
    std::string url = token_member(reply, name);
    if (is_protected_url(url)) return url;
  }
  return {};
}

template <int LifetimeMinutes>
result<device_session> read_start(const oauth_client&, int status, const header_lookup&,
                                  std::string_view body, instant now) {
  const auto reply = status >= 200 && status < 300 ? reply_object(body) : nlohmann::json{};
  device_session session;
  session.device_code = secret_string{token_member(reply, "device_code")};
  session.user_code = token_member(reply, "user_code");
  session.verification_url = page_of(reply);
  if (session.device_code.empty() || session.user_code.empty() ||
      session.verification_url.empty()) {
    return no_start(status, body);
  }
  session.interval = interval_of(reply);
  constexpr seconds longest = minutes{LifetimeMinutes};
  const seconds stated{seconds_member(reply, "expires_in").value_or(longest.count())};
  session.expires_at = now + std::min(stated, longest);
  return session;
}

device_answer read_poll(int status, const header_lookup& header, std::string_view body,
                        instant now) {
  device_answer answer;
  if (const auto state = state_of(token_error_code(body))) {
    answer.state = *state;
    if (*state == device_state::denied) answer.reason = "the login was refused";
    return answer;
  }
  auto reply = read_token_reply(status, header, body, now);
  if (reply) {
    answer.state = device_state::done;
    answer.tokens = std::move(*reply);
    return answer;
  }
  answer.reason = reply.error().reason;
  switch (reply.error().kind) {
    case refresh_fault::rejected:
      answer.state = device_state::denied;
      break;
    case refresh_fault::limited:
      answer.state = device_state::slow_down;
      break;
    case refresh_fault::unavailable:
      answer.state = device_state::unavailable;
      break;
  }
  return answer;
}

result<upstream_request> start_xai(const oauth_client& own, std::string_view) {
  return start(kind::xai, with_defaults(kind::xai, own), xai_scope);
}

result<upstream_request> poll_xai(const oauth_client& own, const device_session& session,
                                  std::string_view) {
  return poll(with_defaults(kind::xai, own), session);
}

result<upstream_request> start_kimi(const oauth_client& own, std::string_view device_id) {
  auto request = start(kind::kimi, with_defaults(kind::kimi, own), {});
  if (request) kimi::add_login_headers(*request, device_id);
  return request;
}

result<device_session> read_start_kimi(const oauth_client& own, int status,
                                       const header_lookup& header, std::string_view body,
                                       instant now) {
  auto session = read_start<15>(own, status, header, body, now);
  if (session) session->interval = std::max(session->interval, kimi_interval_min);
  return session;
}

result<upstream_request> poll_kimi(const oauth_client& own, const device_session& session,
                                   std::string_view device_id) {
  auto request = poll(with_defaults(kind::kimi, own), session);
  if (request) kimi::add_login_headers(*request, device_id);
  return request;
}

}  // namespace

const device_rules xai_device{start_xai, read_start<30>, poll_xai, read_poll, nullptr};
const device_rules kimi_device{start_kimi, read_start_kimi, poll_kimi, read_poll, nullptr};

}  // namespace tidegate::provider::login
