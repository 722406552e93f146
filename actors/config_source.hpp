#pragma once
/// Reads a whole configuration from disk: the file, the credential directory, and what is wrong
/// with either. Blocking; called before the start and by the config actor only.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "http/views.hpp"
#include "provider/credential.hpp"

namespace tidegate::actors {

/// One attempt to read the configuration.
struct config_candidate {
  config::snapshot_ptr snapshot;  ///< null: refused, `problems` says why
  std::shared_ptr<const std::vector<provider::credential_ptr>> credentials;
  std::vector<http::unusable_file> unusable_files;
  std::shared_ptr<const http::file_looks> files;
  std::vector<std::string> problems;  ///< `FILE:LINE:COL: ...`, and one line per unusable file
};

/// Ports of the config actor, so that tests need no disk.
struct config_source {
  std::function<config_candidate()> read;
  /// Whether sizes, times or inodes differ from how they were just before the last `read` looked.
  /// `thorough` also looks at every credential file.
  std::function<bool(bool thorough)> changed;
};

/// The real ports. `path` is the configuration file.
config_source file_config_source(std::string path);

/// The environment of this process: its variables, and secret files of at most 64 KiB.
config::environment process_environment();

/// Directories whose entries matter: the file's parent and the credential directory.
std::vector<std::string> watched_directories(const std::string& path,
                                             const config::snapshot& snapshot);

}  // namespace tidegate::actors
