#pragma once
/// Egress proxies: HTTP CONNECT for https origins, absolute-form requests for http origins, SOCKS5
/// (RFC 1928, 1929). With SOCKS the proxy resolves host names, for socks5 and socks5h alike.
/// What a proxy answers is bounded and never repeated in an error; neither are its credentials.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret_string.hpp"
#include "http/client/wire.hpp"
#include "http/net/asio.hpp"

namespace tidegate::http::upstream {

inline constexpr std::size_t proxy_answer_bytes_max = 16 * 1024;

enum class proxy_kind : std::uint8_t { http, https, socks5 };

struct proxy {
  proxy_kind kind = proxy_kind::http;
  std::string host;  ///< without brackets
  std::string name;  ///< `host:port`, for messages
  std::uint16_t port = 0;
  bool has_login = false;
  secret_string user;
  secret_string password;
};

/// nullopt for an empty text, `direct` and `none`. errc::invalid_input says what is wrong without
/// the text.
result<std::optional<proxy>> parse_proxy(const secret_string& text);

/// Value of Proxy-Authorization; empty without a login.
secret_string proxy_authorization(const proxy& via);

/// Asks an HTTP proxy for a tunnel to `authority` (`host:port`).
awaitable<result<void>> open_tunnel(wire& link, const proxy& via, std::string authority);

/// Asks a SOCKS5 proxy for a connection to host and port.
awaitable<result<void>> open_socks(wire& link, const proxy& via, std::string host,
                                   std::uint16_t port);

}  // namespace tidegate::http::upstream
