#pragma once
/// Server-sent events: cuts a byte stream into frames, wherever the reads happened to end.
/// Own code, no allocation per frame on the fast path; safe on any bytes; one object per stream.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

  /// Adds received bytes. errc::limit_exceeded when one frame outgrows the bound; the frames before
  /// it can still be taken, later bytes are not accepted. The frames do not depend on how the bytes
  /// were cut into calls.
  result<void> feed(std::string_view bytes);
  /// Takes the next complete frame; false when more bytes are needed. Line ends may be LF, CRLF or
  /// CR; a byte order mark at the very start is skipped. A blank line without a frame before it is
  /// a frame of its own, a comment. In a stream of CRLF lines a frame waits for its last LF.
  bool next(sse_frame& out);
  /// Bytes that no frame has taken yet: an unfinished frame at the end of the stream.
  std::string_view rest() const;

 private:
  /// How the line before the current one ended.
  enum class line_end : unsigned char { none, lf, cr, crlf };

  void skip_mark();
  void scan();
  void parse(std::string_view raw, sse_frame& out);

  std::size_t frame_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;    ///< first byte not yet handed out
  std::size_t scanned_ = 0;  ///< no line ends between line_ and here
  std::size_t frame_ = 0;    ///< first byte of the unfinished frame
  std::size_t line_ = 0;     ///< first byte of the unfinished line
  line_end before_ = line_end::none;
  std::vector<std::size_t> ends_;  ///< where the complete frames end, up to the unfinished one
  std::size_t taken_ = 0;          ///< how many of them were handed out
  std::string joined_;             ///< storage for multi-line data
  bool started_ = false;
  bool overgrown_ = false;
};

/// What a frame means to the relay, whatever the protocol.
enum class frame_role : unsigned char {
  comment,    ///< keep-alive, no event
  lifecycle,  ///< opens the stream or a part of it: may be held back
  content,    ///< part of the answer; whether it says anything yet: carries_output
  telemetry,  ///< quota news; passed on, never ends a stream
  error,      ///< the provider failed in-band
  end,        ///< the protocol's own good ending
  broken,     ///< not an event of this protocol: the stream cannot be trusted any further
};

}  // namespace tidegate::protocol
