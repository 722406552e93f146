#pragma once
/// The schema: every key of the configuration, once. Reading, the check for unknown keys, the
/// change summary, the printed configuration and docs/configuration.md follow from these tables;
/// to add a key is to add a row.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/codec.hpp"
#include "config/snapshot.hpp"

namespace tidegate::config {

/// When a changed value counts.
enum class applies : std::uint8_t { live, restart };

/// An older name of a key. The first name present in a text wins, the v8 path before all others.
struct spelling {
  spelling(const char* p) : path(p) {}  // NOLINT: a row lists plain names
  spelling(std::string p, std::function<void(const node&, const read_scope&, snapshot&)> r)
      : path(std::move(p)), read(std::move(r)) {}

  std::string path;
  /// Reads the older layout; empty = as the v8 path is read.
  std::function<void(const node&, const read_scope&, snapshot&)> read;
};

struct key_row {
  std::string path;             ///< v8 path, dotted
  std::vector<spelling> older;  ///< in falling precedence
  applies when = applies::live;
  std::string text;  ///< one sentence
  codec<snapshot> value;
  std::optional<provider::kind> family;  ///< the row holds the entries of this kind
};

/// Where a field of a provider group may stand.
enum class level : std::uint8_t { group, key, both };

struct entry_row {
  std::string name;
  level where = level::both;
  bool compat_key = false;  ///< also allowed in a key of an openai-compatibility group
  std::string text;
  codec<provider::key_entry> value;
};

enum class support : std::uint8_t {
  unsupported,  ///< known elsewhere, without effect here
  obsolete,     ///< given up by every version; to be removed from the file
  accepted,     ///< no setting, but allowed
};

/// A known name, with all below it, that this version does not read.
struct retired_row {
  std::vector<std::string> paths;  ///< v8 path first
  support why = support::unsupported;
};

struct schema {
  std::vector<key_row> keys;
  std::vector<entry_row> entry;
  std::vector<std::string> entry_ignored;  ///< entry fields known elsewhere, without effect here
  std::vector<retired_row> retired;
};

/// The schema of this version; immutable.
const schema& gateway_schema();

/// The parts of it, each in its own file.
std::vector<key_row> key_table();
std::vector<entry_row> entry_table();
std::vector<std::string> entry_ignored_table();
std::vector<retired_row> retired_table();

}  // namespace tidegate::config
