#include "provider/claude/search_tools.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::claude {
namespace {

using protocol::inside_of;
using protocol::member_of;

bool is_empty_list(std::string_view raw) {
  return raw.starts_with('[') && trimmed(raw.substr(1, raw.size() - 2)).empty();
}

std::optional<std::string> mended(std::string_view tool) {
  if (!inside_of(member_of(tool, "type")).starts_with("web_search")) return std::nullopt;
  std::optional<std::string> out;
  for (const std::string_view key : {"allowed_domains", "blocked_domains"}) {
    if (!is_empty_list(member_of(tool, key))) continue;
    out = protocol::without_member(out ? *out : tool, key);
  }
  return out;
}

}  // namespace

std::optional<std::string> without_empty_domains(std::string_view tools) {
  if (!contains_any(tools, {"_domains\""}) || !tools.starts_with('[')) return std::nullopt;
  const auto items = protocol::items_of(tools);
  if (!items) return std::nullopt;
  std::string out = "[";
  bool changed = false;
  for (const auto& one : *items) {
    const auto tool = tools.substr(one.offset, one.size);
    const auto made = mended(tool);
    changed = changed || made;
    out.append(out.size() > 1 ? "," : "").append(made ? *made : tool);
  }
  if (!changed) return std::nullopt;
  return out + ']';
}

}  // namespace tidegate::provider::claude
