#pragma once
/// YAML values as JSON text.

#include <optional>
#include <string>

#include "config/codec.hpp"

namespace tidegate::config {

/// Quoted scalars are text; plain ones are null, true, false, a JSON number, or text. A plain
/// scalar that begins like a number and is none of JSON is an error.
std::optional<std::string> json_of(const node& n, const read_scope& scope);

}  // namespace tidegate::config
