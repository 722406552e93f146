#pragma once
/// Credential files for the terminal: a table, one file in detail, or either as JSON. Secrets are
/// masked; `disabled` is what is in force, by management or by the file. Blocking, read only.

#include <string>

#include "base/error.hpp"
#include "config/snapshot.hpp"
#include "provider/credential.hpp"

namespace tidegate::app {

/// Prints all files of the directory. errc::io_failure: it could not be read, or not as a whole.
result<void> print_files(const config::snapshot& settings, bool as_json);

/// Prints one. errc::not_found: there is none of this name.
result<void> print_file(const config::snapshot& settings, const std::string& name, bool as_json);

/// The file's text as the gateway would use it.
result<provider::credential> record_of(const config::snapshot& settings, const std::string& name,
                                       std::string_view text);

}  // namespace tidegate::app
