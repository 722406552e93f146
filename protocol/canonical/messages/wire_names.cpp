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
      declare(one);
    }
  }
}

void wire_names::declare(const tool& one) {
  const std::string& wire = map(one.name, one.name_space, one.kind);
  const place at{one.name.escaped, one.name_space.escaped};
  exact_.try_emplace({at, one.kind}, &wire);
  spelled_[wire] = &wire;
  if (one.kind == tool_kind::server) return;
  placed_.try_emplace(at, &wire);
  named_.try_emplace(one.name.escaped, &wire);
}

const std::string& wire_names::map(raw_text name, raw_text name_space, tool_kind kind) {
  if (name.empty()) return names_.wire_name("tool", {}, kind);
  return names_.wire_name(plain(name), plain(name_space), kind);
}

const std::string& wire_names::of(raw_text name, raw_text name_space, tool_kind kind) {
  const place at{name.escaped, name_space.escaped};
  if (const auto found = exact_.find({at, kind}); found != exact_.end()) return *found->second;
  if (!name_space.empty()) {
    const auto found = placed_.find(at);
    return found == placed_.end() ? map(name, name_space, kind) : *found->second;
  }
  for (const kept* const known : {&named_, &spelled_}) {
    if (const auto found = known->find(name.escaped); found != known->end()) return *found->second;
  }
  return map(name, name_space, kind);
}

tool_names wire_names::changed() const { return names_.changed(); }

}  // namespace tidegate::protocol::messages
