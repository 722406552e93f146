#include "app/sim/schema_instance.hpp"

#include <cctype>
#include <string_view>

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

constexpr int number = 7;

/// Google's own schema writes the kinds in capitals; a list of kinds means its first.
std::string kind_of(const json& schema) {
  const auto found = schema.find("type");
  if (found == schema.end() || found->empty()) return schema.contains("properties") ? "object" : "";
  const auto& word = found->is_array() ? found->front() : *found;
  std::string out = word.is_string() ? word.get<std::string>() : "";
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

json instance_of(const json& schema, int depth) {
  if (!schema.is_object() || depth > instance_depth_max) return nullptr;
  for (const auto* key : {"enum", "anyOf"}) {
    const auto found = schema.find(key);
    if (found == schema.end() || !found->is_array() || found->empty()) continue;
    if (std::string_view{key} == "enum") return found->front();
    return instance_of(found->front(), depth + 1);
  }
  if (schema.contains("const")) return schema["const"];
  const auto kind = kind_of(schema);
  if (kind == "object") {
    auto out = json::object();
    if (schema.contains("properties"))
      for (const auto& [name, property] : schema["properties"].items())
        out[name] = instance_of(property, depth + 1);
    return out;
  }
  if (kind == "array") return json::array({instance_of(schema.value("items", json{}), depth + 1)});
  if (kind == "integer" || kind == "number") return number;
  if (kind == "boolean") return true;
  return kind == "string" ? json("word") : json{};
}

}  // namespace

std::string json_text_of_instance(const json& schema) { return instance_of(schema, 0).dump(); }

}  // namespace tidegate::sim
