#pragma once
/// Renewal of Claude account tokens: a JSON object to the token endpoint. A 429 blocks for 5
/// seconds to 5 minutes; any other refusal that is stated in JSON is final.

#include "provider/token.hpp"

namespace tidegate::provider::claude {

extern const token_rules tokens;

}  // namespace tidegate::provider::claude
