#pragma once
/// What the credential files of all accounts with tokens have in common. Pure.

#include <string_view>

#include "provider/credential.hpp"
#include "provider/credential_fields.hpp"

namespace tidegate::provider {

/// Label, access and refresh token, and when the access token ends.
void read_tokens(credential& made, credential_fields& fields);

/// The end of the access token, for files that only say when it was given out and for how long.
void infer_expiry(credential& made, credential_fields& fields, std::string_view given_out);

}  // namespace tidegate::provider
