#include "base/endpoint.hpp"

#include "base/text.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace tidegate {

namespace {

constexpr std::size_t url_bytes_max = 2048;

/// Host of `host[:port]`; empty when the port is no number.
std::string_view host_of(std::string_view authority) {
  const auto close = authority.rfind(']');
  const auto colon = authority.rfind(':');
  const bool port =
      colon != std::string_view::npos && (close == std::string_view::npos ? true : colon > close);
  if (!port) return authority;
  const auto number = authority.substr(colon + 1);
  if (number.empty() || number.size() > 5) return {};
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return authority.substr(0, colon);
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  std::string text = lower(host);
  if (text == "localhost") return true;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string_view origin_of(std::string_view url) {
  const auto mark = url.find("://");
  if (mark == std::string_view::npos || mark == 0) return {};
  const auto begin = mark + 3;
  const auto end = url.find_first_of("/?#", begin);
  const auto origin = url.substr(0, end);
  return origin.size() > begin ? origin : std::string_view{};
}

bool is_protected_url(std::string_view url) {
  if (url.size() > url_bytes_max) return false;
  for (const char c : url) {
    if (c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '\\') return false;
  }
  const auto origin = origin_of(url);
  const auto mark = origin.find("://");
  if (mark == std::string_view::npos) return false;
  const auto authority = origin.substr(mark + 3);
  if (authority.find('@') != std::string_view::npos) return false;
  const auto host = host_of(authority);
  if (host.empty()) return false;
  const std::string scheme = lower(origin.substr(0, mark));
  return scheme == "https" || (scheme == "http" && is_loopback_host(host));
}

}  // namespace tidegate
