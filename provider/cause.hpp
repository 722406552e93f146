#pragma once
/// The one-line reason that people see: `code: message`, without secrets, at most 256 characters.

#include "provider/credential.hpp"
#include "provider/error_body.hpp"

#include <string>

namespace tidegate::provider {

inline constexpr std::size_t cause_characters_max = 256;

/// Identifier and message of a body; only the message when it already names the identifier; the
/// text itself when it is not JSON; the status when there is nothing to say. The credential's own
/// secret is taken out wherever it appears.
std::string cause_of(int status, const error_body& body, const credential& who);

}  // namespace tidegate::provider
