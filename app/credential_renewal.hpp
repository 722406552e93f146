#pragma once
/// New tokens for one credential file from the command line, under the file's lock, so that no
/// other process uses up the same refresh token.

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/time.hpp"
#include "config/snapshot.hpp"

namespace tidegate::app {

struct renewed_file {
  std::optional<instant> expires_at;
  bool written = true;     ///< false: a service account, whose tokens are kept in no file
  bool by_others = false;  ///< another process had just renewed it
};

/// errc::not_found: no such file; errc::cancelled: the login is void; errc::unavailable: not now.
result<renewed_file> renew_file(const config::snapshot_ptr& settings, const std::string& name);

}  // namespace tidegate::app
