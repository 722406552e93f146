#pragma once
/// A tool's schema as Messages takes it: its root is an object (translation.md 4.5). Root unions
/// are merged: their properties are united; what `allOf` requires is united, what `anyOf` and
/// `oneOf` require is cut to what all branches do. Gemini's upper-case types become lower-case, and
/// such a schema is closed and gets a dialect. A schema that has to be rewritten and is wider than
/// any real one becomes an empty one.

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::protocol::messages {

struct root_schema {
  std::optional<std::string> changed;  ///< nullopt: fits as it is
  bool merged = false;                 ///< something of its meaning was lost
};

/// `schema` is valid JSON or empty.
root_schema object_schema(std::string_view schema, bool from_gemini);

}  // namespace tidegate::protocol::messages
