#pragma once
/// The few Asio names that this folder uses everywhere. A session and everything it calls run on
/// the session's strand.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tidegate::http {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

using strand = asio::strand<asio::io_context::executor_type>;

/// Completion without exceptions: `auto [ec, n] = co_await op(..., no_throw)`.
inline constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

}  // namespace tidegate::http
