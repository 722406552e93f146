#include "provider/classify.hpp"
#include "provider/gemini/provider.hpp"
#include "provider/google_quota.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::gemini {
namespace {

/// Google refuses a bad key with 400 INVALID_ARGUMENT.
bool refuses_key(int status, const error_body& body) {
  return status == 400 &&
         (has_google_reason(body, "API_KEY_INVALID") ||
          contains_any(lower(body.message()), {"api key not valid", "api key expired"}));
}

quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  if (refuses_key(status, body)) {
    out.kind = quota::outcome_class::unauthorized;
    out.covers = quota::scope::credential;
  }
  const auto evidence = read_google_quota(status, body, header, attempt.observed_at);
  out.exhausted = evidence.exhausted;
  out.quota_reset = evidence.reset;
  apply_surface_rules(out, attempt.surface);
  return out;
}

}  // namespace

quota::outcome classify(const reply_view& reply, const attempt_view& attempt) {
  return conclude(reply.status, error_body{reply.body}, reply.header, attempt);
}

quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt) {
  return conclude_frame(conclude, frame, header, attempt);
}

}  // namespace tidegate::provider::gemini
