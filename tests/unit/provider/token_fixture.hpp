#pragma once
/// Account credentials and token requests with invented values.

#include "base/base64.hpp"
#include "provider/token.hpp"
#include "tests/unit/provider/attempt_fixture.hpp"

namespace tidegate::provider::testing {

inline credential some_account(kind k) {
  credential who = some_credential(k);
  who.auth = auth_kind::account;
  who.refresh_token = secret_string{"rt-invented/+ 1"};
  return who;
}

inline std::string body_of(const upstream_request& request) {
  std::string out;
  for (const auto piece : request.body) out += piece;
  return out;
}

inline std::string header_of(const upstream_request& request, std::string_view name) {
  for (const auto& header : request.headers) {
    if (same_name(header.name, name)) return header.value;
  }
  return {};
}

/// A token with these claims; the signature is not one.
inline std::string token_with(std::string_view claims) {
  return base64url(R"({"alg":"none"})") + "." + base64url(claims) + ".sig";
}

}  // namespace tidegate::provider::testing
