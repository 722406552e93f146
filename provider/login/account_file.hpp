#pragma once
/// The credential file of an account that has just logged in: codex, kimi and xai. Whose account it
/// is stands in the claims of its own tokens, which are read without verifying.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "provider/token.hpp"

namespace tidegate::provider::login {

struct account_file {
  std::string name;   ///< safe: [A-Za-z0-9@._+-], at most 200 bytes, `.json`
  std::string text;   ///< JSON with the tokens
  std::string label;  ///< e-mail or what else names the account; may be empty
};

/// What of a text may stand in a file's name: other characters become hyphens.
std::string name_part(std::string_view text);

/// errc::invalid_input: no login of this provider, or tokens that cannot be renewed. When a file of
/// this name exists, with_tokens (provider/credential_rewrite.hpp) puts the tokens into it and
/// keeps its settings. `account_id`: Codex's, where its token does not say; without any name of the
/// account the file is named after the login itself.
result<account_file> account_file_of(kind k, const fresh_tokens& fresh, std::string_view device_id,
                                     instant now, std::string_view account_id = {});

}  // namespace tidegate::provider::login
