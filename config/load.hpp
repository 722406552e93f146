#pragma once
/// Text to snapshot: pure, total, and complete in its complaints. The v8 layout is native; the
/// older flat layout is read through the same table, and the v8 spelling of a key wins even when
/// it is false, zero or empty. Unknown, unsupported, obsolete and shadowed keys are warnings;
/// wrong types, unknown values and unsafe combinations are errors, all of them listed.

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.hpp"
#include "config/environment.hpp"
#include "config/schema.hpp"
#include "config/snapshot.hpp"

namespace tidegate::config {

struct load_result {
  snapshot_ptr snapshot;                ///< null when any diagnostic is an error
  std::vector<diagnostic> diagnostics;  ///< in the order of the text
};

/// Never throws. `source_path` is only noted in the snapshot; the generation stays zero.
load_result load_text(std::string_view yaml, std::string source_path, const environment& env);

struct setting_place {
  std::string key;  ///< as the text spells it; the v8 path when the text does not set it
  position where;   ///< of the value; no place when the text does not set it
};

/// Where a text sets the key of a v8 path, for what shows only outside of the text. Never throws.
setting_place locate(std::string_view yaml, const environment& env, std::string_view path);

/// The same with another table.
load_result load_text(const schema& table, std::string_view yaml, std::string source_path,
                      const environment& env);

}  // namespace tidegate::config
