#pragma once
/// Renewal of ChatGPT account tokens: a form to the token endpoint. An answer may bring a new
/// refresh token, and the old one is void from then on (`refresh_token_reused`).

#include "provider/token.hpp"

namespace tidegate::provider::codex {

extern const token_rules tokens;

}  // namespace tidegate::provider::codex
