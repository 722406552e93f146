#pragma once
/// What operators are shown, as plain values: filled by the actors, written by management.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "provider/credential.hpp"
#include "quota/block_set.hpp"
#include "quota/windows.hpp"

namespace tidegate::http {

/// How it stands with the renewal of an account's token.
struct token_view {
  std::string state = "none";         ///< none, waiting, running, failed, rejected
  std::optional<instant> next;        ///< when it is renewed next; none = not by itself
  std::optional<instant> last_success;
  std::string reason;                 ///< of the last failure; empty after a success
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
};

/// Requests of one period of ten minutes.
struct recent_count {
  instant begin{};
  std::uint64_t served = 0;
  std::uint64_t failed = 0;

  friend bool operator==(const recent_count&, const recent_count&) = default;
};

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
  token_view token;
  std::vector<recent_count> recent;  ///< oldest first
};

/// A credential file that cannot be used as it is now.
struct unusable_file {
  std::string name;            ///< relative to the credential directory; empty = the directory
  std::string path;
  std::string reason;
  bool earlier_holds = false;  ///< what it said before is still in force

  friend bool operator==(const unusable_file&, const unusable_file&) = default;
};

/// A credential file as the file system shows it.
struct file_look {
  std::uint64_t bytes = 0;
  instant modified{};
  std::string warning;  ///< of its permissions; empty = none
};

/// By name relative to the credential directory; the empty name is the directory itself.
using file_looks = std::map<std::string, file_look>;

/// How the last reload went, for `/readyz`, the log and management.
struct reload_view {
  bool ok = true;
  bool changed = false;
  instant at{};
  std::vector<std::string> changes;            ///< `key: old -> new`, secrets masked
  std::vector<std::string> restart_required;   ///< keys that wait for a restart
  std::vector<std::string> problems;           ///< `FILE:LINE:COL: ...` and per-file reasons
  std::vector<unusable_file> unusable_files;
  std::shared_ptr<const file_looks> files;     ///< null: not looked at
};

}  // namespace tidegate::http
