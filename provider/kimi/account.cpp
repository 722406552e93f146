#include "provider/account_tokens.hpp"
#include "provider/kimi/provider.hpp"

#include <algorithm>

namespace tidegate::provider::kimi {
namespace {

constexpr std::size_t device_bytes_max = 128;

}  // namespace

void read_account(credential& made, credential_fields& fields) {
  read_tokens(made, fields);
  made.device_id = fields.text("device_id");
  const bool plain = std::all_of(made.device_id.begin(), made.device_id.end(),
                                 [](char c) { return c > ' ' && c < 0x7F; });
  if (!plain || made.device_id.size() > device_bytes_max) {
    fields.report("`device_id` must be one short word");
  }
}

}  // namespace tidegate::provider::kimi
