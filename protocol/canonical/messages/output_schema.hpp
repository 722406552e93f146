#pragma once
/// The schema of a JSON format as Claude's structured output takes it: objects are closed, unions
/// are `anyOf`, and limits of numbers, texts and lists are refused, so that they move into the
/// descriptions. Source: Anthropic's page on structured outputs, 2026-11.

#include <string>
#include <string_view>

namespace tidegate::protocol::messages {

struct output_schema {
  std::string json;
  bool lowered = false;  ///< it allows more, or less, than the client's
};

/// `schema` is a valid JSON object. One that is wider than any real one stays as it is.
output_schema closed_schema(std::string_view schema);

}  // namespace tidegate::protocol::messages
