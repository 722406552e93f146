#pragma once
/// In-band errors of the Responses protocol, which name their kind in words. Pure.

#include "provider/error_body.hpp"

namespace tidegate::provider {

/// stated_status, else what the words say: context and signature faults and invalid requests 400,
/// authentication 401, permission 403, not found 404, rate limit 429, overload 503, else 502.
int status_of_responses_frame(const error_body& body);

}  // namespace tidegate::provider
