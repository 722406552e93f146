#include "http/server/refusal.hpp"

#include <nlohmann/json.hpp>

namespace tidegate::http {

protocol::reply refusal(int status, std::string_view message, std::optional<protocol::wire> form,
                        protocol::failure_kind kind) {
  protocol::reply out;
  if (form) {
    protocol::failure what;
    what.kind = kind;
    what.message = message;
    // None of these kinds has a reopening time, so that no clock is needed.
    out = protocol::encode_failure(*form, what, instant{});
  } else {
    const char* type = status >= 500 ? "server_error" : "invalid_request_error";
    const nlohmann::ordered_json body{{"error", {{"message", message}, {"type", type}}}};
    out.headers.emplace_back("Content-Type", "application/json");
    out.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  out.status = status;
  return out;
}

}  // namespace tidegate::http
