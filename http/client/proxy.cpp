#include "http/client/proxy.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "base/text.hpp"
#include "http/client/url.hpp"

namespace tidegate::http::upstream {

namespace {

std::unexpected<error> bad_proxy(std::string_view what) {
  return failed(errc::invalid_input, fmt::format("proxy-url: {}", what));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// nullopt on a broken escape or a decoded control character.
std::optional<secret_string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return std::nullopt;
    out.push_back(c);
  }
  return secret_string(std::move(out));
}

result<std::uint16_t> read_scheme(std::string_view scheme, proxy& out) {
  if (equal_ignoring_case(scheme, "http")) {
    out.kind = proxy_kind::http;
    return std::uint16_t{80};
  }
  if (equal_ignoring_case(scheme, "https")) {
    out.kind = proxy_kind::https;
    return std::uint16_t{443};
  }
  if (equal_ignoring_case(scheme, "socks5") || equal_ignoring_case(scheme, "socks5h")) {
    out.kind = proxy_kind::socks5;
    return std::uint16_t{1080};
  }
  return bad_proxy("the scheme is none of http, https, socks5, socks5h");
}

result<void> read_login(std::string_view login, proxy& out) {
  const auto colon = std::min(login.find(':'), login.size());
  auto user = percent_decoded(login.substr(0, colon));
  auto password = percent_decoded(colon < login.size() ? login.substr(colon + 1) : "");
  if (!user || !password) return bad_proxy("user name or password are malformed");
  const bool socks = out.kind == proxy_kind::socks5;
  if (socks && (user->empty() || user->reveal().size() > 255 || password->reveal().size() > 255)) {
    return bad_proxy("SOCKS takes user names of 1 to 255 bytes and passwords of up to 255");
  }
  if (!socks && user->reveal().contains(':')) return bad_proxy("the user name holds a colon");
  out.has_login = true;
  out.user = std::move(*user);
  out.password = std::move(*password);
  return {};
}

}  // namespace

result<std::optional<proxy>> parse_proxy(const secret_string& text) {
  const auto all = text.reveal();
  if (all.empty() || equal_ignoring_case(all, "direct") || equal_ignoring_case(all, "none")) {
    return std::optional<proxy>{};
  }
  if (all.size() > url_bytes_max) return bad_proxy("it is too long");
  const auto colon = all.find("://");
  if (colon == std::string_view::npos) return bad_proxy("the scheme is missing");
  proxy out;
  const auto usual_port = read_scheme(all.substr(0, colon), out);
  if (!usual_port) return std::unexpected(usual_port.error());
  auto rest = all.substr(colon + 3);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    if (auto read = read_login(rest.substr(0, at), out); !read) {
      return std::unexpected(read.error());
    }
    rest = rest.substr(at + 1);
  }
  const auto where = parse_authority(rest);
  if (!where) return bad_proxy("host or port are malformed");
  out.host = where->host;
  out.port = where->port != 0 ? where->port : *usual_port;
  out.name = endpoint_text(out.host, where->ipv6, out.port);
  return std::optional<proxy>{std::move(out)};
}

secret_string proxy_authorization(const proxy& via) {
  if (!via.has_login) return {};
  std::string login(via.user.reveal());
  login.append(":").append(via.password.reveal());
  const secret_string plain(std::move(login));
  const auto bytes = plain.reveal();
  std::string out("Basic ");
  const auto prefix = out.size();
  out.resize(prefix + (bytes.size() + 2) / 3 * 4 + 1);
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + prefix),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(prefix + static_cast<std::size_t>(length));
  return secret_string(std::move(out));
}

}  // namespace tidegate::http::upstream
