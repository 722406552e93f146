#pragma once
/// What OpenAI's servers demand of the schema of a function's parameters.

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

}  // namespace tidegate::protocol
