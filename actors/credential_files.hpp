#pragma once
/// The credential directory as it was last read: only what changed is read again, and a file that
/// cannot be understood keeps its earlier record in force until it is gone. Blocking; owner: the
/// config source, on the config actor's thread.

#include <map>
#include <string>
#include <vector>

#include "config/snapshot.hpp"
#include "http/views.hpp"
#include "persistence/store.hpp"
#include "provider/credential.hpp"

namespace tidegate::actors {

class credential_files {
 public:
  /// Reads the directory of `settings`. `settings_changed`: what is said of accounts there may
  /// have changed too, so every file is read.
  void read(const config::snapshot& settings, bool settings_changed);

  /// Records in order of their files; those of unusable files included while an earlier one holds.
  std::vector<provider::credential_ptr> records() const;
  std::vector<http::unusable_file> unusable() const;
  /// Whether a file looks otherwise than when it was last read. Reads the new ones.
  bool changed() const;

 private:
  struct known_file {
    persistence::file_stamp stamp;
    provider::credential_ptr record;  ///< of the last content that could be understood; or null
    std::string path;
    std::string problem;  ///< empty = none
    std::string copy_of;  ///< another file with the same login; stays so until this one changes
  };

  /// One login renewed in two files would void itself: of the same refresh tokens one file's counts.
  void find_copies(const std::vector<std::string>& changed);
  void take(const persistence::credential_file& file, const provider::credential_options& options);
  void take(const persistence::credential_problem& what,
            std::map<std::string, known_file>& earlier);

  std::string directory_;
  std::map<std::string, known_file> files_;  ///< by relative path
};

}  // namespace tidegate::actors
