#pragma once
/// Renewal of Antigravity account tokens: a form to Google. Client id and secret come from the
/// configuration, none are built in.

#include "provider/token.hpp"

namespace tidegate::provider::antigravity {

extern const token_rules tokens;

}  // namespace tidegate::provider::antigravity
