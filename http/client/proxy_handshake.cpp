#include <fmt/format.h>

#include <array>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <span>

#include "http/client/proxy.hpp"

namespace tidegate::http::upstream {

namespace {

namespace beast_http = boost::beast::http;

constexpr std::uint8_t socks_version = 5;
constexpr std::uint8_t login_version = 1;
constexpr std::uint8_t method_none = 0;
constexpr std::uint8_t method_login = 2;
constexpr std::uint8_t command_connect = 1;
constexpr std::uint8_t address_v4 = 1;
constexpr std::uint8_t address_name = 3;
constexpr std::uint8_t address_v6 = 4;

std::unexpected<error> proxy_failure(const proxy& via, std::string_view what) {
  return failed(errc::io_failure, fmt::format("proxy {} {}", via.name, what));
}

awaitable<result<void>> write_all(wire& link, const proxy& via, const secret_string& bytes) {
  auto rest = bytes.reveal();
  while (!rest.empty()) {
    const asio::const_buffer from(rest.data(), rest.size());
    const auto [ec, n] = co_await link.async_write_some(from, no_throw);
    if (ec) co_return proxy_failure(via, "closed the connection");
    rest.remove_prefix(n);
  }
  co_return result<void>{};
}

awaitable<result<void>> read_exactly(wire& link, const proxy& via, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const asio::mutable_buffer into(bytes.data(), bytes.size());
    const auto [ec, n] = co_await link.async_read_some(into, no_throw);
    if (ec) co_return proxy_failure(via, "closed the connection");
    bytes = bytes.subspan(n);
  }
  co_return result<void>{};
}

void put(std::string& out, std::size_t byte) {
  out.push_back(static_cast<char>(byte));
}

std::string_view reply_text(std::uint8_t code) {
  switch (code) {
    case 1:
      return "general failure";
    case 2:
      return "not allowed by its rules";
    case 3:
      return "network unreachable";
    case 4:
      return "host unreachable";
    case 5:
      return "connection refused";
    case 6:
      return "time to live expired";
    case 7:
      return "command not supported";
    case 8:
      return "address type not supported";
    default:
      return "unknown reply";
  }
}

awaitable<result<void>> agree_on_method(wire& link, const proxy& via) {
  std::string offer;
  put(offer, socks_version);
  put(offer, via.has_login ? 2 : 1);
  put(offer, method_none);
  if (via.has_login) put(offer, method_login);
  const secret_string greeting(std::move(offer));
  auto sent = co_await write_all(link, via, greeting);
  if (!sent) co_return sent;
  std::array<std::uint8_t, 2> chosen{};
  auto got = co_await read_exactly(link, via, chosen);
  if (!got) co_return got;
  if (chosen[0] != socks_version) co_return proxy_failure(via, "does not speak SOCKS5");
  if (chosen[1] == method_none) co_return result<void>{};
  if (chosen[1] != method_login || !via.has_login) {
    co_return proxy_failure(via, "accepts none of the offered logins");
  }
  std::string login;
  put(login, login_version);
  put(login, via.user.reveal().size());
  login.append(via.user.reveal());
  put(login, via.password.reveal().size());
  login.append(via.password.reveal());
  const secret_string message(std::move(login));
  sent = co_await write_all(link, via, message);
  if (!sent) co_return sent;
  std::array<std::uint8_t, 2> verdict{};
  got = co_await read_exactly(link, via, verdict);
  if (got && verdict[1] != 0) got = proxy_failure(via, "rejects user name and password");
  co_return got;
}

std::string connect_command(const std::string& host, std::uint16_t port) {
  std::string out;
  put(out, socks_version);
  put(out, command_connect);
  put(out, 0);
  error_code not_an_address;
  const auto address = asio::ip::make_address(host, not_an_address);
  if (not_an_address) {
    put(out, address_name);
    put(out, host.size());
    out.append(host);
  } else if (address.is_v4()) {
    put(out, address_v4);
    for (const auto byte : address.to_v4().to_bytes()) put(out, byte);
  } else {
    put(out, address_v6);
    for (const auto byte : address.to_v6().to_bytes()) put(out, byte);
  }
  put(out, port >> 8);
  put(out, port & 0xff);
  return out;
}

}  // namespace

awaitable<result<void>> open_socks(wire& link, const proxy& via, std::string host,
                                   std::uint16_t port) {
  auto done = co_await agree_on_method(link, via);
  if (!done) co_return done;
  const secret_string command(connect_command(host, port));
  done = co_await write_all(link, via, command);
  if (!done) co_return done;

  std::array<std::uint8_t, 4> reply{};
  done = co_await read_exactly(link, via, reply);
  if (!done) co_return done;
  if (reply[0] != socks_version) co_return proxy_failure(via, "does not speak SOCKS5");
  if (reply[1] != 0) {
    co_return proxy_failure(via, fmt::format("cannot connect: {}", reply_text(reply[1])));
  }
  std::size_t bound_address = 0;
  if (reply[3] == address_v4) {
    bound_address = 4;
  } else if (reply[3] == address_v6) {
    bound_address = 16;
  } else if (reply[3] == address_name) {
    std::array<std::uint8_t, 1> length{};
    done = co_await read_exactly(link, via, length);
    if (!done) co_return done;
    bound_address = length[0];
  } else {
    co_return proxy_failure(via, "sent a malformed reply");
  }
  std::array<std::uint8_t, 255 + 2> ignored{};
  const auto rest = std::span<std::uint8_t>(ignored).first(bound_address + 2);
  co_return co_await read_exactly(link, via, rest);
}

awaitable<result<void>> open_tunnel(wire& link, const proxy& via, std::string authority) {
  std::string text = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", authority);
  const auto login = proxy_authorization(via);
  if (!login.empty()) text.append("Proxy-Authorization: ").append(login.reveal()).append("\r\n");
  text.append("\r\n");
  const secret_string request(std::move(text));
  auto done = co_await write_all(link, via, request);
  if (!done) co_return done;

  beast_http::response_parser<beast_http::empty_body> parser;
  parser.header_limit(proxy_answer_bytes_max);
  parser.skip(true);
  std::string answer;
  std::size_t behind = 0;  ///< bytes after the head
  while (!parser.is_done()) {
    std::array<char, 2048> piece;  // NOLINT: filled by the read
    const asio::mutable_buffer into(piece.data(), piece.size());
    const auto [ec, n] = co_await link.async_read_some(into, no_throw);
    if (ec) co_return proxy_failure(via, "closed the connection");
    answer.append(piece.data(), n);
    if (answer.size() > proxy_answer_bytes_max) {
      co_return failed(errc::limit_exceeded,
                       fmt::format("proxy {} sent an oversized head", via.name));
    }
    // Parsed only when complete: an answer that comes in single bytes cannot outgrow the bound.
    const auto end = answer.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    error_code bad;
    const auto used = parser.put(asio::const_buffer(answer.data(), end + 4), bad);
    if (bad || !parser.is_done()) co_return proxy_failure(via, "sent a malformed answer");
    behind = answer.size() - used;
  }
  const auto status = parser.get().result_int();
  if (status / 100 == 2 && behind > 0) {
    co_return proxy_failure(via, "sent bytes into an unused tunnel");
  }
  if (status / 100 == 2) co_return result<void>{};
  if (status == 407) co_return proxy_failure(via, "rejects user name and password (407)");
  co_return proxy_failure(via, fmt::format("refuses the tunnel with status {}", status));
}

}  // namespace tidegate::http::upstream
