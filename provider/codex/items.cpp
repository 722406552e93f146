#include "provider/codex/items.hpp"

#include "base/hash.hpp"
#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/splice.hpp"
#include "provider/text_match.hpp"

#include <array>
#include <utility>

namespace tidegate::provider::codex {
namespace {

using protocol::inside_of;

constexpr std::string_view breakpoint = "prompt_cache_breakpoint";

std::string_view prefix_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> prefixes{{
      {"message", "msg"},
      {"reasoning", "rs"},
      {"function_call", "fc"},
      {"custom_tool_call", "ctc"},
      {"custom_tool_call_output", "ctco"},
  }};
  for (const auto& [name, prefix] : prefixes) {
    if (name == type) return prefix;
  }
  return {};
}

/// The id with its kind in front, cut where it is too long so that it stays its own.
std::string mended_id(std::string_view id, std::string_view prefix) {
  constexpr std::size_t hash_digits = 16;
  std::string out{id};
  if (!id.starts_with(std::string{prefix} + "_")) out.insert(0, std::string{prefix} + "_");
  if (out.size() <= item_id_bytes_max) return out;
  const auto hash = sha256_hex(id).substr(0, hash_digits);
  out.resize(item_id_bytes_max - hash_digits - 1);
  return out.append("_").append(hash);
}

/// A content list without marks that only the API reads.
std::optional<std::string> unmarked(std::string_view content) {
  if (content.find(breakpoint) == std::string_view::npos) return std::nullopt;
  const auto parts = content.starts_with('[') ? protocol::items_of(content) : std::nullopt;
  if (!parts) return std::nullopt;
  std::string out = "[";
  for (const auto& one : *parts) {
    const auto part = content.substr(one.offset, one.size);
    out.append(out.size() > 1 ? "," : "");
    out.append(part.starts_with('{') ? protocol::without_member(part, breakpoint)
                                     : std::string{part});
  }
  return out + ']';
}

/// nullopt: as it is; empty: it goes.
std::optional<std::string> mended_item(std::string_view item) {
  std::optional<std::string> out;
  // Renamed here too: the edits in renames.cpp are made in items that keep their place.
  if (protocol::member_of(item, "role") == R"("system")") {
    out = protocol::with_member(item, "role", R"("developer")");
  }
  if (auto content = unmarked(protocol::member_of(item, "content"))) {
    out = protocol::with_member(out ? *out : item, "content", std::move(*content));
  }
  const auto id = inside_of(protocol::member_of(item, "id"));
  const auto kind = inside_of(protocol::member_of(item, "type"));
  const auto prefix = prefix_of(kind.empty() ? "message" : kind);
  if (id.empty() || prefix.empty() || id.find('\\') != std::string_view::npos) return out;
  if (id.size() > item_id_bytes_max && !inside_of(protocol::member_of(item, "encrypted_content")).empty()) {
    return std::string{};
  }
  auto better = mended_id(id, prefix);
  if (better == id) return out;
  return protocol::with_member(out ? *out : item, "id", protocol::json_quote(better));
}

}  // namespace

std::optional<std::string> mended_items(std::string_view input) {
  if (!contains_any(input, {R"("id")", breakpoint})) return std::nullopt;
  const auto items = input.starts_with('[') ? protocol::items_of(input) : std::nullopt;
  if (!items) return std::nullopt;
  std::string out = "[";
  bool changed = false;
  for (const auto& one : *items) {
    const auto item = input.substr(one.offset, one.size);
    const auto made = mended_item(item);
    changed = changed || made;
    if (made && made->empty()) continue;
    out.append(out.size() > 1 ? "," : "").append(made ? *made : item);
  }
  if (!changed) return std::nullopt;
  return out + ']';
}

}  // namespace tidegate::provider::codex
