#pragma once
/// The `.cds` cooldown file: format, names and tolerance of spec/quota.md 5 with its fixes.
/// Readable by and from the reference's files. Pure text <-> records; the store does the I/O.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "quota/block_set.hpp"

namespace tidegate::persistence {

/// What a credential's file holds: the active blocks at the time of writing.
struct cooldown_record {
  credential_id id;
  std::string provider;
  std::vector<quota::block> blocks;
};

/// JSON, two-space indent, trailing newline.
std::string encode_cooldowns(const cooldown_record& record, instant now);

/// errc::invalid_input: malformed, version not 1. Expired records, deadlines beyond the horizon
/// and records of another credential are left out; ladder levels are clamped; evidence without an
/// exceeded quota is dropped. An empty or blank text is an empty record.
result<cooldown_record> decode_cooldowns(std::string_view text, const credential_id& expected,
                                         instant now);

/// File name below the root: of `file` (credential file's relative path) with `.cds`, else of the
/// sanitised id with a short hash only where needed. nullopt: escapes the root or nothing is left.
std::optional<std::string> cooldown_file_name(const credential_id& id, std::string_view file);

}  // namespace tidegate::persistence
