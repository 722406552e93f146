#include "protocol/canonical/messages/wire_names.hpp"

namespace tidegate::protocol::messages {
namespace {

/// Native clients may use what the API allows; the documented minimum is the bound for others.
name_rules rules_for(wire source) {
  name_rules out;
  out.bytes_max = source == wire::anthropic_messages ? 128 : 64;
  out.custom_as_function = true;
  return out;
}

}  // namespace

wire_names::wire_names(const canonical_request& what) : names_(rules_for(what.source)) {
  for (const bool server : {true, false}) {
    for (const tool& one : what.tools) {
      if ((one.kind == tool_kind::server) != server || one.name.empty()) continue;
      const std::string& wire = map(one.name, one.name_space, one.kind);
      declared_.push_back({one.name, one.name_space, one.kind, &wire});
    }
  }
}

const std::string& wire_names::map(raw_text name, raw_text name_space, tool_kind kind) {
  if (name.empty()) return names_.wire_name("tool", {}, kind);
  return names_.wire_name(plain(name), plain(name_space), kind);
}

const std::string& wire_names::of(raw_text name, raw_text name_space, tool_kind kind) {
  const declared* close = nullptr;
  const declared* spelled = nullptr;
  for (const declared& one : declared_) {
    if (one.name == name && one.name_space == name_space && one.kind == kind) return *one.wire;
    if (name_space.empty() && *one.wire == name.escaped) spelled = &one;
    const bool same_tool = one.name == name && (name_space.empty() || one.name_space == name_space);
    if (same_tool && one.kind != tool_kind::server && close == nullptr) close = &one;
  }
  if (close == nullptr) close = spelled;
  return close == nullptr ? map(name, name_space, kind) : *close->wire;
}

tool_names wire_names::changed() const { return names_.changed(); }

}  // namespace tidegate::protocol::messages
