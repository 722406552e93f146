#pragma once
/// Rules that entries of the configuration and credential files share. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "provider/options.hpp"

namespace tidegate::provider {

inline constexpr std::int64_t weight_max = 1'000'000;

/// The provider's public address; empty for openai-compatibility, which has none.
std::string_view default_base_url(kind k);

/// `given` without blanks and trailing slashes, or the default of the kind when nothing is left.
std::string effective_base_url(std::string_view given, kind k);

/// Without slashes at the ends; empty when one remains inside.
std::string clean_prefix(std::string_view prefix);

/// Trimmed, lower case, without empty ones.
std::vector<std::string> clean_patterns(const std::vector<std::string>& patterns);

}  // namespace tidegate::provider
