#include "provider/antigravity/provider.hpp"
#include "provider/classify.hpp"
#include "provider/google_quota.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::antigravity {
namespace {

using quota::outcome_class;

/// A used-up quota and a limit of minutes or seconds differ in their deadlines, not in their kind:
/// without one the ladder decides.
quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(status, body, header, attempt);
  if (out.kind == outcome_class::quota) {
    out.exhausted = read_google_quota(status, body, header, attempt.observed_at).exhausted;
    out.deadline = read_google_hint(body, attempt.observed_at);
    if (out.exhausted) out.quota_reset = out.deadline;
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

bool is_local(const quota::outcome& failed) {
  if (failed.kind == outcome_class::transport || failed.status == 429) return true;
  return failed.status == 503 &&
         lower(failed.cause).find("no capacity available") != std::string::npos;
}

}  // namespace tidegate::provider::antigravity
