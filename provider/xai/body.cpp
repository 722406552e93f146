#include "provider/xai/body.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace tidegate::provider::xai {
namespace {

using protocol::inside_of;
using protocol::member_of;

constexpr std::size_t tools_max = 4096;
constexpr std::string_view empty_schema = R"({"type":"object","properties":{}})";

/// previous_response_id is here for its null; with a value the request is refused.
constexpr std::array<std::string_view, 5> refused_members{
    "previous_response_id", "prompt_cache_retention", "safety_identifier", "stream_options",
    "stop"};

std::string_view type_of(std::string_view tool) {
  return inside_of(member_of(tool, "type"));
}

bool is_refused(std::string_view type, std::string_view model) {
  return type == "tool_search" || (type == "image_generation" && !makes_images(model));
}

/// The tool as xAI takes it; empty: it stays as it is.
std::string corrected(std::string_view tool) {
  const auto type = type_of(tool);
  if (type == "web_search" && !member_of(tool, "external_web_access").empty()) {
    return protocol::without_member(tool, "external_web_access");
  }
  const auto parameters = member_of(tool, "parameters");
  const bool bare = parameters.empty() || parameters == "null" || parameters == "{}";
  if (type != "function" || !bare) return {};
  return protocol::with_member(tool, "parameters", std::string{empty_schema});
}

/// What becomes of `tools`.
struct tool_list {
  std::vector<std::string> kept;
  std::vector<std::string_view> dropped;  ///< types
  bool changed = false;

  std::string text() const {
    std::string out = "[";
    for (const auto& one : kept) out.append(out.size() > 1 ? "," : "").append(one);
    return out + ']';
  }
};

tool_list read_tools(std::string_view raw, std::string_view model) {
  tool_list out;
  const auto items = raw.starts_with('[') ? protocol::items_of(raw) : std::nullopt;
  if (!items || items->size() > tools_max) return out;
  for (const auto& item : *items) {
    const auto tool = raw.substr(item.offset, item.size);
    if (is_refused(type_of(tool), model)) {
      out.dropped.push_back(type_of(tool));
      out.changed = true;
      continue;
    }
    auto better = corrected(tool);
    out.changed = out.changed || !better.empty();
    out.kept.push_back(better.empty() ? std::string{tool} : std::move(better));
  }
  return out;
}

/// A choice of a hosted tool is spelled as a list of one.
void edit_choice(protocol::splice& edits, const request_input& in, const tool_list& tools) {
  const auto choice = raw_member(in, "tool_choice");
  if (!choice.starts_with('{')) return;
  const auto type = type_of(choice);
  if (std::ranges::find(tools.dropped, type) != tools.dropped.end()) {
    edits.remove("tool_choice");
  } else if (type == "web_search" || type == "x_search" || type == "image_generation") {
    edits.set("tool_choice", R"({"type":"allowed_tools","mode":"required","tools":[)" +
                                 std::string{choice} + "]}");
  }
}

void edit_tools(protocol::splice& edits, const request_input& in) {
  const auto raw = raw_member(in, "tools");
  const auto tools = read_tools(raw, in.upstream_model);
  const bool none = raw.find('{') == std::string_view::npos;
  if (none || (tools.changed && tools.kept.empty())) {
    for (const std::string_view key : {"tools", "tool_choice", "parallel_tool_calls"}) {
      edits.remove(key);
    }
    return;
  }
  if (tools.changed) edits.set("tools", tools.text());
  edit_choice(edits, in, tools);
}

}  // namespace

bool makes_images(std::string_view model) {
  const auto name = lower(model);
  constexpr std::string_view family = "grok-";
  if (!name.starts_with(family)) return false;
  const char* const end = name.data() + name.size();
  int major = 0;
  int minor = 0;
  const auto first = std::from_chars(name.data() + family.size(), end, major);
  if (first.ec != std::errc{} || major < 4) return false;
  if (major > 4) return true;
  if (first.ptr == end || *first.ptr != '.') return false;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec == std::errc{} && minor >= 6 && minor != 20;
}

void edit_body(protocol::splice& edits, const request_input& in) {
  set_model(edits, in);
  for (const auto key : refused_members) edits.remove(key);
  edit_tools(edits, in);
}

}  // namespace tidegate::provider::xai
