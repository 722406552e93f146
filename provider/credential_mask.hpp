#pragma once
/// Credential files and addresses for people: every text that may be a secret masked. Pure; lists,
/// downloads and the command line all show through here.

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tidegate::provider {

/// The file, indented, with what stands below a name such as `token`, `secret`, `key`, `cookie` or
/// `headers` masked, numbers included, and in every text that is an address its login and its
/// query. A text that looks like a token is one, whatever its name. A secret of less than 24
/// characters is masked wholly, other numbers stay as they are spelled. errc::invalid_input: no
/// JSON object within the bounds of a credential file.
result<std::string> masked_file(std::string_view text);

/// An address without the login in front of its host and without what its query and fragment say.
/// Another text stays as it is.
std::string masked_url(std::string_view text);

}  // namespace tidegate::provider
