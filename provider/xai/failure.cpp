#include "provider/classify.hpp"
#include "provider/instants.hpp"
#include "provider/responses_frame.hpp"
#include "provider/text_match.hpp"
#include "provider/xai/provider.hpp"

namespace tidegate::provider::xai {
namespace {

/// The free allowance returns once a day; no reply says when.
constexpr std::chrono::hours free_usage_wait{24};

/// A token that has ended comes as 403.
int normalised(int status, const error_body& body) {
  const bool stale =
      status == 403 &&
      contains_any(lower(body.text()), {"bad-credentials", "access token could not be validated"});
  return stale ? 401 : status;
}

bool used_up_free_usage(const error_body& body) {
  return contains_any(lower(body.text()), {"free-usage-exhausted", "included free usage"});
}

quota::outcome conclude(int status, const error_body& body, const header_lookup& header,
                        const attempt_view& attempt) {
  auto out = classify_shared(normalised(status, body), body, header, attempt);
  if (out.kind == quota::outcome_class::quota && used_up_free_usage(body)) {
    out.deadline = instant_after(attempt.observed_at, free_usage_wait);
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
  const error_body body{frame.data};
  return conclude(status_of_responses_frame(body), body, header, attempt);
}

}  // namespace tidegate::provider::xai
