#pragma once
/// The schemas of functions that xAI takes: the root is an object. Pure.

#include <string>
#include <string_view>

namespace tidegate::provider::xai {

/// The function with such a schema; as it was when it has one. A root that is a union of anything
/// but objects, and the one schema that xAI never ends reading, give way to an object of whatever
/// members, which is not strict.
std::string with_object_schema(std::string_view function);

}  // namespace tidegate::provider::xai
