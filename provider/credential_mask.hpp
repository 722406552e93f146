#pragma once
/// Credential files for people: every text that may be a secret masked. Pure.

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tidegate::provider {

/// The file, indented, with what stands below a name such as `token`, `secret`, `key` or `headers`
/// masked. errc::invalid_input: no JSON within the bounds of a credential file.
result<std::string> masked_file(std::string_view text);

}  // namespace tidegate::provider
