#include "protocol/error_shape.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

void add_optional(object_writer& out, std::string_view key, std::string_view value) {
  if (!value.empty()) out.text(key, value);
}

std::string cooldown_object(const failure& what, instant now) {
  const reset_view reset = reset_of(what, now).value_or(reset_view{0, 0, "0s"});
  object_writer out;
  out.text("code", "model_cooldown");
  add_optional(out, "last_upstream_error", what.last_error);
  out.text("message", message_of(what)).text("model", what.model);
  add_optional(out, "provider", single_provider(what));
  out.number("reset_seconds", reset.seconds).text("reset_time", reset.text);
  return out.str();
}

std::string usage_limit_object(const failure& what, instant now) {
  const auto reset = reset_of(what, now);
  object_writer out;
  out.text("code", "model_cooldown").text("type", "usage_limit_reached");
  if (reset) out.number("resets_at", reset->at);
  out.boolean("retryable", false);
  if (what.window && what.window->count() > 0) {
    out.number("limit_window_minutes", what.window->count());
  }
  out.text("message", message_of(what)).text("model", what.model);
  add_optional(out, "provider", single_provider(what));
  if (reset) out.number("reset_seconds", reset->seconds).text("reset_time", reset->text);
  add_optional(out, "last_upstream_error", what.last_error);
  return out.str();
}

/// Kinds whose status would lend them the code of a different failure.
std::string_view code_of(failure_kind kind) {
  if (kind == failure_kind::model_not_found) return "model_not_found";
  if (kind == failure_kind::route_not_found) return {};
  if (kind == failure_kind::forbidden) return "forbidden";
  if (kind == failure_kind::not_supported) return "not_supported";
  if (kind == failure_kind::auth_required) return "upstream_authentication_required";
  return openai_code(status_of(kind));
}

}  // namespace

std::string openai_error_object(const failure& what, instant now) {
  if (what.kind == failure_kind::model_cooldown) return cooldown_object(what, now);
  if (what.kind == failure_kind::usage_limit) return usage_limit_object(what, now);
  const bool login = what.kind == failure_kind::auth_required;
  object_writer out;
  out.text("message", message_of(what));
  out.text("type", login ? "authentication_error" : openai_type(status_of(what.kind)));
  add_optional(out, "code", what.code.empty() ? code_of(what.kind) : what.code);
  if (what.kind == failure_kind::model_not_found) out.text("param", "model");
  if (login) out.boolean("retryable", false);
  return out.str();
}

reply openai_reply(const failure& what, instant now) {
  return {status_of(what.kind), headers_of(wire::openai_responses, what, now),
          object_writer{}.raw("error", openai_error_object(what, now)).str()};
}

}  // namespace tidegate::protocol
