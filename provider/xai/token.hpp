#pragma once
/// Renewal of xAI account tokens: a form to the token endpoint. The address is the configured one,
/// never one that a credential file names.

#include "provider/token.hpp"

namespace tidegate::provider::xai {

extern const token_rules tokens;

}  // namespace tidegate::provider::xai
