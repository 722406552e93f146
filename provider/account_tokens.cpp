#include "provider/account_tokens.hpp"

#include "provider/instants.hpp"

namespace tidegate::provider {

void read_tokens(credential& made, credential_fields& fields) {
  made.label = fields.text("email");
  made.secret = secret_string{fields.text("access_token")};
  made.refresh_token = secret_string{fields.text("refresh_token")};
  made.expires_at = fields.expiry();
  made.refreshed_at = fields.last_refresh();
}

void infer_expiry(credential& made, credential_fields& fields, std::string_view given_out) {
  const auto lifetime = fields.integer("expires_in", 0, unix_seconds_max);
  const auto since = fields.time(given_out);
  if (made.expires_at || !since || lifetime.value_or(0) == 0) return;
  made.expires_at = instant_after(*since, std::chrono::seconds{*lifetime});
}

}  // namespace tidegate::provider
