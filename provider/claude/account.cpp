#include "provider/account_tokens.hpp"
#include "provider/claude/provider.hpp"

namespace tidegate::provider::claude {

void read_account(credential& made, credential_fields& fields) {
  read_tokens(made, fields);
}

}  // namespace tidegate::provider::claude
