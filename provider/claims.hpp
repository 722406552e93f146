#pragma once
/// Claims of a JSON web token, read without verifying it: they only describe the operator's own
/// account. Never throws; at most 64 KiB of claims.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/time.hpp"

namespace tidegate::provider {

/// The claims, or null when the text is no token with an object of claims.
nlohmann::json token_claims(std::string_view token);

/// OpenAI's own claims of an id token: account and plan. Null when there are none.
nlohmann::json openai_claims(std::string_view id_token);

/// A claim's text; empty when it is absent or no text.
std::string claim_text(const nlohmann::json& claims, std::string_view name);

/// `exp`; nullopt when there is none.
std::optional<instant> claimed_end(const nlohmann::json& claims);

}  // namespace tidegate::provider
