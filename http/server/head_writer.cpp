#include "http/server/head_writer.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <charconv>

#include "http/server/cors.hpp"

namespace tidegate::http {
namespace {

void append_number(std::string& out, std::uint64_t value) {
  char text[20];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

bool is_own(std::string_view name) {
  constexpr std::string_view cors = "access-control-";
  switch (name.front() | 0x20) {
    case 'a':
      return name.size() > cors.size() && same_name(name.substr(0, cors.size()), cors);
    case 'c':
      return same_name(name, "connection") || same_name(name, "content-length");
    case 'd':
      return same_name(name, "date");
    case 'k':
      return same_name(name, "keep-alive");
    case 't':
      return same_name(name, "transfer-encoding");
  }
  return false;
}

bool is_safe(const protocol::header& header) {
  for (const char c : header.first) {
    if (c <= ' ' || c == ':' || c == 0x7f) return false;
  }
  for (const char c : header.second) {
    if (c == '\r' || c == '\n' || c == '\0') return false;
  }
  return !header.first.empty();
}

void append_framing(std::string& out, const head_shape& shape) {
  switch (shape.body) {
    case framing::length:
      out += "Content-Length: ";
      append_number(out, shape.length);
      out += "\r\n";
      break;
    case framing::chunked:
      out += "Transfer-Encoding: chunked\r\n";
      break;
    case framing::until_close:
    case framing::none:
      break;
  }
  if (!shape.keep_alive) {
    out += "Connection: close\r\n";
  } else if (shape.http10) {
    out += "Connection: keep-alive\r\n";
  }
}

}  // namespace

std::string_view date_text::at(std::time_t now) {
  if (now == rendered_) return text_;
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  const int size = std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                 days[parts.tm_wday], parts.tm_mday, months[parts.tm_mon],
                                 parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  text_.assign(text, static_cast<std::size_t>(size));
  rendered_ = now;
  return text_;
}

void write_head(std::string& out, const head_shape& shape,
                std::span<const protocol::header> headers, std::string_view date) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::uint64_t>(shape.status));
  out += ' ';
  const auto reason = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(static_cast<unsigned>(shape.status)));
  out.append(reason.data(), reason.size());
  out += "\r\nDate: ";
  out += date;
  out += "\r\n";
  for (const auto& header : headers) {
    if (!is_safe(header) || is_own(header.first)) continue;
    out += header.first;
    out += ": ";
    out += header.second;
    out += "\r\n";
  }
  if (shape.any_origin) out += cors_block(shape.mode);
  append_framing(out, shape);
  out += "\r\n";
}

}  // namespace tidegate::http
