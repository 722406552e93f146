#pragma once
/// The simplest instance of a JSON schema: every property once, the first word of an enum, 7, true,
/// a word. Knows what the vendors' structured outputs allow. Pure.

#include <nlohmann/json.hpp>
#include <string>

namespace tidegate::sim {

inline constexpr int instance_depth_max = 32;

std::string json_text_of_instance(const nlohmann::ordered_json& schema);

}  // namespace tidegate::sim
