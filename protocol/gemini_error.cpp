#include "protocol/error_shape.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {

reply gemini_reply(const failure& what, instant now) {
  const int status = status_of(what.kind);
  reply out{status, headers_of(wire::gemini, what, now), {}};
  if (what.kind == failure_kind::model_cooldown || what.kind == failure_kind::usage_limit) {
    out.body = object_writer{}.raw("error", openai_error_object(what, now)).str();
  } else {
    object_writer error;
    error.number("code", status).text("message", coded_message_of(what));
    error.text("status", google_status(status));
    out.body = object_writer{}.raw("error", error.str()).str();
  }
  return out;
}

}  // namespace tidegate::protocol
