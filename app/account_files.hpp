#pragma once
/// The credential directory as the command line uses it: under the files' locks, beside a gateway
/// that may be running. Blocking. Errors as in persistence/credential_store.hpp.

#include <functional>
#include <string>

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/snapshot.hpp"
#include "persistence/credential_store.hpp"
#include "provider/login/account_file.hpp"

namespace tidegate::app {

/// What a configuration file says, every mistake printed on stderr; null when it cannot be used.
/// A file that is missing under the name that nobody chose means the defaults.
config::snapshot_ptr settings_of(const std::string& path, bool chosen);

instant system_now();

/// The directory can be written; it is made when it is missing.
result<void> writable_directory(const std::string& root);

struct stored_account {
  std::string path;
  bool existed = false;  ///< settings of the former file were kept
};

/// Writes the file of an account that has logged in or was imported. A file of its name keeps its
/// settings when it is the same provider's; else it stays beside the new one as `.NAME.bak`.
result<stored_account> store_account(const std::string& root,
                                     const provider::login::account_file& made);

/// The right to change a file; waits for whoever holds it, as patiently() does.
result<persistence::credential_edit> edit_account(const std::string& root, const std::string& name);

/// Calls again while another process holds the file, 40 seconds at most, and says so on stderr.
result<void> patiently(const std::string& name, const std::function<result<void>()>& run);

/// Why a file cannot be used as it is, with its name and what to do.
std::unexpected<error> unusable_file(const std::string& name, const error& why);

/// The text for the terminal: without what could steer one.
std::string printable(std::string_view text);

}  // namespace tidegate::app
