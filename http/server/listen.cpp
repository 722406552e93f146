#include "http/server/listen.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/v6_only.hpp>

#include "base/log.hpp"

namespace tidegate::http {
namespace {

constexpr int backlog = 4096;  ///< the kernel lowers it to its own limit

error_code open(tcp::acceptor& acceptor, const tcp::endpoint& at, bool both_families) {
  error_code ec;
  acceptor.open(at.protocol(), ec);
  if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec && at.address().is_v6()) {
    acceptor.set_option(asio::ip::v6_only(!both_families), ec);
  }
  if (!ec) acceptor.bind(at, ec);
  if (!ec) acceptor.listen(backlog, ec);
  return ec;
}

result<std::vector<asio::ip::address>> addresses_of(const asio::any_io_executor& on,
                                                    const std::string& host) {
  std::string text = host;
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  error_code ec;
  const auto literal = asio::ip::make_address(text, ec);
  if (!ec) return std::vector{literal};
  tcp::resolver resolver(on);
  const auto found = resolver.resolve(text, "", tcp::resolver::passive, ec);
  if (ec || found.empty()) {
    return failed(errc::io_failure,
                  fmt::format("server.host {}: {}", host, ec ? ec.message() : "no address"));
  }
  std::vector<asio::ip::address> out;
  for (const auto& entry : found) {
    const auto address = entry.endpoint().address();
    if (std::find(out.begin(), out.end(), address) == out.end()) out.push_back(address);
  }
  return out;
}

}  // namespace

result<std::vector<tcp::acceptor>> listen_on(const asio::any_io_executor& on,
                                             const std::string& host, std::uint16_t port) {
  std::vector<tcp::acceptor> out;
  const auto refused = [&](const error_code& ec) {
    return failed(errc::io_failure, fmt::format("cannot listen on {}:{}: {}",
                                                host.empty() ? "*" : host, port, ec.message()));
  };
  if (host.empty()) {
    tcp::acceptor both(on);
    error_code ec = open(both, {asio::ip::address_v6::any(), port}, true);
    if (ec && ec != asio::error::address_in_use && ec != asio::error::access_denied) {
      // A host without IPv6.
      both = tcp::acceptor(on);
      ec = open(both, {asio::ip::address_v4::any(), port}, false);
    }
    if (ec) return refused(ec);
    out.push_back(std::move(both));
    return out;
  }
  const auto addresses = addresses_of(on, host);
  if (!addresses) return std::unexpected(addresses.error());
  for (const auto& address : *addresses) {
    tcp::acceptor acceptor(on);
    const error_code ec = open(acceptor, {address, port}, false);
    if (ec && out.empty() && &address == &addresses->back()) return refused(ec);
    if (ec) {
      log::warn("not listening on {}:{}: {}", address.to_string(), port, ec.message());
      continue;
    }
    if (port == 0) port = acceptor.local_endpoint().port();
    out.push_back(std::move(acceptor));
  }
  return out;
}

}  // namespace tidegate::http
