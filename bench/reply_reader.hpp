#pragma once
/// Finds the end of HTTP/1.1 responses in bytes as they come, and what a measurement wants to know
/// of them. It trusts its peer: only framing is looked at, and one response may be under way.

#include <cstdint>
#include <string>
#include <string_view>

namespace tidegate::bench {

class reply_reader {
 public:
  enum class state : std::uint8_t {
    more,    ///< the response goes on
    done,    ///< it is complete
    broken,  ///< this is no response that the reader understands
  };

  /// Forgets the last response.
  void start();
  state feed(std::string_view bytes);
  /// The connection ended: complete only when the body had no other end.
  state end() const { return framing_ == framing::to_close ? state::done : state::broken; }

  int status() const { return status_; }
  std::uint64_t body_bytes() const { return body_bytes_; }
  bool keeps_alive() const { return keeps_alive_ && framing_ != framing::to_close; }

 private:
  enum class framing : std::uint8_t { head, length, chunk_size, chunk, chunk_end, trailer, to_close };
  static constexpr std::size_t head_bytes_max = 64 * 1024;

  state read_head(std::string_view& bytes);
  bool read_fields(std::string_view head);
  state read_line(std::string_view& bytes);
  state take_line(std::string_view line);
  state take_body(std::string_view& bytes);

  framing framing_ = framing::head;
  std::string text_;             ///< the head, or a line of the chunked framing, so far
  std::uint64_t remaining_ = 0;  ///< of the body or chunk
  std::uint64_t body_bytes_ = 0;
  int status_ = 0;
  bool keeps_alive_ = true;
};

}  // namespace tidegate::bench
