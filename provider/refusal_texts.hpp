#pragma once
/// What providers say in words, where neither status nor code tells: model refusals, challenge
/// pages, dead grants, items that were never stored. Matching is on lower-case text.

#include "provider/error_body.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider {

/// The credential cannot use the model: explicit code, or with 400, 404 and 422 the wording.
bool refuses_model(int status, const error_body& body);

/// A Cloudflare page instead of an answer. Only pages count, not JSON that quotes one.
bool is_challenge(int status, const error_body& body, const header_lookup& header);

/// `invalid_grant` with 400 or 401.
bool reports_dead_grant(int status, const error_body& body);

/// A 404 about an input item that the provider did not keep (`store` false).
bool misses_unstored_item(int status, const error_body& body);

}  // namespace tidegate::provider
