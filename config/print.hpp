#pragma once
/// The effective configuration as YAML in the v8 layout: what load_text reads back to the same
/// settings when secrets are revealed. Groups appear with one key each.

#include <string>

#include "config/codec.hpp"
#include "config/schema.hpp"
#include "config/snapshot.hpp"

namespace tidegate::config {

std::string print_config(const snapshot& s, visibility secrets);
std::string print_config(const schema& table, const snapshot& s, visibility secrets);

/// A tree as block YAML with two spaces; `${` is escaped.
std::string to_yaml(const node& n);

/// The same on one line, for documentation and messages.
std::string to_flow(const node& n);

}  // namespace tidegate::config
