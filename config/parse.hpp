#pragma once
/// YAML text to node tree. Bounded in bytes, depth and nodes, where an alias counts as the tree it
/// stands for, so that a small text cannot become a large tree. Duplicate keys, a second document,
/// keys that are not text and aliases inside their own anchor are errors. `<<` merges as in YAML
/// 1.1. `${NAME}` in values is replaced (config/environment.hpp). Never throws.

#include <cstddef>
#include <string_view>

#include "config/diagnostic.hpp"
#include "config/environment.hpp"
#include "config/node.hpp"

namespace tidegate::config {

inline constexpr std::size_t input_bytes_max = 16 * 1024 * 1024;
inline constexpr std::size_t depth_max = 32;
inline constexpr std::size_t nodes_max = 200'000;

/// The root mapping; null when the report holds the error that prevented it.
node_ptr parse_document(std::string_view yaml, const environment& env, report& out);

}  // namespace tidegate::config
