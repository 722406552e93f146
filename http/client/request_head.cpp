#include "http/client/request_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace tidegate::http::upstream {

namespace {

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
  });
}

bool is_ours(std::string_view name) {
  constexpr std::string_view hop_by_hop[] = {
      "content-length", "connection", "transfer-encoding", "keep-alive",         "te", "trailer",
      "upgrade",        "expect",     "proxy-connection",  "proxy-authorization"};
  return std::ranges::any_of(hop_by_hop, [&](std::string_view ours) {
    return ours.size() == name.size() && equal_ignoring_case(ours, name);
  });
}

void line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

result<void> write_head(std::string& out, const provider::upstream_request& request, const url& to,
                        const request_form& form) {
  out.clear();
  if (!is_token(request.method)) return failed(errc::invalid_input, "the method is not a token");
  out.append(request.method).append(" ");
  if (form.absolute) out.append(to.tls ? "https://" : "http://").append(to.authority);
  if (!to.target.starts_with('/')) out.push_back('/');
  out.append(to.target).append(" HTTP/1.1\r\n");

  std::string_view host = to.authority;
  for (const auto& header : request.headers) {
    if (!is_token(header.name)) return failed(errc::invalid_input, "a header name is not a token");
    if (!is_value(header.value)) {
      return failed(errc::invalid_input,
                    fmt::format("the value of header {} holds a control character", header.name));
    }
    if (equal_ignoring_case(header.name, "host")) host = header.value;
  }
  line(out, "Host", host);
  for (const auto& header : request.headers) {
    if (is_ours(header.name) || equal_ignoring_case(header.name, "host")) continue;
    line(out, header.name, header.value);
  }
  if (!form.proxy_authorization.empty()) {
    line(out, "Proxy-Authorization", form.proxy_authorization.reveal());
  }

  std::size_t body_bytes = 0;
  for (const auto piece : request.body) body_bytes += piece.size();
  if (body_bytes > 0 || (request.method != "GET" && request.method != "HEAD")) {
    char digits[20];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), body_bytes).ptr;
    line(out, "Content-Length", {digits, static_cast<std::size_t>(end - digits)});
  }
  out.append("\r\n");
  if (out.size() > request_head_bytes_max) {
    return failed(errc::limit_exceeded, "the request head is too large");
  }
  return {};
}

}  // namespace tidegate::http::upstream
