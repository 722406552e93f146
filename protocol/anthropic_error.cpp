#include "protocol/error_shape.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

std::string wrapped(const object_writer& error) {
  return object_writer{}.text("type", "error").raw("error", error.str()).str();
}

/// T3 Code reads the reset from the end of the message, nothing may follow it.
std::string usage_limit_body(const failure& what, instant now) {
  const auto reset = reset_of(what, now);
  std::string message = message_of(what);
  if (reset) message += " (reset after " + reset->text + ")";
  object_writer error;
  error.text("type", "rate_limit_error").text("message", message);
  if (reset) error.number("resets_at", reset->at);
  error.boolean("retryable", false);
  return wrapped(error);
}

}  // namespace

std::string anthropic_error_body(std::string_view type, std::string_view message) {
  return wrapped(object_writer{}.text("type", type).text("message", message));
}

reply anthropic_reply(const failure& what, instant now) {
  const int status = status_of(what.kind);
  reply out{status, headers_of(wire::anthropic_messages, what, now), {}};
  if (what.kind == failure_kind::usage_limit) {
    out.body = usage_limit_body(what, now);
  } else {
    const bool login = what.kind == failure_kind::auth_required;
    out.body = anthropic_error_body(login ? "authentication_error" : anthropic_type(status),
                                    coded_message_of(what));
  }
  return out;
}

}  // namespace tidegate::protocol
