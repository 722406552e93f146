#include "provider/classify.hpp"

namespace tidegate::provider {
namespace {

quota::outcome without_reply(quota::outcome_class kind, std::string_view detail,
                             const attempt_view& attempt) {
  quota::outcome out;
  out.kind = kind;
  out.cause = redact(detail);
  out.started_at = attempt.started_at;
  out.observed_at = attempt.observed_at;
  return out;
}

}  // namespace

quota::outcome transport_failure(std::string_view detail, const attempt_view& attempt) {
  return without_reply(quota::outcome_class::transport, detail, attempt);
}

quota::outcome lifecycle_end(std::string_view detail, const attempt_view& attempt) {
  return without_reply(quota::outcome_class::lifecycle, detail, attempt);
}

}  // namespace tidegate::provider
