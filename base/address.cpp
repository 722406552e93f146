#include "base/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace tidegate::address {

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

/// Every `%` begins an escape of a printable byte.
bool is_escaped_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] <= ' ' || text[i] == 0x7f) return false;
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    if (text[i + 1] < '2' || text.substr(i + 1, 2) == "7f" || text.substr(i + 1, 2) == "7F") {
      return false;
    }
    i += 2;
  }
  return true;
}

/// The words of a fault behind `address: `.
std::string said(const error& fault) {
  constexpr std::string_view mark = "address: ";
  return fault.detail.starts_with(mark) ? fault.detail.substr(mark.size()) : fault.detail;
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

std::string base_url_fault(std::string_view text) {
  if (text.empty()) return {};
  const auto mark = text.find("://");
  const auto scheme = text.substr(0, mark == std::string_view::npos ? 0 : mark);
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https")) {
    return "must be a URL that starts with http:// or https:// and names a host";
  }
  const auto rest = text.substr(mark + 3);
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  if (rest.substr(0, end).contains('@') || rest.find_first_of("?#", end) != rest.npos) {
    return "must be a URL without user name, password, query and fragment";
  }
  const auto parsed = parse_url(text);
  if (parsed) return {};
  return "must be a URL that starts with http:// or https:// and names a host; " +
         said(parsed.error());
}

std::string proxy_url_fault(std::string_view text) {
  if (text.empty() || equal_ignoring_case(text, "direct") || equal_ignoring_case(text, "none")) {
    return {};
  }
  const std::string wanted =
      "must be direct, none or a URL that starts with http://, https://, socks5:// or socks5h:// "
      "and names a host";
  if (text.size() > url_bytes_max) return wanted + "; it is too long";
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return wanted;
  constexpr std::string_view schemes[] = {"http", "https", "socks5", "socks5h"};
  const auto is_scheme = [&](std::string_view known) {
    return equal_ignoring_case(text.substr(0, mark), known);
  };
  if (std::ranges::none_of(schemes, is_scheme)) return wanted;
  auto rest = text.substr(mark + 3);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    if (!is_escaped_text(rest.substr(0, at))) {
      return wanted + "; blanks and % in user name and password must be percent-encoded";
    }
    rest = rest.substr(at + 1);
  }
  if (rest.find_first_of("/?#") != std::string_view::npos) {
    return wanted + ", without a path behind it";
  }
  const auto where = parse_authority(rest);
  return where ? std::string{} : wanted + "; " + said(where.error());
}

std::string endpoint_text(std::string_view host, bool ipv6, std::uint16_t port) {
  std::string out = ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
  std::ranges::transform(out, out.begin(), lower_char);
  return out;
}

}  // namespace tidegate::address
