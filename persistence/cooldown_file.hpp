#pragma once
/// The `.cds` cooldown file: format, names and tolerance of spec/quota.md 5 with its fixes.
/// Readable by and from the reference's files. Pure text <-> records; the store does the I/O.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "quota/block_set.hpp"

namespace tidegate::persistence {

/// Bound of one file in both directions: a reader refuses more, a writer leaves out the blocks
/// that end first.
inline constexpr std::size_t cooldown_file_bytes_max = 1024 * 1024;

/// Longest model name that is stored; a block with a longer one is left out.
inline constexpr std::size_t model_name_bytes_max = 256;

/// Longest cause that is stored, in bytes; a longer one is cut.
inline constexpr std::size_t cause_bytes_max = 1024;

/// What a credential's file holds: the active blocks at the time of writing.
struct cooldown_record {
  credential_id id;
  std::string provider;
  std::vector<quota::block> blocks;
};

/// JSON, two-space indent, trailing newline. Only blocks that are active at `now`, one record
/// each: credential scope first, then by model; within one, the longest block last.
std::string encode_cooldowns(const cooldown_record& record, instant now);

/// The same, keeping the active records of other credentials that `previous`, the file's present
/// text, holds: two credential files can come to one `.cds` name. A malformed `previous` counts as
/// none. Empty when nothing is left to write.
std::string replace_cooldowns(std::string_view previous, const cooldown_record& record,
                              instant now);

/// errc::invalid_input: malformed, too large, version not 1. Expired records, deadlines beyond the
/// horizon and records of another credential are left out; ladder levels are clamped; evidence
/// without an exceeded quota is dropped. An empty or blank text is an empty record. Blocks come in
/// the order of block_set::active. A record without `source` was written by the reference: there a
/// credential-wide record may be a mere summary of the model records, and then it is left out.
result<cooldown_record> decode_cooldowns(std::string_view text, const credential_id& expected,
                                         instant now);

/// File name below the root: of `file` (credential file's relative path) with `.cds`, else of the
/// sanitised id with a short hash only where needed. nullopt: escapes the root or nothing is left.
std::optional<std::string> cooldown_file_name(const credential_id& id, std::string_view file);

}  // namespace tidegate::persistence
