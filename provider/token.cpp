#include "provider/token.hpp"

#include "provider/antigravity/token.hpp"
#include "provider/claude/token.hpp"
#include "provider/codex/token.hpp"
#include "provider/kimi/token.hpp"
#include "provider/vertex/token.hpp"
#include "provider/xai/token.hpp"

#include <algorithm>

namespace tidegate::provider {

namespace {

constexpr int lifetime_part = 5;  // a fifth of it

/// How long before the end, but no more than a part of a lifetime that is known.
duration lead_of(const credential& who, const token_rules& rules) {
  const duration lead = rules.lead;
  if (!who.refreshed_at || *who.refreshed_at >= *who.expires_at) return lead;
  return std::min(lead, (*who.expires_at - *who.refreshed_at) / lifetime_part);
}

/// The operator's own rhythm: so long after the last renewal, or before the end when that is not
/// known.
std::optional<instant> by_interval(const credential& who, duration interval) {
  if (!who.refreshed_at) {
    return who.expires_at ? std::optional{*who.expires_at - interval} : std::nullopt;
  }
  const instant due = *who.refreshed_at + interval;
  return who.expires_at ? std::min(due, *who.expires_at) : due;
}

}  // namespace

const token_rules* token_rules_of(kind k) {
  switch (k) {
    case kind::codex:
      return &codex::tokens;
    case kind::claude:
      return &claude::tokens;
    case kind::vertex:
      return &vertex::tokens;
    case kind::antigravity:
      return &antigravity::tokens;
    case kind::xai:
      return &xai::tokens;
    case kind::kimi:
      return &kimi::tokens;
    case kind::openai_compatibility:
    case kind::gemini:
      return nullptr;
  }
  return nullptr;
}

bool same_tokens(const credential& a, const credential& b) {
  return a.secret == b.secret && a.refresh_token == b.refresh_token && a.signer == b.signer;
}

void copy_tokens(const credential& from, credential& to) {
  to.secret = from.secret;
  to.refresh_token = from.refresh_token;
  to.expires_at = from.expires_at;
  to.refreshed_at = from.refreshed_at;
  to.account_id = from.account_id;
  to.plan_type = from.plan_type;
}

bool renewable(const credential& who) {
  if (who.auth != auth_kind::account || token_rules_of(who.provider) == nullptr) return false;
  return who.provider == kind::vertex ? who.signer.has_value() : !who.refresh_token.empty();
}

std::optional<instant> renewal_due(const credential& who) {
  if (!renewable(who) || who.disabled || who.status_disabled) return std::nullopt;
  if (who.secret.empty()) return instant{};
  if (who.refresh_interval) return by_interval(who, *who.refresh_interval);
  if (!who.expires_at) return std::nullopt;
  return *who.expires_at - lead_of(who, *token_rules_of(who.provider));
}

}  // namespace tidegate::provider
