#pragma once
/// One request and its response on one leased connection. Everything happens on the caller's
/// strand; shared by the call and the response that hang on it. Every error frees the connection.

#include <boost/beast/http/parser.hpp>
#include <boost/container/small_vector.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "http/client/dial.hpp"
#include "http/client/in_place_body.hpp"
#include "http/client/parking.hpp"
#include "http/client/pool.hpp"
#include "http/client/request_head.hpp"
#include "http/net/watchdog.hpp"

namespace tidegate::http::upstream {

inline constexpr std::size_t response_head_bytes_max = 64 * 1024;
inline constexpr int interim_responses_max = 16;

/// What all exchanges of one client share.
struct client_parts {
  explicit client_parts(asio::io_context& on)
      : io(on),
        connections(std::make_shared<pool>()),
        resolver(std::make_shared<names>(system_lookup(on))) {}

  asio::io_context& io;
  std::shared_ptr<pool> connections;
  std::shared_ptr<names> resolver;
  tls_contexts trust;
};

/// The bounded waits of an exchange, in order.
enum class phase : std::uint8_t { slot, connect, header, first_byte, idle };

class exchange : public std::enable_shared_from_this<exchange> {
 public:
  using response_parser = boost::beast::http::response_parser<in_place_body>;

  exchange(std::shared_ptr<client_parts> parts, const request_options& options, secret_string proxy,
           watchdog& timeouts, const strand& on);

  /// At most once. Returns when the head of the final response is there.
  awaitable<result<void>> send(const provider::upstream_request& request);
  awaitable<result<std::string_view>> read();
  void cancel() { interrupt(errc::cancelled); }
  /// The response is no longer wanted: a complete one gives its connection back.
  void abandon();
  /// Valid after a successful send().
  const response_parser& head() const { return *parser_; }

 private:
  class limit;

  result<void> prepare(const provider::upstream_request& request);
  awaitable<result<void>> take_place();
  awaitable<result<void>> open_connection();
  awaitable<result<void>> attempt(const provider::upstream_request& request);
  awaitable<result<void>> read_head();
  awaitable<void> write_rest(std::shared_ptr<exchange> self);
  awaitable<void> settle_writing(bool wait_for_end);
  awaitable<result<void>> read_piece();

  std::string pool_key() const;
  bounds pool_bounds() const;
  void gather(const provider::upstream_request& request);
  void sent(std::size_t n);
  void new_parser();
  void feed();
  result<bool> parse_head();
  void finish();
  void interrupt(errc why);
  std::chrono::milliseconds patience_in(phase in) const;
  error ended() const;
  error read_failure(const error_code& ec) const;
  std::string peer() const { return endpoint_text(to_.host, to_.ipv6, to_.port); }

  std::shared_ptr<client_parts> parts_;
  const request_options& options_;
  secret_string proxy_text_;
  watchdog& timeouts_;
  strand on_;

  std::string address_;  ///< what to_ points into
  url to_;
  std::optional<proxy> via_;
  std::string request_head_;  ///< wiped when send() ends
  boost::container::small_vector<asio::const_buffer, 8> pieces_;
  std::span<const asio::const_buffer> unsent_;
  lease lease_;

  interruption stop_;
  std::optional<phase> limited_;          ///< whose expectation is on the watchdog
  phase ended_in_ = phase::slot;          ///< where stop_.why struck
  bool busy_ = false;                     ///< send() or read() runs
  bool writing_ = false;                  ///< write_rest() runs beside the reader
  std::shared_ptr<parking> writer_done_;  ///< set while somebody waits for it

  std::optional<response_parser> parser_;
  std::optional<error> failure_;  ///< of the response, told after the bytes before it
  std::string_view piece_;        ///< decoded and not yet handed out
  std::size_t head_bytes_ = 0;
  int interim_ = 0;
  bool head_method_ = false;  ///< HEAD: the response has no body
  bool any_response_byte_ = false;
  bool body_began_ = false;
  bool reusable_ = true;
  bool finished_ = false;
};

}  // namespace tidegate::http::upstream
