#include "protocol/canonical/tool_names.hpp"

#include <algorithm>

namespace tidegate::protocol {
namespace {

constexpr std::string_view mcp = "mcp__";
constexpr std::size_t suffix_bytes_max = 12;  ///< a body has not more names than that counts

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string qualified(std::string_view name, std::string_view name_space) {
  const std::string prefix = std::string{name_space} + "__";
  if (name_space.empty() || name.starts_with(mcp) || name.starts_with(prefix)) {
    return std::string{name};
  }
  return prefix + std::string{name};
}

}  // namespace

std::string name_map::shaped(std::string_view name, std::string_view name_space) const {
  std::string out = qualified(name, name_space);
  for (char& c : out) {
    if (!is_letter(c) && !is_digit(c) && rules_.punctuation.find(c) == std::string_view::npos) {
      c = '_';
    }
  }
  if (rules_.starts_with_letter && (out.empty() || (!is_letter(out[0]) && out[0] != '_'))) {
    out.insert(0, 1, '_');
  }
  if (out.size() > rules_.bytes_max && out.starts_with(mcp)) {
    const auto tail = out.rfind("__");
    if (tail >= mcp.size()) out = std::string{mcp} + out.substr(tail + 2);
  }
  if (out.size() > rules_.bytes_max) out.resize(rules_.bytes_max);
  return out;
}

const std::string& name_map::wire_name(std::string_view name, std::string_view name_space,
                                       tool_kind kind) {
  const auto [at, is_new] = wire_.try_emplace({std::string{name}, std::string{name_space}, kind});
  if (!is_new) return at->second;
  return at->second = fresh(shaped(name, name_space));
}

std::string name_map::fresh(const std::string& wanted) {
  if (taken_.insert(wanted).second) return wanted;
  auto& number = numbers_[wanted.substr(0, rules_.bytes_max - suffix_bytes_max)];
  for (;;) {
    const std::string suffix = "_" + std::to_string(++number);
    std::string chosen = wanted.substr(0, rules_.bytes_max - suffix.size()) + suffix;
    if (taken_.insert(chosen).second) return chosen;
  }
}

tool_names name_map::changed() const {
  tool_names out;
  for (const auto& [tool, wire] : wire_) {
    const auto& [name, name_space, kind] = tool;
    const bool other_kind = rules_.custom_as_function && kind == tool_kind::custom;
    if (wire != name || !name_space.empty() || other_kind) {
      out.push_back({wire, name, name_space, kind});
    }
  }
  std::ranges::sort(out, {}, &tool_name::wire);
  return out;
}

const tool_name* find_tool(const tool_names& names, std::string_view wire) {
  const auto found = std::ranges::lower_bound(names, wire, {}, &tool_name::wire);
  return found == names.end() || found->wire != wire ? nullptr : &*found;
}

}  // namespace tidegate::protocol
