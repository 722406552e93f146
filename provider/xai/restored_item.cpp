#include "provider/xai/restored_item.hpp"

#include "base/text.hpp"
#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "provider/xai/tool_book.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::xai {
namespace {

using protocol::member_of;
using protocol::with_member;
using protocol::without_member;

constexpr std::array<std::string_view, 4> searches{"x_user_search", "x_semantic_search",
                                                   "x_keyword_search", "x_thread_fetch"};
constexpr std::string_view search_call = "xs_call";

/// A thought whose texts stand in its content tells them as its summary.
std::optional<std::string> with_summary(std::string_view item) {
  const auto content = member_of(item, "content");
  const auto parts = content.starts_with('[') ? protocol::items_of(content) : std::nullopt;
  if (!parts) return std::nullopt;
  std::string moved;
  std::string kept;
  for (const auto& one : *parts) {
    const auto part = content.substr(one.offset, one.size);
    const bool thought = type_of(part) == "reasoning_text";
    auto& into = thought ? moved : kept;
    into.append(into.empty() ? "" : ",");
    into.append(thought ? with_member(part, "type", R"("summary_text")") : std::string{part});
  }
  if (moved.empty()) return std::nullopt;
  const auto old = member_of(item, "summary");
  const auto before = old.starts_with('[') ? trimmed(old.substr(1, old.size() - 2))
                                           : std::string_view{};
  const auto summary = std::string{before}.append(before.empty() ? "" : ",").append(moved);
  const auto rest = kept.empty() ? without_member(item, "content")
                                 : with_member(item, "content", "[" + kept + "]");
  return with_member(rest, "summary", "[" + summary + "]");
}

std::string with_input(std::string_view call) {
  const auto input = input_of(member_of(call, "arguments"));
  const auto made = with_member(call, "type", R"("custom_tool_call")");
  return with_member(without_member(made, "arguments"), "input", input);
}

bool is_empty_list(std::string_view container) {
  const auto items = protocol::items_of(container);
  return items && items->empty();
}

}  // namespace

std::string input_of(std::string_view arguments) {
  const auto text = protocol::decode_json_string(arguments).value_or("");
  const auto input = member_of(text, "input");
  if (input.starts_with('"')) return std::string{input};
  const bool says_nothing = trimmed(text).starts_with('{') && is_empty_list(trimmed(text));
  return protocol::json_quote(says_nothing ? "" : text);
}

bool is_search_trace(std::string_view call) {
  return text_of(call, "call_id").starts_with(search_call) ||
         std::ranges::find(searches, text_of(call, "name")) != searches.end();
}

std::optional<std::string> restored_item(std::string_view item,
                                         const protocol::tool_names& names) {
  const auto type = type_of(item);
  if (type == "reasoning") return with_summary(item);
  if (type != "function_call") return std::nullopt;
  const auto* const tool = find_tool(names, text_of(item, "name"));
  if (tool == nullptr) return std::nullopt;
  auto made = with_member(item, "name", protocol::json_quote(tool->name));
  if (!tool->name_space.empty()) {
    made = with_member(made, "namespace", protocol::json_quote(tool->name_space));
  }
  return tool->kind == protocol::tool_kind::custom ? with_input(made) : made;
}

}  // namespace tidegate::provider::xai
