/// `api-call`: one request of the operator's to any address, with a credential's token where
/// `$TOKEN$` stands in a header. Wire facts: spec/config-management.md 4.2.

#include "base/address.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "http/client/fetch.hpp"
#include "http/client/url.hpp"
#include "http/management/selector.hpp"
#include "provider/request_parts.hpp"

#include <algorithm>
#include <array>

namespace tidegate::http::management {
namespace {

constexpr std::chrono::seconds patience{60};
constexpr std::string_view placeholder = "$TOKEN$";
constexpr std::size_t shown_bytes_max = 64;
constexpr std::array<std::string_view, 7> methods{"GET",   "HEAD",   "POST",   "PUT",
                                                  "PATCH", "DELETE", "OPTIONS"};

constexpr std::array<std::string_view, 9> members{"name",   "auth_index", "authIndex",
                                                  "AuthIndex", "method",  "url",
                                                  "header", "data",       "proxy_url"};

struct call_order {
  selector who;
  std::string proxy;
  std::string data;
  provider::upstream_request what;
  bool wants_token = false;
};

result<void> read_headers(const json& body, call_order& order) {
  const auto found = body.find("header");
  if (found == body.end() || found->is_null()) return {};
  if (!found->is_object()) return failed(errc::invalid_input, "header is an object of texts");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return failed(errc::invalid_input, "header is an object of texts");
    auto text = value.get<std::string>();
    if (!provider::is_header(name, text)) {
      return failed(errc::invalid_input,
                    "header " + name.substr(0, shown_bytes_max) +
                        " is no header, or not one to set: a name of letters, digits and -, a "
                        "value without control characters");
    }
    order.wants_token |= text.find(placeholder) != std::string::npos;
    order.what.headers.push_back({name, std::move(text), true});
  }
  return {};
}

/// A misspelt member would silently change what is sent.
result<void> check_members(const json& body) {
  for (const auto& [name, value] : body.items()) {
    if (std::ranges::find(members, name) != members.end()) continue;
    return failed(errc::invalid_input,
                  escaped_name(name.substr(0, shown_bytes_max)) +
                      " is no member of a call; they are auth_index, name, method, url, header, "
                      "data and proxy_url");
  }
  return {};
}

result<call_order> order_of(const request& in) {
  const auto body = body_object(in, {upload_bytes_max, body_depth_max, true});
  if (!body) return std::unexpected{body.error()};
  if (auto known = check_members(*body); !known) return std::unexpected{known.error()};
  call_order order;
  auto who = selector_of(*body);
  if (!who) return std::unexpected{who.error()};
  order.who = std::move(*who);
  for (const auto& [name, into] : {std::pair{"method", &order.what.method},
                                   {"url", &order.what.url},
                                   {"proxy_url", &order.proxy},
                                   {"data", &order.data}}) {
    auto text = text_member(*body, name);
    if (!text) return std::unexpected{text.error()};
    *into = text->value_or("");
  }
  if (order.what.method.empty()) return failed(errc::invalid_input, "missing method");
  if (order.what.url.empty()) return failed(errc::invalid_input, "missing url");
  if (std::ranges::find(methods, order.what.method) == methods.end()) {
    return failed(errc::invalid_input,
                  "method must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS, in capitals");
  }
  if (const auto url = upstream::parse_url(order.what.url); !url) {
    return failed(errc::invalid_input, "invalid url: " + url.error().detail);
  }
  if (const auto fault = address::proxy_url_fault(order.proxy); !fault.empty()) {
    return failed(errc::invalid_input, "proxy_url " + fault);
  }
  if (auto headers = read_headers(*body, order); !headers) return std::unexpected{headers.error()};
  return order;
}

void fill_token(provider::upstream_request& what, std::string_view token) {
  for (auto& header : what.headers) {
    for (auto at = header.value.find(placeholder); at != std::string::npos;
         at = header.value.find(placeholder, at + token.size())) {
      header.value.replace(at, placeholder.size(), token);
    }
  }
}

/// Whose credential went where; nothing of the call that may be a secret.
void log_call(const call_order& order, const provider::credential_ptr& who,
              const std::string& peer) {
  const auto url = upstream::parse_url(order.what.url);
  log::info("management: {} to {} with {} from {}", order.what.method,
            url ? url->host : std::string_view{},
            who ? "the credential " + who->id.value : std::string{"no credential"}, peer);
}

ordered_json reply_entry(const provider::plain_reply& reply) {
  ordered_json out{{"status_code", reply.status}};
  auto& headers = out["header"] = ordered_json::object();
  for (const auto& [name, value] : reply.headers) headers[name].push_back(value);
  out["body"] = reply.body.reveal();
  return out;
}

}  // namespace

awaitable<protocol::reply> call_api(services& with, const request& in) {
  auto order = order_of(in);
  if (!order) co_return mistake(order.error());
  provider::credential_ptr who;
  if (order->who.names_one()) {
    const auto all = co_await with.plane.credentials();
    if (!all) co_return mistake(all.error());
    const auto* meant = find(*all, order->who);
    if (meant == nullptr) co_return mistake(404, "auth not found");
    who = meant->record;
    const bool ended = who->expires_at && *who->expires_at <= with.plane.now();
    if (order->wants_token && (who->secret.empty() || ended) && meant->token.state != "none") {
      const auto fresh = co_await with.plane.renew(who->id);
      if (!fresh || !fresh->token.reason.empty())
        co_return mistake(400, "auth token refresh failed");
      who = fresh->record;
    }
  }
  if (order->wants_token) {
    if (!who || who->secret.empty()) co_return mistake(400, "auth token not found");
    fill_token(order->what, who->secret.reveal());
  }
  log_call(*order, who, in.peer);
  if (!order->data.empty()) order->what.body.push_back(order->data);
  const std::shared_ptr<const request_options> options{in.config, &in.config->requests};
  auto proxy = !order->proxy.empty()            ? secret_string{order->proxy}
               : who && !who->proxy_url.empty() ? who->proxy_url
                                                : options->proxy_url;
  fetch_job job{std::move(order->what), std::move(proxy), options, patience};
  const auto reply = co_await fetch(with.upstream, std::move(job));
  if (!reply) co_return mistake(502, "request failed: " + reply.error().detail);
  co_return json_reply(200, reply_entry(*reply));
}

}  // namespace tidegate::http::management
