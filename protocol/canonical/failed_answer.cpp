#include "protocol/canonical/failed_answer.hpp"

#include <algorithm>
#include <array>

#include "protocol/error_shape.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol {
namespace {

constexpr std::array<std::string_view, 10> messages_types{
    "invalid_request_error", "authentication_error", "billing_error", "permission_error",
    "not_found_error",       "request_too_large",    "api_error",     "rate_limit_error",
    "timeout_error",         "overloaded_error"};

constexpr int bad_request = 400;
constexpr int bad_gateway = 502;
constexpr int unavailable = 503;
constexpr int overloaded = 529;

int status_of(const failed_event& what) {
  return what.status >= 400 && what.status <= 599 ? what.status : bad_gateway;
}

std::string_view message_of(const failed_event& what) {
  return what.message.empty() ? reason_phrase(status_of(what)) : std::string_view{what.message};
}

/// 403 lends no code: `insufficient_quota` would tell a used-up quota from a missing right.
std::string_view openai_code_of(const failed_event& what) {
  if (!what.code.empty()) return what.code;
  const int status = status_of(what);
  return status == 403 ? std::string_view{} : openai_code(status);
}

std::string openai_error(const failed_event& what) {
  object_writer error;
  error.text("message", message_of(what)).text("type", openai_type(status_of(what)));
  if (const auto code = openai_code_of(what); !code.empty()) error.text("code", code);
  return error.str();
}

std::string messages_body(const failed_event& what) {
  const bool own_word = std::ranges::find(messages_types, what.type) != messages_types.end();
  return anthropic_error_body(own_word ? what.type : anthropic_type(status_of(what)),
                              message_of(what));
}

/// Google has no word for Anthropic's "overloaded"; unavailable is what it means.
int google_status_of(const failed_event& what) {
  const int status = status_of(what);
  return status == overloaded ? unavailable : status;
}

std::string gemini_body(const failed_event& what) {
  const int status = google_status_of(what);
  object_writer error;
  error.number("code", status).text("message", message_of(what));
  error.text("status", google_status(status));
  return object_writer{}.raw("error", error.str()).str();
}

/// Codex tries again whatever has no code that it knows; a request that is wrong stays wrong.
failed_event for_codex(failed_event what) {
  if (what.code.empty() && status_of(what) == bad_request) what.code = "invalid_prompt";
  return what;
}

std::string responses_frame(const failed_event& what, bool codex_client, std::int64_t sequence) {
  if (codex_client) {
    object_writer response;
    response.text("status", "failed").raw("error", openai_error(for_codex(what)));
    object_writer out;
    out.text("type", "response.failed").number("sequence_number", sequence);
    return "event: response.failed\ndata: " + out.raw("response", response.str()).str() + "\n\n";
  }
  const auto code = openai_code_of(what);
  object_writer out;
  out.text("type", "error").text("code", code.empty() ? openai_type(status_of(what)) : code);
  out.text("message", message_of(what)).number("sequence_number", sequence);
  return "event: error\ndata: " + out.str() + "\n\n";
}

}  // namespace

std::string failure_body(wire form, const failed_event& what) {
  switch (form) {
    case wire::anthropic_messages:
      return messages_body(what);
    case wire::gemini:
      return gemini_body(what);
    case wire::openai_responses:
    case wire::openai_chat:
      break;
  }
  return object_writer{}.raw("error", openai_error(what)).str();
}

std::string failure_frame(wire form, const failed_event& what, bool codex_client,
                          std::int64_t sequence) {
  switch (form) {
    case wire::openai_responses:
      return responses_frame(what, codex_client, sequence);
    case wire::anthropic_messages:
      return "event: error\ndata: " + failure_body(form, what) + "\n\n";
    // A named event would be passed over by Google's SDK, and the stream would look finished.
    case wire::gemini:
    case wire::openai_chat:
      break;
  }
  return "data: " + failure_body(form, what) + "\n\n";
}

}  // namespace tidegate::protocol
