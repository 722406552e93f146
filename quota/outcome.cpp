#include "quota/outcome.hpp"

namespace tidegate::quota {

std::string_view to_string(outcome_class kind) {
  switch (kind) {
    case outcome_class::success: return "success";
    case outcome_class::quota: return "quota";
    case outcome_class::unauthorized: return "unauthorized";
    case outcome_class::payment_required: return "payment_required";
    case outcome_class::invalid_grant: return "invalid_grant";
    case outcome_class::model_not_supported: return "model_not_supported";
    case outcome_class::not_found: return "not_found";
    case outcome_class::cloudflare_challenge: return "cloudflare_challenge";
    case outcome_class::transient: return "transient_error";
    case outcome_class::transport: return "transport";
    case outcome_class::lifecycle: return "lifecycle";
    case outcome_class::request_fault: return "request_fault";
    case outcome_class::cancelled: return "cancelled";
  }
  return "unknown";
}

}  // namespace tidegate::quota
