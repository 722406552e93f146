#include "http/management/endpoint.hpp"

#include "base/utf8.hpp"
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

protocol::reply failure_reply(int status, const ordered_json& body) {
  auto reply = json_reply(status, body);
  if (status == 503) {
    reply.headers.emplace_back("Retry-After", std::to_string(unavailable_wait.count()));
  }
  return reply;
}

protocol::reply mistake(const error& what) {
  const std::string_view text = what.detail.empty() ? to_string(what.code) : what.detail;
  return failure_reply(status_of(what.code), {{"error", text}});
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
  if (found && !is_plain_text(*found)) {
    return failed(errc::invalid_input,
                  std::string{name} + " is not UTF-8, or holds a control character");
  }
  return found;
}

result<bool> query_flag(std::string_view query, std::string_view name) {
  const auto text = query_value(query, name);
  if (!text) return std::unexpected{text.error()};
  if (!*text || **text == "false") return false;
  if (**text == "true") return true;
  return failed(errc::invalid_input, std::string{name} + " is true or false");
}

result<json> body_object(const request& in) {
  return body_object(in, {body_bytes_max, body_depth_max, true});
}

result<json> body_object(const request& in, const json_bounds& bounds) {
  auto body = parse_bounded_json(in.body, bounds);
  if (body && body->is_object()) return body;
  const auto why = body ? std::string{"not a JSON object"} : body.error().detail;
  return failed(errc::invalid_input, "invalid request body: " + why);
}

result<std::optional<std::string>> text_member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return failed(errc::invalid_input, std::string{name} + " is not a text");
  return found->get<std::string>();
}

}  // namespace tidegate::http::management
