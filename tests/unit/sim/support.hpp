#pragma once
/// What the simulator's tests share: a clock set by hand, a blocking client that shows broken
/// answers as they are, and requests of the four protocols.

#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/sim/script.hpp"
#include "app/sim/server.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::sim {

class hand_clock final : public wall_clock {
 public:
  instant now() const noexcept override { return instant{duration{ticks_.load()}}; }
  void advance(duration by) { ticks_ += by.count(); }

 private:
  std::atomic<std::int64_t> ticks_{from_unix(1'800'000'000).time_since_epoch().count()};
};

inline script script_of(std::string_view yaml) {
  auto plan = parse_script(yaml);
  INFO((plan ? std::string{} : plan.error().detail));
  REQUIRE(plan.has_value());
  return std::move(*plan);
}

enum class finish { clean, cut, reset, malformed };

struct response {
  int status = 0;
  std::string body;
  finish end = finish::cut;
  boost::beast::http::fields headers;
  std::string header(std::string_view name) const {
    const auto found = headers.find(boost::beast::string_view{name.data(), name.size()});
    return found == headers.end() ? std::string{} : std::string{found->value()};
  }
};

/// One connection; every wait ends after 30 s as a failed test.
class client {
 public:
  explicit client(std::uint16_t port) : socket_(io_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    const timeval limit{30, 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  void send(std::string_view bytes) {
    boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()));
  }

  /// Reads to the end of one response, or to whatever ends it.
  response read() {
    namespace http = boost::beast::http;
    http::response_parser<http::string_body> parser;
    parser.eager(true);
    response out;
    while (!parser.is_done()) {
      boost::system::error_code ec;
      if (!pending_.empty()) {
        const auto used = parser.put(boost::asio::buffer(pending_), ec);
        pending_.erase(0, used);
        if (ec && ec != http::error::need_more) {
          out.end = finish::malformed;
          break;
        }
        if (parser.is_done()) break;
        if (!ec && used > 0 && !pending_.empty()) continue;
      }
      if (!receive(out.end)) {
        if (out.end == finish::cut && parser.is_header_done()) parser.put_eof(ec);
        break;
      }
    }
    if (parser.is_done()) out.end = finish::clean;
    if (parser.is_header_done()) out.status = static_cast<int>(parser.get().result_int());
    out.headers = parser.get().base();
    out.body = parser.get().body();
    return out;
  }

  /// Blocks until `text` has arrived; false when the connection ended before.
  bool wait_for(std::string_view text) {
    finish end = finish::clean;
    while (pending_.find(text) == std::string::npos)
      if (!receive(end)) return false;
    return true;
  }

  void close() { socket_.close(); }

 private:
  bool receive(finish& end) {
    std::array<char, 16384> part{};
    const auto got = ::recv(socket_.native_handle(), part.data(), part.size(), 0);
    if (got > 0) {
      pending_.append(part.data(), static_cast<std::size_t>(got));
      return true;
    }
    const bool timed_out = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    REQUIRE_FALSE(timed_out);
    end = got == 0 ? finish::cut : finish::reset;
    return false;
  }

  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string pending_;
};

inline std::string request_text(std::string_view method, std::string_view target,
                                std::string_view headers, std::string_view body) {
  std::string out{method};
  out.append(" ").append(target).append(" HTTP/1.1\r\nhost: sim\r\n").append(headers);
  out.append("content-length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return out.append(body);
}

inline std::string responses_request(bool stream, std::string_view key = "k1") {
  return request_text(
      "POST", "/v1/responses", "authorization: Bearer " + std::string{key} + "\r\n",
      std::string{R"({"model":"m1","input":"hi","stream":)"} + (stream ? "true}" : "false}"));
}

inline std::string chat_request(bool stream, std::string_view key = "k1") {
  return request_text(
      "POST", "/v1/chat/completions", "authorization: Bearer " + std::string{key} + "\r\n",
      std::string{
          R"({"model":"m1","messages":[],"stream_options":{"include_usage":true},"stream":)"} +
          (stream ? "true}" : "false}"));
}

inline std::string messages_request(bool stream, std::string_view key = "k1") {
  return request_text(
      "POST", "/v1/messages?beta=true", "x-api-key: " + std::string{key} + "\r\n",
      std::string{R"({"model":"m1","messages":[],"stream":)"} + (stream ? "true}" : "false}"));
}

inline std::string gemini_request(bool stream, std::string_view key = "k1") {
  return request_text("POST",
                      stream ? "/v1beta/models/m1:streamGenerateContent?alt=sse"
                             : "/v1beta/models/m1:generateContent",
                      "x-goog-api-key: " + std::string{key} + "\r\n", R"({"contents":[]})");
}

/// One request on a connection of its own.
inline response ask(const server& upstream, std::string_view request) {
  client peer{upstream.port()};
  peer.send(request);
  return peer.read();
}

}  // namespace tidegate::sim
