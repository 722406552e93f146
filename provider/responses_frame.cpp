#include "provider/responses_frame.hpp"

#include "provider/classify.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider {
namespace {

bool is_base_400(const error_body& body) {
  const auto code = lower(body.first("code"));
  const auto text = lower(body.message());
  return contains_any(code, {"context_length_exceeded", "context_too_large", "signature",
                             "invalid_encrypted_content"}) ||
         contains_any(text, {"context window", "context length", "invalid signature"});
}

}  // namespace

int status_of_responses_frame(const error_body& body) {
  if (const auto stated = stated_status(body)) return *stated;
  const auto type = lower(string_of(body.error(), "type"));
  const auto code = lower(body.first("code"));
  const auto word = type + ' ' + code;
  if (is_base_400(body) || contains_any(word, {"invalid_request", "invalid_prompt"})) return 400;
  if (contains_any(word, {"authentication"})) return 401;
  if (contains_any(word, {"permission"})) return 403;
  if (contains_any(word, {"not_found"})) return 404;
  if (contains_any(word, {"rate_limit"})) return 429;
  if (contains_any(word, {"overloaded", "service_unavailable"})) return 503;
  return 502;
}

}  // namespace tidegate::provider
