#pragma once
/// Provider entries: v8 groups (`api-keys.<family>`) and the older flat lists
/// (`<family>-api-key`, `openai-compatibility`). Both become one key_entry for each key, already
/// merged with its group.

#include <string>

#include "config/schema.hpp"

namespace tidegate::config {

/// The row of one family with its older spelling.
key_row family_row(provider::kind family, std::string text);

/// The entries of one family, in order.
std::vector<const provider::key_entry*> entries_of(const snapshot& s, provider::kind family);

}  // namespace tidegate::config
