#include "protocol/sse.hpp"

#include <algorithm>
#include <cstring>

namespace tidegate::protocol {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::size_t find_byte(std::string_view text, char wanted, std::size_t from) {
  if (from >= text.size()) return text.size();
  const void* hit = std::memchr(text.data() + from, wanted, text.size() - from);
  return hit == nullptr ? text.size()
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

/// Splits off the first line without its end.
std::string_view take_line(std::string_view& rest) {
  std::size_t end = find_byte(rest, '\n', 0);
  end = find_byte(rest.substr(0, end), '\r', 0);
  const std::string_view line = rest.substr(0, end);
  const bool pair = rest.substr(end).starts_with("\r\n");
  rest.remove_prefix(std::min(rest.size(), end + (pair ? 2U : 1U)));
  return line;
}

/// The value when `line` is a field of this name.
bool take_field(std::string_view line, std::string_view name, std::string_view& value) {
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  if (!line.empty() && line.front() != ':') return false;
  if (!line.empty()) line.remove_prefix(1);
  if (line.starts_with(' ')) line.remove_prefix(1);
  value = line;
  return true;
}

}  // namespace

result<void> sse_splitter::feed(std::string_view bytes) {
  if (!overgrown_) {
    if (taken_ == ends_.size()) {
      ends_.clear();
      taken_ = 0;
    }
    if (begin_ > 0 && taken_ == 0 && ends_.empty()) {
      buffer_.erase(0, begin_);
      scanned_ -= begin_;
      frame_ -= begin_;
      line_ -= begin_;
      begin_ = 0;
    }
    buffer_ += bytes;
    skip_mark();
    if (started_) scan();
  }
  if (overgrown_) return failed(errc::limit_exceeded, "an event of the stream is too large");
  return {};
}

void sse_splitter::skip_mark() {
  if (started_) return;
  if (buffer_.starts_with(byte_order_mark)) {
    buffer_.erase(0, byte_order_mark.size());
  } else if (byte_order_mark.starts_with(buffer_)) {
    return;
  }
  started_ = true;
}

/// Finds the line ends from `scanned_` on and closes a frame at each blank line.
void sse_splitter::scan() {
  const std::string_view text{buffer_};
  std::size_t next_lf = find_byte(text, '\n', scanned_);
  while (scanned_ < text.size()) {
    if (next_lf < scanned_) next_lf = find_byte(text, '\n', scanned_);
    const std::size_t at = find_byte(text.substr(0, next_lf), '\r', scanned_);
    scanned_ = at;
    if (at == text.size()) break;
    const bool blank = at == line_;
    line_end how = line_end::lf;
    if (text[at] == '\r') {
      // Only after a CRLF line does a blank line's CR belong together with an LF: without this
      // rule the last event of a stream of CR lines would wait for a byte that never comes.
      const bool may_pair = !blank || before_ == line_end::crlf;
      if (may_pair && at + 1 == text.size()) break;
      how = may_pair && text[at + 1] == '\n' ? line_end::crlf : line_end::cr;
    }
    line_ = scanned_ = at + (how == line_end::crlf ? 2 : 1);
    before_ = how;
    if (!blank) continue;
    if (line_ - frame_ > frame_bytes_max_) break;
    ends_.push_back(line_);
    frame_ = line_;
    before_ = line_end::none;
  }
  overgrown_ = scanned_ - frame_ > frame_bytes_max_;
}

bool sse_splitter::next(sse_frame& out) {
  if (taken_ == ends_.size()) return false;
  const std::size_t end = ends_[taken_++];
  parse(std::string_view{buffer_}.substr(begin_, end - begin_), out);
  begin_ = end;
  return true;
}

void sse_splitter::parse(std::string_view raw, sse_frame& out) {
  out = {raw, {}, {}};
  bool has_data = false;
  bool joined = false;
  std::string_view rest = raw;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    std::string_view value;
    if (take_field(line, "data", value)) {
      if (!has_data) {
        out.data = value;
        has_data = true;
        continue;
      }
      if (!joined) joined_.assign(out.data);
      joined = true;
      joined_ += '\n';
      joined_ += value;
    } else if (take_field(line, "event", value)) {
      out.event = value;
    }
  }
  if (joined) out.data = joined_;
}

std::string_view sse_splitter::rest() const { return std::string_view{buffer_}.substr(begin_); }

}  // namespace tidegate::protocol
