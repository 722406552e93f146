#pragma once
/// Blocking file access for the persistence actor only: atomic writes (temp, fsync, rename, fsync
/// of the directory), mode 0600, directories 0700, quarantine of corrupt files. Below the root no
/// symbolic link is followed. errc::io_failure, errc::not_found and errc::limit_exceeded as in
/// persistence/directory.hpp.

#include <cstddef>
#include <functional>
#include <set>
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
  /// `root` may begin with `~`. Nothing is read or written before the first call.
  explicit cooldown_store(std::string root);

  /// Writes, or deletes the file when no block is left. Other files are not touched, and a file
  /// shared with another credential keeps that one's records.
  result<void> save(const cooldown_record& record, std::string_view file, instant now);
  result<void> remove(const credential_id& id, std::string_view file);
  /// One credential's record; empty when it has no file. A corrupt file becomes `NAME.corrupt`
  /// (its content is kept) and is reported as errc::invalid_input. The first load in a directory
  /// also clears it of temp files that a killed writer left behind.
  result<cooldown_record> load(const credential_id& id, std::string_view file, instant now);

 private:
  std::string root_;
  std::set<std::string> swept_;  ///< directories already cleared of temp files
};

/// How a file looked, without its content: inode, size and times. Empty = not looked at.
using file_stamp = std::string;

/// A credential file as found in the directory.
struct credential_file {
  std::string relative_path;
  std::string absolute_path;
  std::string text;         ///< empty when `known` is set
  file_stamp stamp{};
  bool known = false;       ///< looks as the caller knows it: not read
};

struct credential_problem {
  std::string relative_path;  ///< empty = the directory as a whole; odd bytes of a name as `\xHH`
  std::string absolute_path;
  std::string reason;
};

struct credential_listing {
  std::vector<credential_file> files;   ///< sorted by relative path
  /// Unreadable, too large (1 MiB), not a regular file, a link, a name that is no UTF-8 or that
  /// leaves no room for `.NAME.lock`.
  std::vector<credential_problem> problems;
};

/// What the caller knows of a relative path; nullptr = nothing, so the file is read.
using known_stamp = std::function<const file_stamp*(const std::string& relative_path)>;

inline constexpr std::size_t credential_file_bytes_max = 1024 * 1024;
inline constexpr std::size_t credential_bytes_total_max = 256 * 1024 * 1024;
inline constexpr int credential_depth_max = 8;
/// Of one part of a path: what file systems take, less what `.NAME.lock` adds.
inline constexpr std::size_t credential_part_bytes_max = 249;
inline constexpr std::size_t credential_files_max = 20'000;
inline constexpr std::size_t listing_problems_max = 100;

/// Every `*.json` below the directory (recursive, bounded depth 8 and 20,000 files). A missing
/// directory is an empty listing. No link below it is followed: a linked file is a problem, a linked
/// directory is not entered. Names that begin with a dot are left out.
credential_listing list_credential_files(const std::string& auth_dir,
                                         const known_stamp& known = {});

/// Temp file in the same directory, fsync, rename, fsync of the directory.
result<void> write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode);
result<std::string> read_file(const std::string& path, std::size_t bytes_max);

/// `~` and `~/…` resolved with $HOME.
std::string expand_home(std::string_view path);

}  // namespace tidegate::persistence
