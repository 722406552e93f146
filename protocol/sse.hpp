#pragma once
/// Server-sent events: cuts a byte stream into frames, wherever the reads happened to end.
/// Own code, no allocation per frame on the fast path; safe on any bytes; one object per stream.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tidegate::protocol {

/// One event. Views are valid until the next call on the splitter.
struct sse_frame {
  std::string_view raw;    ///< all bytes of the frame with its closing blank line
  std::string_view event;  ///< value of the last `event:` line; empty when none
  std::string_view data;   ///< `data:` lines joined by LF; empty for a comment
};

class sse_splitter {
 public:
  explicit sse_splitter(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  /// Adds received bytes. errc::limit_exceeded when one frame outgrows the bound.
  result<void> feed(std::string_view bytes);
  /// Takes the next complete frame; false when more bytes are needed. Line ends may be LF, CRLF or
  /// CR; a byte order mark at the very start is skipped.
  bool next(sse_frame& out);
  /// Bytes that no frame has taken yet: an unfinished frame at the end of the stream.
  std::string_view rest() const;

 private:
  std::size_t frame_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;    ///< first byte not yet handed out
  std::size_t scanned_ = 0;  ///< no frame ends before this
  std::string joined_;       ///< storage for multi-line data
  bool started_ = false;
};

/// What a frame means to the relay, whatever the protocol.
enum class frame_role : unsigned char {
  comment,    ///< keep-alive, no event
  lifecycle,  ///< opens the stream, carries no content: may be held back
  content,    ///< committing
  telemetry,  ///< quota news; passed on, never ends a stream
  error,      ///< the provider failed in-band
  end,        ///< the protocol's own good ending
};

}  // namespace tidegate::protocol
