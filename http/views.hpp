#pragma once
/// What operators are shown, as plain values: filled by the actors, written by management.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "provider/credential.hpp"
#include "quota/block_set.hpp"
#include "quota/windows.hpp"

namespace tidegate::http {

/// A credential as operators see it.
struct credential_view {
  provider::credential_ptr record;
  std::vector<quota::block> blocks;            ///< active ones
  std::vector<quota::window_report> windows;   ///< newest per source
  std::uint64_t in_flight = 0;
  std::uint64_t served = 0;
  std::vector<std::pair<std::string, std::uint64_t>> failed;  ///< per outcome class
  std::string last_error;
  std::optional<instant> last_error_at;
};

/// How the last reload went, for `/readyz`, the log and management.
struct reload_view {
  bool ok = true;
  bool changed = false;
  instant at{};
  std::vector<std::string> changes;            ///< `key: old -> new`, secrets masked
  std::vector<std::string> restart_required;   ///< keys that wait for a restart
  std::vector<std::string> problems;           ///< `FILE:LINE:COL: ...` and per-file reasons
};

}  // namespace tidegate::http
