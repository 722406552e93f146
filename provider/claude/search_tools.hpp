#pragma once
/// Anthropic's search takes lists of domains, but no empty ones. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace tidegate::provider::claude {

/// `tools` without empty lists of domains in searches; nullopt: as it is.
std::optional<std::string> without_empty_domains(std::string_view tools);

}  // namespace tidegate::provider::claude
