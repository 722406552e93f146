#pragma once
/// Opens the listening sockets of one configured host: an address, a name with one or several
/// addresses, or empty for every interface. errc::io_failure names address and reason.

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "http/net/asio.hpp"

namespace tidegate::http {

/// At least one acceptor, all on one port; `port` 0 takes any free one. Blocks on name lookup.
result<std::vector<tcp::acceptor>> listen_on(const asio::any_io_executor& on,
                                             const std::string& host, std::uint16_t port);

}  // namespace tidegate::http
