#include "provider/account_tokens.hpp"
#include "provider/antigravity/provider.hpp"

namespace tidegate::provider::antigravity {

void read_account(credential& made, credential_fields& fields) {
  read_tokens(made, fields);
  infer_expiry(made, fields, "timestamp");
  made.project_id = fields.text("project_id");
}

}  // namespace tidegate::provider::antigravity
