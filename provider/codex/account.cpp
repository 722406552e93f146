#include "base/time_text.hpp"
#include "provider/account_tokens.hpp"
#include "provider/claims.hpp"
#include "provider/codex/provider.hpp"

namespace tidegate::provider::codex {

void read_account(credential& made, credential_fields& fields) {
  read_tokens(made, fields);
  const auto claims = openai_claims(fields.text("id_token"));
  made.account_id = fields.text("account_id");
  if (made.account_id.empty()) made.account_id = claim_text(claims, "chatgpt_account_id");
  made.plan_type = fields.text("plan_type");
  if (made.plan_type.empty()) made.plan_type = claim_text(claims, "chatgpt_plan_type");
  made.subscribed_from = parse_rfc3339(claim_text(claims, "chatgpt_subscription_active_start"));
  made.subscribed_until = parse_rfc3339(claim_text(claims, "chatgpt_subscription_active_until"));
}

}  // namespace tidegate::provider::codex
