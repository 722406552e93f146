#pragma once
/// Writes response heads as text into a buffer that the session reuses. Owner: one session.
/// Headers that frame the message belong to this layer: a handler's Connection, Content-Length,
/// Transfer-Encoding, Keep-Alive, Date and Access-Control-* are left out, and so is any header
/// whose bytes could break the head.

#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

#include "protocol/failure.hpp"
#include "quota/options.hpp"

namespace tidegate::http {

enum class framing : std::uint8_t {
  length,       ///< Content-Length
  chunked,      ///< Transfer-Encoding: chunked
  until_close,  ///< the end of the connection ends the body; HTTP/1.0 clients only
  none,         ///< 1xx, 204, 304: no body and no length
};

struct head_shape {
  int status = 200;
  framing body = framing::length;
  std::uint64_t length = 0;
  bool keep_alive = true;
  bool http10 = false;  ///< such a client must be told that the connection stays
  quota::response_mode mode = quota::response_mode::retryable;  ///< selects the CORS block
  bool any_origin = true;  ///< false: no CORS block
};

/// `Sun, 06 Nov 1994 08:49:37 GMT`, rendered once per second.
class date_text {
 public:
  std::string_view at(std::time_t now);

 private:
  std::time_t rendered_ = -1;
  std::string text_;
};

/// Appends status line, headers and the empty line.
void write_head(std::string& out, const head_shape& shape,
                std::span<const protocol::header> headers, std::string_view date);

}  // namespace tidegate::http
