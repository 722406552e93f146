#include "provider/messages_frame.hpp"

#include "provider/text_match.hpp"

namespace tidegate::provider {
namespace {

int status_of_type(std::string_view type) {
  if (type == "invalid_request_error") return 400;
  if (type == "authentication_error") return 401;
  if (type == "billing_error") return 402;
  if (type == "permission_error") return 403;
  if (type == "not_found_error") return 404;
  if (type == "request_too_large") return 413;
  if (type == "rate_limit_error") return 429;
  if (type == "api_error") return 500;
  if (type == "timeout_error") return 504;
  if (type == "overloaded_error") return 529;
  return 502;
}

}  // namespace

int status_of_messages_frame(const error_body& body) {
  return status_of_type(lower(string_of(body.error(), "type")));
}

}  // namespace tidegate::provider
