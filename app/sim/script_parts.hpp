#pragma once
/// Parts of the script reader. Mistakes go to `problems`; `where` names the place in the script.

#include <string>

#include "app/sim/mapping.hpp"
#include "app/sim/script.hpp"

namespace tidegate::sim {

reply read_reply(const YAML::Node& node, const std::string& where, mapping::problems& problems);
void read_preset(mapping& from, preset& out);

}  // namespace tidegate::sim
