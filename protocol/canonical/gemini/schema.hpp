#pragma once
/// Schemas on their way to and from Gemini. Spec: translation.md 4.5.
///
/// Toward Gemini: the subset that its function declarations take. What it does not take moves into
/// the description, where the model can read it; references are put in place, unions become their
/// best branch. A property that is named like a keyword is a property.
/// From Gemini: Google's OpenAPI dialect (upper-case types, nullable) becomes JSON Schema.
/// Pure; never throws.

#include <string>
#include <string_view>

namespace tidegate::protocol::gemini {

struct clean_schema {
  std::string json;
  bool lossy = false;  ///< the cleaned schema accepts more than the schema did
};

/// Of a function's parameters: always an object. Something that is no JSON object is an object
/// without properties.
clean_schema cleaned_schema(std::string_view json);
/// The same for a reader that knows `nullable`, which tells what may be null however it was said.
clean_schema cleaned_nullable_schema(std::string_view json);

bool is_google_dialect(std::string_view json);
std::string to_json_schema(std::string_view google);

}  // namespace tidegate::protocol::gemini
