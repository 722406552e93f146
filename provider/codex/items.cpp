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
/// How the tokens of the backend begin.
constexpr std::string_view own_token = "gAAAA";

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

/// Cut where it is too long, so that it stays its own.
std::string cut_id(std::string id, std::string_view own) {
  constexpr std::size_t hash_digits = 16;
  if (id.size() <= item_id_bytes_max) return id;
  const auto hash = sha256_hex(own).substr(0, hash_digits);
  id.resize(item_id_bytes_max - hash_digits - 1);
  return id.append("_").append(hash);
}

/// The id with its kind in front.
std::string mended_id(std::string_view id, std::string_view prefix) {
  std::string out{id};
  if (!id.starts_with(std::string{prefix} + "_")) out.insert(0, std::string{prefix} + "_");
  return cut_id(std::move(out), id);
}

/// Whether a member with this key has a value like that; the value runs on to the end of `input`.
template <class Predicate>
bool any_value(std::string_view input, std::string_view key, Predicate holds) {
  constexpr std::string_view between = ": \t\r\n";
  for (auto at = input.find(key); at != std::string_view::npos; at = input.find(key, at + 1)) {
    const auto begin = input.find_first_not_of(between, at + key.size());
    if (begin != std::string_view::npos && holds(input.substr(begin))) return true;
  }
  return false;
}

bool is_long_text(std::string_view value) {
  return value.starts_with('"') && value.find('"', 1) > item_id_bytes_max + 1;
}

bool is_odd_token(std::string_view value) {
  return value.starts_with('"') && !value.substr(1).starts_with(own_token);
}

/// Looks at the text only: most conversations need nothing.
bool may_need_mending(std::string_view input) {
  return contains_any(input, {R"("id")", breakpoint}) ||
         any_value(input, R"("call_id")", is_long_text) ||
         any_value(input, R"("encrypted_content")", is_odd_token);
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

bool is_plain(std::string_view id) {
  return !id.empty() && id.find('\\') == std::string_view::npos;
}

/// Thinking that the backend cannot read, or cannot know: nothing is stored, so that the rest of
/// such an item means nothing to it.
bool goes(std::string_view item, std::string_view kind) {
  const auto token = protocol::member_of(item, "encrypted_content");
  if (kind == "reasoning" && is_odd_token(token)) return true;
  const auto id = inside_of(protocol::member_of(item, "id"));
  return !inside_of(token).empty() && is_plain(id) && id.size() > item_id_bytes_max &&
         !prefix_of(kind).empty();
}

void mend_id(std::string& item, std::string_view kind) {
  const auto raw = protocol::member_of(item, "id");
  const auto id = inside_of(raw);
  if (raw.empty() || raw == "null" || kind == "item_reference") return;
  if (id.empty()) {
    item = protocol::without_member(item, "id");
  } else if (const auto prefix = prefix_of(kind); !prefix.empty() && is_plain(id)) {
    auto better = mended_id(id, prefix);
    if (better != id) item = protocol::with_member(item, "id", protocol::json_quote(better));
  }
}

/// A call and its result are cut alike.
void mend_call_id(std::string& item) {
  const auto id = inside_of(protocol::member_of(item, "call_id"));
  if (!is_plain(id) || id.size() <= item_id_bytes_max) return;
  auto better = protocol::json_quote(cut_id(std::string{id}, id));
  item = protocol::with_member(item, "call_id", std::move(better));
}

/// Empty: it goes.
std::string mended_item(std::string_view item) {
  const auto type = inside_of(protocol::member_of(item, "type"));
  const std::string kind{type.empty() ? "message" : type};
  if (goes(item, kind)) return {};
  std::string out{item};
  // Renamed here too: the edits in renames.cpp are made in items that keep their place.
  if (protocol::member_of(out, "role") == R"("system")") {
    out = protocol::with_member(out, "role", R"("developer")");
  }
  if (auto content = unmarked(protocol::member_of(out, "content"))) {
    out = protocol::with_member(out, "content", std::move(*content));
  }
  mend_id(out, kind);
  mend_call_id(out);
  return out;
}

}  // namespace

std::optional<std::string> mended_items(std::string_view input) {
  if (!may_need_mending(input)) return std::nullopt;
  const auto items = input.starts_with('[') ? protocol::items_of(input) : std::nullopt;
  if (!items) return std::nullopt;
  std::string out = "[";
  bool changed = false;
  for (const auto& one : *items) {
    const auto item = input.substr(one.offset, one.size);
    const auto made = item.starts_with('{') ? mended_item(item) : std::string{item};
    changed = changed || made != item;
    if (made.empty()) continue;
    out.append(out.size() > 1 ? "," : "").append(made);
  }
  if (!changed) return std::nullopt;
  return out + ']';
}

}  // namespace tidegate::provider::codex
