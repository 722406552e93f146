#include "app/sim/head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tidegate::sim {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Simulated";
  }
}

}  // namespace

bool same_header_name(std::string_view a, std::string_view b) {
  constexpr auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

void put_header(std::vector<header>& headers, header field) {
  for (auto& known : headers)
    if (same_header_name(known.first, field.first)) {
      known.second = std::move(field.second);
      return;
    }
  headers.push_back(std::move(field));
}

std::string head_text(int status, const std::vector<header>& headers,
                      std::optional<std::int64_t> length, bool keep_alive) {
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_of(status));
  for (const auto& [name, value] : headers)
    fmt::format_to(std::back_inserter(out), "{}: {}\r\n", name, value);
  if (length) {
    fmt::format_to(std::back_inserter(out), "content-length: {}\r\n", *length);
  } else {
    out += "transfer-encoding: chunked\r\n";
  }
  if (!keep_alive) out += "connection: close\r\n";
  return out + "\r\n";
}

}  // namespace tidegate::sim
