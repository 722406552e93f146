#include "config/oauth_clients.hpp"

#include "base/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::config {
namespace {

using provider::kind;
using provider::oauth_client;

constexpr std::string_view or_default = "; empty counts as the default";

oauth_client& client_in(snapshot& s, kind k) {
  auto& clients = s.credentials.oauth_clients;
  const auto found = std::ranges::find(clients, k, [](const auto& c) { return c.first; });
  return found != clients.end() ? found->second : clients.emplace_back(k, oauth_client{}).second;
}

value_codec<std::string> protected_url() {
  auto codec = line_text();
  codec.type = "https URL, or http URL of a loopback address";
  codec.parse = [parse = codec.parse](const node& n,
                                      const read_scope& scope) -> std::optional<std::string> {
    auto url = parse(n, scope);
    if (!url || url->empty()) return url;
    if (is_protected_url(*url) && url->find('#') == std::string::npos) return url;
    scope.error(n,
                "must be a URL that starts with https://, or with http:// and a loopback address, "
                "without user name and fragment");
    return std::nullopt;
  };
  return codec;
}

template <class V>
codec<snapshot> client_field(kind k, V oauth_client::*field, value_codec<V> how) {
  return {.type = how.type,
          .shown = how.shown,
          .read =
              [k, field, parse = how.parse](const node& n, const read_scope& scope, snapshot& s) {
                if (auto value = parse(n, scope)) client_in(s, k).*field = std::move(*value);
              },
          .write =
              [k, field, form = how.form](const snapshot& s, visibility v) {
                return form(provider::oauth_client_of(s.credentials, k).*field, v);
              }};
}

key_row row(kind k, std::string_view name, std::string text, codec<snapshot> value) {
  return {.path = fmt::format("oauth.providers.{}.{}", provider::to_string(k), name),
          .older = {},
          .when = applies::live,
          .text = std::move(text),
          .value = std::move(value),
          .family = {}};
}

key_row text_row(kind k, std::string_view name, std::string text, std::string oauth_client::*field,
                 value_codec<std::string> how) {
  if (!(provider::default_oauth_client(k).*field).empty()) how.type += or_default;
  return row(k, name, std::move(text), client_field(k, field, std::move(how)));
}

void append_client(std::vector<key_row>& rows, kind k) {
  const bool built_in = !provider::default_oauth_client(k).client_id.empty();
  rows.push_back(text_row(k, "client-id",
                          built_in ? "Client by which tokens are asked for."
                                   : "Client by which tokens are asked for; none is built in, and "
                                     "without one no account of this provider is renewed.",
                          &oauth_client::client_id, line_text()));
  rows.push_back(row(k, "client-secret",
                     "Secret of that client, sent when it is set; none is built in.",
                     client_field(k, &oauth_client::client_secret, secret_text())));
  rows.push_back(text_row(k, "token-url", "Where tokens are asked for and renewed.",
                          &oauth_client::token_url, protected_url()));
}

void append_device(std::vector<key_row>& rows, kind k) {
  rows.push_back(text_row(k, "device-url", "Where a login on another device begins.",
                          &oauth_client::device_url, protected_url()));
}

}  // namespace

std::vector<key_row> oauth_client_rows() {
  std::vector<key_row> rows;
  append_client(rows, kind::codex);
  rows.push_back(text_row(kind::codex, "authorize-url", "The page where a login begins.",
                          &oauth_client::authorize_url, protected_url()));
  append_device(rows, kind::codex);
  append_client(rows, kind::claude);
  append_client(rows, kind::antigravity);
  append_client(rows, kind::xai);
  append_device(rows, kind::xai);
  append_client(rows, kind::kimi);
  append_device(rows, kind::kimi);
  return rows;
}

}  // namespace tidegate::config
