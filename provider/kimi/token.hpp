#pragma once
/// Renewal of Kimi account tokens: a form, with headers that name this gateway and the device id of
/// the login.

#include "provider/token.hpp"

namespace tidegate::provider::kimi {

extern const token_rules tokens;

}  // namespace tidegate::provider::kimi
