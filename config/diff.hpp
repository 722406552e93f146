#pragma once
/// What changed between two snapshots, for the log after a reload: one line for each key, without
/// secrets. URLs are cut to scheme and host.

#include <string>
#include <vector>

#include "config/schema.hpp"
#include "config/snapshot.hpp"

namespace tidegate::config {

struct change_summary {
  std::vector<std::string> lines;         ///< `key: old -> new`, in the order of the table
  std::vector<std::string> restart_keys;  ///< changed keys that count after a restart only

  bool empty() const noexcept { return lines.empty(); }
  /// "restart required for: server.host, server.port", or nothing.
  std::string restart_line() const;
};

change_summary summarize_changes(const snapshot& before, const snapshot& after);
change_summary summarize_changes(const schema& table, const snapshot& before,
                                 const snapshot& after);

/// Equal in every key of the table; path and generation do not count.
bool same_settings(const snapshot& a, const snapshot& b);

}  // namespace tidegate::config
