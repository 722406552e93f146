#include "http/server/request_rules.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>

namespace tidegate::http {

namespace beast_http = boost::beast::http;

namespace {

/// A request line that ends as HTTP's does, so that only the number is foreign to us.
bool names_a_version(std::string_view input) {
  const auto line = input.substr(0, input.find("\r\n"));
  const auto at = line.rfind(" HTTP/");
  return at != std::string_view::npos && line.size() == at + 9 &&
         line.find_first_of("\r\n") == std::string_view::npos;
}

}  // namespace

problem problem_of(const error_code& ec, std::string_view input) {
  using beast_http::error;
  if (ec == error::bad_version && names_a_version(input)) {
    return {505, "only HTTP/1.0 and HTTP/1.1 are served"};
  }
  if (ec == error::header_limit) return {431, "the request head is too large"};
  if (ec == error::bad_content_length || ec == error::multiple_content_length) {
    return {400, "Content-Length is malformed or stands beside Transfer-Encoding"};
  }
  if (ec == error::bad_transfer_encoding) {
    return {400, "Transfer-Encoding is malformed or stands beside Content-Length"};
  }
  return {400, "the request is not well-formed HTTP"};
}

bool begins_like_a_method(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

void split_target(std::string_view target, std::string& path, std::string& query) {
  const auto scheme = target.find("://");
  if (scheme != std::string_view::npos && !target.starts_with('/')) {
    const auto rest = target.find_first_of("/?", scheme + 3);
    target = rest == std::string_view::npos ? std::string_view{} : target.substr(rest);
  }
  const auto mark = target.find('?');
  path.assign(target.substr(0, mark));
  if (path.empty()) path = "/";
  query.assign(mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1));
}

std::optional<problem> framing_problem(const request& what, bool http10, bool chunked) {
  const auto codings = what.headers.count(beast_http::field::transfer_encoding);
  const auto coding = what.header("Transfer-Encoding");
  if (coding) {
    if (http10) return problem{400, "Transfer-Encoding needs HTTP/1.1"};
    if (codings > 1) return problem{400, "Transfer-Encoding is given more than once"};
    if (!chunked || !boost::beast::iequals({coding->data(), coding->size()}, "chunked")) {
      return problem{501, "the only transfer coding served is chunked"};
    }
  }
  const auto hosts = what.headers.count(beast_http::field::host);
  if (hosts > 1 || (hosts == 0 && !http10)) {
    return problem{400, "HTTP/1.1 requires exactly one Host header"};
  }
  return std::nullopt;
}

}  // namespace tidegate::http
