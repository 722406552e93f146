#pragma once
/// Reads one request after the other from a connection: head by Beast's parser, body straight into
/// its string, Content-Encoding undone. Every limit of server_options is kept here, and every
/// malformed input ends here with the answer it deserves. So does, before its body is read, a
/// request that is not let in. Owner: one session, on its strand.

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/server/connection.hpp"
#include "http/server/core.hpp"
#include "protocol/failure.hpp"

namespace tidegate::http {

/// A refused request's body up to this size is read and dropped, so that the connection stays.
inline constexpr std::size_t drained_bytes_max = 64 * 1024;
/// A body is given this much memory on the word of its Content-Length alone.
inline constexpr std::size_t trusted_length_max = 16 * 1024 * 1024;
/// A body that brings less than this within read_timeout is too slow.
inline constexpr std::size_t progress_bytes_min = 1024;

enum class read_end : std::uint8_t {
  request,  ///< a complete request
  refused,  ///< no handler is asked: answer with refusal(), then see keep_alive()
  closed,   ///< the client went away or was idle too long: nothing to say
};

class request_reader {
 public:
  request_reader(connection& from, watchdog& timeouts, server_core& core);

  awaitable<read_end> next(request& into);

  /// About the request that next() returned.
  bool keep_alive() const { return keep_alive_; }
  bool http10() const { return http10_; }
  bool head_only() const { return head_only_; }
  /// The answer carries the CORS block.
  bool any_origin() const { return any_origin_; }
  /// Bytes of the request are still on their way: closing needs lingering.
  bool body_unread() const { return body_unread_; }
  protocol::reply& refusal() { return refusal_; }
  /// The configuration in force when the last head was read.
  const config::snapshot& config() const { return *snapshot_; }
  /// The answer is given, and nobody reads the body any more.
  void release_body();
  /// Waiting for the first byte of a request; such a connection may be closed at any time.
  bool idle() const { return idle_; }

 private:
  using kind = protocol::failure_kind;
  using head_parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  void reset();
  std::optional<protocol::wire> form() const;
  awaitable<bool> first_byte();
  awaitable<read_end> read_head();
  std::optional<read_end> parse_head();
  void take_head(request& into);
  std::optional<protocol::reply> judge_head(const request& what, admission& said);
  std::optional<protocol::reply> judge_body(const request& what, admission& said);
  awaitable<read_end> read_body(request& into);
  awaitable<read_end> read_sized(std::string& body);
  awaitable<read_end> read_chunked(std::string& body);
  awaitable<read_end> decode(request& into);
  awaitable<bool> drop_body();
  awaitable<read_end> refuse(protocol::reply reply);
  protocol::reply shaped(int status, std::string_view message, kind what) const;
  protocol::reply unknown_coding(std::string_view detail) const;
  read_end refuse_large_body();
  read_end refuse_for_memory();
  read_end refuse_head(int status, std::string_view message);
  void expect_bytes();
  void progressed(std::size_t count);
  /// What a failed read means: too late, cut short, or gone.
  read_end end_of_input(const error_code& ec);

  connection& in_;
  watchdog& timeouts_;
  server_core& core_;
  body_claim claim_;
  config::snapshot_ptr snapshot_;
  std::optional<head_parser> parser_;
  protocol::reply refusal_;
  const request* taken_ = nullptr;  ///< the request whose head is known
  std::uint64_t left_ = 0;          ///< bytes of a sized body that are not read yet
  std::size_t body_max_ = 0;        ///< of this request
  std::optional<protocol::reply> too_large_;
  std::size_t head_bytes_ = 0;
  std::size_t progress_ = 0;
  bool chunked_ = false;
  bool continue_expected_ = false;
  bool keep_alive_ = false;
  bool http10_ = false;
  bool head_only_ = false;
  bool any_origin_ = true;
  bool body_unread_ = false;
  bool idle_ = false;
};

}  // namespace tidegate::http
