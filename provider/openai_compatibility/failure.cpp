#include "provider/classify.hpp"
#include "provider/google_quota.hpp"
#include "provider/openai_compatibility/provider.hpp"
#include "provider/openai_limit.hpp"

namespace tidegate::provider::openai_compatibility {
namespace {

quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  if (out.kind == quota::outcome_class::quota) {
    const auto limit = read_openai_limit(body, header, attempt.observed_at);
    const auto google = read_google_quota(status, body, header, attempt.observed_at);
    out.deadline = limit.deadline;
    out.exhausted = google.exhausted || limit.exhausted;
    out.quota_reset = google.reset;
  }
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

}  // namespace tidegate::provider::openai_compatibility
