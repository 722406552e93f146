#pragma once
/// The assertion by which a Google service account asks for an access token: a JSON web token
/// signed with its RSA key (RS256), valid for an hour.

#include <string>

#include "base/error.hpp"
#include "base/time.hpp"
#include "provider/credential.hpp"

namespace tidegate::provider::vertex {

/// Whether an assertion can be made at all; errors as below.
result<void> can_sign(const service_account& who);

/// errc::invalid_input names the field that is missing or no private key; its text is not repeated.
result<secret_string> signed_assertion(const service_account& who, instant now);

}  // namespace tidegate::provider::vertex
