#include "provider/antigravity/schema.hpp"

#include "base/bounded_json.hpp"
#include "protocol/canonical/gemini/schema.hpp"

namespace tidegate::provider::antigravity {
namespace {

using nlohmann::ordered_json;

constexpr json_bounds schema_bounds{.bytes_max = 4 * 1024 * 1024, .depth_max = 256};

void demand_a_member(ordered_json& object) {
  const bool bare = !object.contains("properties") || object["properties"].empty();
  if (!bare && object.contains("required")) return;
  const char* const name = bare ? "reason" : "_";
  object["properties"][name] = {{"type", bare ? "string" : "boolean"}};
  object["required"] = ordered_json::array({name});
}

/// Recursion is bounded by the cleaning before it, see protocol/canonical/gemini/schema.cpp.
void tighten(ordered_json& schema, bool checks_calls, bool is_root) {
  if (!schema.is_object()) return;
  schema.erase("enum");
  if (const auto properties = schema.find("properties");
      properties != schema.end() && properties->is_object()) {
    for (auto& [name, inner] : properties->items()) tighten(inner, checks_calls, false);
  }
  if (const auto items = schema.find("items"); items != schema.end()) {
    tighten(*items, checks_calls, false);
  }
  const auto type = schema.find("type");
  const bool is_object = type != schema.end() && *type == "object";
  if (checks_calls && is_object && !is_root) demand_a_member(schema);
}

std::string tightened(std::string clean, bool checks_calls) {
  auto parsed = parse_bounded_ordered_json(clean, schema_bounds);
  if (!parsed) return clean;
  tighten(*parsed, checks_calls, true);
  return parsed->dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string tool_schema(std::string_view json_text, bool checks_calls) {
  return tightened(protocol::gemini::cleaned_nullable_schema(json_text).json, checks_calls);
}

std::string translated_schema(std::string_view clean, std::string_view declared,
                              bool checks_calls) {
  const bool made_of_it =
      !declared.empty() && protocol::gemini::cleaned_schema(declared).json == clean;
  return made_of_it ? tool_schema(declared, checks_calls)
                    : tightened(std::string{clean}, checks_calls);
}

}  // namespace tidegate::provider::antigravity
