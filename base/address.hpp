#pragma once
/// Absolute http and https addresses, read strictly: nothing that could change the meaning of a
/// request head or smuggle a second one in survives; and what a setting may say of an upstream's or
/// a proxy's address, the same in configuration and credential files. Pure; errc::invalid_input
/// names the fault without repeating the address, which may hold a key in its query.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tidegate::address {

inline constexpr std::size_t url_bytes_max = 16 * 1024;

/// Views into the parsed text.
struct url {
  bool tls = false;       ///< https
  std::string_view host;  ///< without brackets, case as written
  bool ipv6 = false;      ///< the host stood in brackets
  std::uint16_t port = 0;
  std::string_view authority;  ///< for the Host header: a default port is left out
  std::string_view target;     ///< path and query; empty or beginning with `?` means path `/`
};

/// No user name, no fragment, no control or non-ASCII byte, no blank; a host of letters, digits,
/// `.`, `-`, `_`, or an IPv6 literal in brackets; a port from 1 to 65535.
result<url> parse_url(std::string_view text);

/// Host and port of an authority under the same rules; used for proxies too.
struct host_port {
  std::string_view host;
  bool ipv6 = false;
  std::uint16_t port = 0;         ///< 0 when none was written
  std::string_view without_port;  ///< host as written, with brackets
};
result<host_port> parse_authority(std::string_view text);

/// `host:port` with brackets where needed, lower case: for keys and messages.
std::string endpoint_text(std::string_view host, bool ipv6, std::uint16_t port);

/// What is wrong with a base URL, as a sentence behind its key; empty = nothing. http or https, a
/// host, no user, query or fragment; an empty text is none.
std::string base_url_fault(std::string_view text);

/// The same for an egress proxy: http, https, socks5 or socks5h with a host and nothing behind it;
/// `direct`, `none` and an empty text are good.
std::string proxy_url_fault(std::string_view text);

}  // namespace tidegate::address
