#include "http/management/endpoint.hpp"

#include "base/bounded_json.hpp"
#include "http/server/percent.hpp"

namespace tidegate::http::management {
namespace {

int status_of(errc code) {
  switch (code) {
    case errc::invalid_input:
      return 400;
    case errc::limit_exceeded:
      return 413;
    case errc::not_found:
      return 404;
    case errc::timed_out:
    case errc::connection_closed:
    case errc::cancelled:
    case errc::unavailable:
      return 503;
    case errc::io_failure:
    case errc::tls_failure:
      return 500;
  }
  return 500;
}

}  // namespace

protocol::reply json_reply(int status, const ordered_json& body) {
  protocol::reply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return reply;
}

protocol::reply mistake(int status, std::string_view text) {
  return json_reply(status, {{"error", text}});
}

protocol::reply mistake(const error& what) {
  const std::string_view text = what.detail.empty() ? to_string(what.code) : what.detail;
  auto reply = mistake(status_of(what.code), text);
  if (reply.status == 503) {
    reply.headers.emplace_back("Retry-After", std::to_string(unavailable_wait.count()));
  }
  return reply;
}

result<std::optional<std::string>> query_value(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto member = query.substr(0, end);
    const auto equals = member.find('=');
    if (percent_decode(member.substr(0, equals), true) == name) {
      if (found) {
        return failed(errc::invalid_input, "query member given twice: " + std::string{name});
      }
      found = equals == std::string_view::npos ? std::string{}
                                               : percent_decode(member.substr(equals + 1), true);
    }
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return found;
}

result<json> body_object(const request& in) {
  auto body = parse_bounded_json(in.body, {body_bytes_max, body_depth_max});
  if (!body || !body->is_object()) return failed(errc::invalid_input, "invalid request body");
  return body;
}

result<std::optional<std::string>> text_member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return failed(errc::invalid_input, "invalid request body");
  return found->get<std::string>();
}

}  // namespace tidegate::http::management
