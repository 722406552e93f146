#pragma once
/// What OpenAI's servers demand of the schema of a function's parameters.

#include <string>
#include <string_view>

#include "protocol/json_object.hpp"

namespace tidegate::protocol {

/// An object without properties is refused there: they must be empty ones. Only the root is asked,
/// and a member of that name anywhere counts.
inline bool lacks_properties(std::string_view schema) {
  return schema.find("\"properties\"") == std::string_view::npos &&
         peek_string(schema, "type", schema.size()) == "object";
}

/// What stands between `{"properties":{},` and the end of such a schema.
inline std::string_view behind_brace(std::string_view schema) {
  return schema.substr(schema.find('{') + 1);
}

/// The schema of a JSON format as OpenAI takes it: its root is an object and says so, and is no
/// union. Empty when it is another one.
inline std::string object_root(std::string_view schema) {
  const auto has = [schema](std::string_view key) {
    return peek_member(schema, key, schema.size()).has_value();
  };
  if (has("anyOf") || has("oneOf") || has("allOf")) return {};
  if (peek_string(schema, "type", schema.size()) == "object") return std::string{schema};
  const bool untyped = !has("type") && has("properties");
  return untyped ? R"({"type":"object",)" + std::string{behind_brace(schema)} : std::string{};
}

}  // namespace tidegate::protocol
