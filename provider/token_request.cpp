#include "provider/token_request.hpp"

#include "base/endpoint.hpp"
#include "provider/request_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace tidegate::provider {

namespace {

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (stays(c)) {
      out.push_back(c);
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

result<upstream_request> post(std::string_view url, std::string_view content_type,
                              std::string body) {
  if (!is_protected_url(url)) {
    return failed(errc::invalid_input, "a token endpoint must be an https URL or a loopback one");
  }
  upstream_request request;
  request.url = std::string{url};
  set_common_headers(request, "application/json");
  set_header(request, "Content-Type", std::string{content_type});
  request.owned.push_back(std::make_unique<std::string>(std::move(body)));
  request.body.emplace_back(*request.owned.back());
  return request;
}

}  // namespace

std::string form_text(const token_fields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out.push_back('&');
    append_encoded(out, name);
    out.push_back('=');
    append_encoded(out, value);
  }
  return out;
}

result<upstream_request> form_request(std::string_view url, const token_fields& fields) {
  return post(url, "application/x-www-form-urlencoded", form_text(fields));
}

result<upstream_request> json_request(std::string_view url, const token_fields& fields) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : fields) object[std::string{name}] = value;
  return post(url, "application/json",
              object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

result<void> check_client(kind k, const oauth_client& client) {
  if (!client.client_id.empty()) return {};
  return failed(errc::invalid_input,
                fmt::format("oauth.providers.{}.client-id is not set", to_string(k)));
}

result<token_fields> renewal_fields(const credential& who, const oauth_client& client) {
  if (who.refresh_token.empty()) {
    return failed(errc::invalid_input, "the credential has no refresh token");
  }
  if (auto known = check_client(who.provider, client); !known) {
    return std::unexpected{known.error()};
  }
  token_fields fields{{"grant_type", "refresh_token"},
                      {"refresh_token", who.refresh_token.reveal()},
                      {"client_id", client.client_id}};
  if (!client.client_secret.empty()) {
    fields.emplace_back("client_secret", client.client_secret.reveal());
  }
  return fields;
}

}  // namespace tidegate::provider
