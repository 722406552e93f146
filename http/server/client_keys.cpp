#include "http/server/client_keys.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

#include "base/text.hpp"
#include "http/server/percent.hpp"

namespace tidegate::http {
namespace {

std::string_view bearer_token(std::string_view value) {
  constexpr std::string_view scheme = "bearer ";
  const auto text = trimmed(value);
  if (text.size() > scheme.size() &&
      boost::beast::iequals({text.data(), scheme.size()}, {scheme.data(), scheme.size()})) {
    return trimmed(text.substr(scheme.size()));
  }
  return boost::beast::iequals({text.data(), text.size()}, "bearer") ? std::string_view{} : text;
}

/// Calls `visit(whole, raw name, raw value)` for each member between `&`.
template <class Visit>
void each_member(std::string_view query, Visit visit) {
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto whole = query.substr(0, end);
    const auto equals = whole.find('=');
    visit(whole, whole.substr(0, equals),
          equals == std::string_view::npos ? std::string_view{} : whole.substr(equals + 1));
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
}

/// 1 and 2 in the order of the places; 0 for every other member.
int key_place(std::string_view raw_name) {
  const bool plain = raw_name.find('%') == std::string_view::npos;
  const std::string decoded = plain ? std::string{} : percent_decode(raw_name, true);
  const std::string_view name = plain ? raw_name : std::string_view{decoded};
  if (name == "key") return 1;
  return name == "auth_token" ? 2 : 0;
}

class matcher {
 public:
  explicit matcher(const access_options& access) : access_(access) {}

  void offer(std::string_view candidate) {
    if (candidate.empty()) return;
    any_ = true;
    for (const auto& key : access_.api_keys) {
      const bool equal = key.equals(candidate);
      matched_ |= equal && !key.empty();
    }
  }

  key_check verdict() const {
    if (matched_) return key_check::ok;
    return any_ ? key_check::invalid : key_check::missing;
  }

 private:
  const access_options& access_;
  bool any_ = false;
  bool matched_ = false;
};

}  // namespace

bool is_loopback_host(std::string_view host) {
  if (boost::beast::iequals({host.data(), host.size()}, "localhost")) return true;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  error_code ec;
  const auto address = asio::ip::make_address(std::string{host}, ec);
  return !ec && address.is_loopback();
}

bool serves_anonymous(const server_options& options, std::string_view bound_host) {
  return options.allow_anonymous || is_loopback_host(bound_host);
}

key_check check_client_key(const request& call, const access_options& access, bool anonymous) {
  if (access.api_keys.empty() && anonymous) return key_check::ok;
  matcher match(access);
  if (const auto value = call.header("Authorization")) match.offer(bearer_token(*value));
  for (const auto* name : {"X-Goog-Api-Key", "X-Api-Key"}) {
    if (const auto value = call.header(name)) match.offer(trimmed(*value));
  }
  if (call.query.empty()) return match.verdict();
  for (const int place : {1, 2}) {
    each_member(call.query, [&](std::string_view, std::string_view name, std::string_view value) {
      if (key_place(name) != place) return;
      const secret_string candidate{percent_decode(value, true)};
      match.offer(candidate.reveal());
    });
  }
  return match.verdict();
}

std::string without_keys(std::string_view query) {
  std::string out;
  out.reserve(query.size());
  bool first = true;
  each_member(query, [&](std::string_view whole, std::string_view name, std::string_view) {
    if (key_place(name) != 0) return;
    if (!first) out += '&';
    first = false;
    out += whole;
  });
  return out;
}

}  // namespace tidegate::http
