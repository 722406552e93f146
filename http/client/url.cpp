#include "http/client/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace tidegate::http::upstream {

namespace {

constexpr std::size_t host_bytes_max = 253;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (lower_char(c) >= 'a' && lower_char(c) <= 'f');
}

bool is_host_char(char c) {
  return is_digit(c) || (lower_char(c) >= 'a' && lower_char(c) <= 'z') || c == '.' || c == '-' || c == '_';
}

bool is_ipv6_char(char c) {
  return is_hex(c) || c == ':' || c == '.';
}

/// Visible ASCII without the characters that end or quote an address.
bool is_target_char(char c) {
  return c > ' ' && c < 0x7f && c != '#' && c != '"' && c != '<' && c != '>' && c != '\\';
}

std::unexpected<error> bad(std::string_view what) {
  return failed(errc::invalid_input, fmt::format("address: {}", what));
}

result<std::uint16_t> parse_port(std::string_view text) {
  unsigned value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = !text.empty() && text.size() <= 5 && std::ranges::all_of(text, is_digit);
  if (!digits || ec != std::errc{} || end != text.data() + text.size() || value == 0 ||
      value > 65535) {
    return bad("the port is not a number from 1 to 65535");
  }
  return static_cast<std::uint16_t>(value);
}

}  // namespace

result<host_port> parse_authority(std::string_view text) {
  host_port out;
  std::size_t host_end = 0;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return bad("an IPv6 literal is not closed");
    out.host = text.substr(1, close - 1);
    out.ipv6 = true;
    host_end = close + 1;
    const bool looks_right = out.host.contains(':') && std::ranges::all_of(out.host, is_ipv6_char);
    if (!looks_right) return bad("the IPv6 literal is malformed");
  } else {
    host_end = std::min(text.find(':'), text.size());
    out.host = text.substr(0, host_end);
    if (out.host.empty()) return bad("the host is missing");
    if (!std::ranges::all_of(out.host, is_host_char)) return bad("the host is malformed");
  }
  if (out.host.size() > host_bytes_max) return bad("the host is too long");
  out.without_port = text.substr(0, host_end);
  const auto rest = text.substr(host_end);
  if (rest.empty()) return out;
  if (!rest.starts_with(':')) return bad("the host is malformed");
  const auto port = parse_port(rest.substr(1));
  if (!port) return std::unexpected(port.error());
  out.port = *port;
  return out;
}

result<url> parse_url(std::string_view text) {
  if (text.size() > url_bytes_max) return bad("it is too long");
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return bad("the scheme is missing");
  const auto scheme = text.substr(0, colon);
  url out;
  if (equal_ignoring_case(scheme, "https")) {
    out.tls = true;
  } else if (!equal_ignoring_case(scheme, "http")) {
    return bad("the scheme is neither http nor https");
  }
  const auto rest = text.substr(colon + 3);
  const auto authority_end = std::min(rest.find_first_of("/?#"), rest.size());
  const auto authority = rest.substr(0, authority_end);
  if (authority.contains('@')) return bad("it holds a user name");
  out.target = rest.substr(authority_end);
  if (!std::ranges::all_of(out.target, is_target_char)) {
    return bad("path or query hold a character that must be percent-encoded");
  }
  const auto where = parse_authority(authority);
  if (!where) return std::unexpected(where.error());
  const std::uint16_t usual = out.tls ? 443 : 80;
  out.host = where->host;
  out.ipv6 = where->ipv6;
  out.port = where->port != 0 ? where->port : usual;
  out.authority = out.port == usual ? where->without_port : authority;
  return out;
}

std::string endpoint_text(std::string_view host, bool ipv6, std::uint16_t port) {
  std::string out = ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
  std::ranges::transform(out, out.begin(), lower_char);
  return out;
}

}  // namespace tidegate::http::upstream
