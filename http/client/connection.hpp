#pragma once
/// One connection to an origin with everything that is reused from request to request. Owner: a
/// lease while in use, the pool while idle.

#include <boost/intrusive/list_hook.hpp>
#include <chrono>
#include <memory>

#include "http/client/read_buffer.hpp"
#include "http/client/tls.hpp"
#include "http/client/wire.hpp"

namespace tidegate::http::upstream {

struct origin;

struct connection {
  explicit connection(asio::io_context& io) : link(tcp::socket(io)) {}

  std::unique_ptr<session_keeper> outer_session;  ///< outlives the TLS layers that point to it
  std::unique_ptr<session_keeper> inner_session;
  wire link;
  read_buffer in;

  std::chrono::steady_clock::time_point idle_since{};
  origin* home = nullptr;  ///< set while idle
  boost::intrusive::list_member_hook<> by_age;
  boost::intrusive::list_member_hook<> in_origin;
};

/// False when the peer has closed, or sent bytes that nobody asked for. Costs one system call.
bool is_quiet(connection& idle);

}  // namespace tidegate::http::upstream
