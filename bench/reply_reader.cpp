#include "bench/reply_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tidegate::bench {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

template <class Number>
bool parse(std::string_view text, Number& out, int base = 10) {
  return std::from_chars(text.data(), text.data() + text.size(), out, base).ec == std::errc{};
}

/// The value of a field in a head in lower case; empty when it is absent.
std::string_view field(std::string_view head, std::string_view name) {
  const auto at = head.find("\r\n" + std::string{name} + ":");
  if (at == std::string_view::npos) return {};
  auto value = head.substr(at + name.size() + 3);
  value = value.substr(0, value.find("\r\n"));
  return value.substr(std::min(value.find_first_not_of(' '), value.size()));
}

}  // namespace

void reply_reader::start() {
  framing_ = framing::head;
  text_.clear();
  remaining_ = body_bytes_ = 0;
  status_ = 0;
  keeps_alive_ = true;
}

reply_reader::state reply_reader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    state now = state::more;
    switch (framing_) {
      case framing::head: now = read_head(bytes); break;
      case framing::chunk_size:
      case framing::chunk_end:
      case framing::trailer: now = read_line(bytes); break;
      case framing::length:
      case framing::chunk:
      case framing::to_close: now = take_body(bytes); break;
    }
    if (now == state::done && !bytes.empty()) return state::broken;
    if (now != state::more) return now;
  }
  return state::more;
}

reply_reader::state reply_reader::read_head(std::string_view& bytes) {
  const auto before = text_.size();
  text_ += bytes;
  const auto end = text_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end == std::string::npos) {
    bytes = {};
    return text_.size() > head_bytes_max ? state::broken : state::more;
  }
  bytes.remove_prefix(end + 4 - before);
  const bool fine = read_fields(lower(std::string_view{text_}.substr(0, end + 2)));
  text_.clear();
  if (!fine) return state::broken;
  return framing_ == framing::length && remaining_ == 0 ? state::done : state::more;
}

bool reply_reader::read_fields(std::string_view head) {
  if (!head.starts_with("http/1.1 ") || !parse(head.substr(9, 3), status_)) return false;
  keeps_alive_ = field(head, "connection") != "close";
  const auto length = field(head, "content-length");
  if (field(head, "transfer-encoding") == "chunked") {
    framing_ = framing::chunk_size;
  } else if (!length.empty()) {
    framing_ = framing::length;
    return parse(length, remaining_);
  } else {
    framing_ = framing::to_close;
  }
  return true;
}

reply_reader::state reply_reader::read_line(std::string_view& bytes) {
  const auto end = bytes.find('\n');
  const auto part = bytes.substr(0, end);
  text_ += part;
  if (text_.size() > head_bytes_max) return state::broken;
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return state::more;
  if (!text_.empty() && text_.back() == '\r') text_.pop_back();
  const auto now = take_line(text_);
  text_.clear();
  return now;
}

reply_reader::state reply_reader::take_line(std::string_view line) {
  switch (framing_) {
    case framing::chunk_end: framing_ = framing::chunk_size; return state::more;
    case framing::trailer: return line.empty() ? state::done : state::more;
    default: break;
  }
  if (!parse(line, remaining_, 16)) return state::broken;
  framing_ = remaining_ == 0 ? framing::trailer : framing::chunk;
  return state::more;
}

reply_reader::state reply_reader::take_body(std::string_view& bytes) {
  const bool bounded = framing_ != framing::to_close;
  const auto take = bounded ? std::min<std::uint64_t>(remaining_, bytes.size()) : bytes.size();
  bytes.remove_prefix(static_cast<std::size_t>(take));
  body_bytes_ += take;
  if (!bounded) return state::more;
  remaining_ -= take;
  if (remaining_ > 0) return state::more;
  if (framing_ == framing::length) return state::done;
  framing_ = framing::chunk_end;
  return state::more;
}

}  // namespace tidegate::bench
