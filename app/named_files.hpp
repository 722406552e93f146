#pragma once
/// The files that a command line or a configuration names, looked at before they are needed. Reads
/// the disk; called before the start only, so that a certificate that is just being replaced never
/// keeps a running gateway from a new configuration.

#include <optional>
#include <string>
#include <vector>

#include "config/snapshot.hpp"

namespace tidegate::app {

/// Why a file cannot be read, such as "is a directory"; nullopt when it can.
std::optional<std::string> unreadable(const std::string& path);

/// What a gateway could not do its work with: certificate and key of the listener, certificate
/// authorities, the credential directory. One line for each, in the form of config/check.hpp with
/// the place in `config_path` that names it.
std::vector<std::string> unusable_files(const std::string& config_path,
                                        const config::snapshot& snapshot);

}  // namespace tidegate::app
