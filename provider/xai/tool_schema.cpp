#include "provider/xai/tool_schema.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_items.hpp"

#include <algorithm>

namespace tidegate::provider::xai {
namespace {

using protocol::inside_of;
using protocol::member_of;

constexpr std::string_view empty_schema = R"({"type":"object","properties":{}})";
constexpr std::string_view any_object =
    R"({"type":"object","properties":{},"additionalProperties":true})";
/// Its schema is too large a union.
constexpr std::string_view automation = R"("automation_update")";

bool is_object_schema(std::string_view schema) {
  const auto type = member_of(schema, "type");
  return type.empty() ? !member_of(schema, "properties").empty() : inside_of(type) == "object";
}

bool is_union_of_others(std::string_view schema) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"anyOf", "oneOf"}, [schema](std::string_view key) {
        const auto list = member_of(schema, key);
        const auto items = list.starts_with('[') ? protocol::items_of(list) : std::nullopt;
        return items && std::ranges::any_of(*items, [list](const auto& item) {
          return !is_object_schema(list.substr(item.offset, item.size));
        });
      });
}

}  // namespace

std::string with_object_schema(std::string_view function) {
  const auto schema = member_of(function, "parameters");
  if (schema.empty() || schema == "null" || schema == "{}") {
    return protocol::with_member(function, "parameters", std::string{empty_schema});
  }
  const bool replaced = is_union_of_others(schema) || member_of(function, "name") == automation;
  if (!replaced) return std::string{function};
  const auto made = protocol::with_member(function, "parameters", std::string{any_object});
  return member_of(made, "strict") == "true" ? protocol::with_member(made, "strict", "false")
                                              : made;
}

}  // namespace tidegate::provider::xai
