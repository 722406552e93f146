#include "provider/xai/tool_book.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"
#include "provider/text_match.hpp"
#include "provider/xai/tool_schema.hpp"

#include <charconv>

namespace tidegate::provider::xai {
namespace {

using protocol::inside_of;
using protocol::member_of;
using protocol::tool_kind;

constexpr std::string_view input_schema =
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],)"
    R"("additionalProperties":false})";

bool is_hosted_choice(std::string_view type) {
  return type == "web_search" || type == "x_search" || type == "image_generation";
}

tool_kind kind_of(std::string_view type) {
  return type.starts_with("custom") ? tool_kind::custom : tool_kind::function;
}

}  // namespace

std::string_view type_of(std::string_view object) {
  return inside_of(member_of(object, "type"));
}

std::string text_of(std::string_view object, std::string_view key) {
  return protocol::decode_json_string(member_of(object, key)).value_or("");
}

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

void tool_book::add(std::string_view list, const std::string& name_space) {
  const auto items = list.starts_with('[') ? protocol::items_of(list) : std::nullopt;
  if (!items) return;
  for (const auto& item : *items) {
    if (overgrown()) return;
    take(list.substr(item.offset, item.size), name_space);
  }
}

void tool_book::take(std::string_view tool, const std::string& name_space) {
  const auto type = type_of(tool);
  if (type == "namespace" && name_space.empty()) {
    changed_ = true;
    return add(member_of(tool, "tools"), text_of(tool, "name"));
  }
  if (is_refused(tool)) {
    dropped_.emplace(type == "custom" ? text_of(tool, "name") : std::string{type});
    changed_ = true;
    return;
  }
  if (type == "function" || type == "custom") {
    kept_.push_back(function(tool, name_space));
  } else if (type == "web_search" && !member_of(tool, "external_web_access").empty()) {
    kept_.push_back(protocol::without_member(tool, "external_web_access"));
  } else {
    kept_.emplace_back(tool);
  }
  searches_x_ = searches_x_ || type == "x_search";
  changed_ = changed_ || kept_.back() != tool;
}

bool tool_book::is_refused(std::string_view tool) const {
  const auto type = type_of(tool);
  if (type == "custom") return text_of(tool, "name") == "apply_patch";
  return type == "tool_search" || (type == "image_generation" && !makes_images(model_));
}

std::string tool_book::function(std::string_view tool, const std::string& name_space) {
  const auto kind = kind_of(type_of(tool));
  const auto name = text_of(tool, "name");
  if (name.empty()) return std::string{tool};
  const auto& wire = names_.wire_name(name, name_space, kind);
  declared_.insert(wire);
  if (kind == tool_kind::custom) {
    protocol::object_writer made;
    made.text("type", "function").text("name", wire);
    const auto description = member_of(tool, "description");
    if (!description.empty()) made.raw("description", description);
    return made.raw("parameters", input_schema).str();
  }
  auto made = with_object_schema(tool);
  return wire == name ? made : protocol::with_member(made, "name", protocol::json_quote(wire));
}

std::string tool_book::list() const {
  std::string out = "[";
  for (const auto& one : kept_) out.append(out.size() > 1 ? "," : "").append(one);
  return out + ']';
}

std::optional<std::string> tool_book::function_of(std::string_view object) {
  const auto kind = kind_of(type_of(object));
  const auto name = text_of(object, "name");
  if (name.empty()) return std::nullopt;
  const auto name_space = text_of(object, "namespace");
  const auto& wire = names_.wire_name(name, name_space, kind);
  if (wire == name && name_space.empty() && kind == tool_kind::function) return std::nullopt;
  auto made = protocol::without_member(object, "namespace");
  return protocol::with_member(made, "name", protocol::json_quote(wire));
}

std::optional<std::string> tool_book::choice(std::string_view entry) {
  const auto type = type_of(entry);
  if (type != "custom" && type != "function") {
    if (!dropped_.contains(std::string{type})) return std::nullopt;
    return std::string{};
  }
  if (type == "custom" && dropped_.contains(text_of(entry, "name"))) return std::string{};
  auto made = function_of(entry);
  if (made && type == "custom") made = protocol::with_member(*made, "type", R"("function")");
  return made;
}

std::optional<std::string> tool_book::tool_choice(std::string_view choice) {
  const auto type = type_of(choice);
  if (type != "allowed_tools") {
    auto made = this->choice(choice);
    if (made || !is_hosted_choice(type)) return made;
    return R"({"type":"allowed_tools","mode":"required","tools":[)" + std::string{choice} + "]}";
  }
  const auto list = member_of(choice, "tools");
  const auto items = list.starts_with('[') ? protocol::items_of(list) : std::nullopt;
  if (!items) return std::nullopt;
  std::string kept;
  bool changed = false;
  for (const auto& item : *items) {
    const auto entry = list.substr(item.offset, item.size);
    const auto made = this->choice(entry);
    changed = changed || made;
    if (made && made->empty()) continue;
    kept.append(kept.empty() ? "" : ",").append(made ? *made : std::string{entry});
  }
  if (!changed) return std::nullopt;
  if (kept.empty()) return std::string{};
  return protocol::with_member(choice, "tools", "[" + kept + "]");
}

}  // namespace tidegate::provider::xai
