#pragma once
/// Blocking file access for the persistence actor only: atomic writes (temp, fsync, rename, fsync
/// of the directory), mode 0600, directories 0700, quarantine of corrupt files.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "persistence/cooldown_file.hpp"

namespace tidegate::persistence {

struct loaded_cooldowns {
  std::vector<cooldown_record> records;
  std::vector<std::string> problems;  ///< one line per file that was set aside, for the log
};

class cooldown_store {
 public:
  explicit cooldown_store(std::string root);

  /// Writes, or deletes the file when no block is left. Other files are not touched.
  result<void> save(const cooldown_record& record, std::string_view file, instant now);
  result<void> remove(const credential_id& id, std::string_view file);
  /// One credential's record; empty when it has no file. A corrupt file becomes `NAME.corrupt`
  /// (its content is kept) and is reported as errc::invalid_input.
  result<cooldown_record> load(const credential_id& id, std::string_view file, instant now);

 private:
  std::string root_;
};

/// A credential file as found in the directory.
struct credential_file {
  std::string relative_path;
  std::string absolute_path;
  std::string text;
};

struct credential_listing {
  std::vector<credential_file> files;   ///< sorted by relative path
  std::vector<std::string> problems;    ///< unreadable, too large (1 MiB), not a regular file, symlink outside
};

/// Every `*.json` below the directory (recursive, bounded depth 8 and 20,000 files). A missing
/// directory is an empty listing.
credential_listing list_credential_files(const std::string& auth_dir);

/// Temp file in the same directory, fsync, rename, fsync of the directory.
result<void> write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode);
result<std::string> read_file(const std::string& path, std::size_t bytes_max);

/// `~` and `~/…` resolved with $HOME.
std::string expand_home(std::string_view path);

}  // namespace tidegate::persistence
