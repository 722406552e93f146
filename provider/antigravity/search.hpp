#pragma once
/// A Messages client that has nothing but Anthropic's web search asks for a search: Antigravity
/// takes that as a request of another kind. Pure.

#include <string>

#include "provider/provider.hpp"

namespace tidegate::provider::antigravity {

/// Whether the call is one, to a model that searches.
bool is_search(const request_input& in);

/// Its `tools`.
std::string search_tools(const request_input& in);

}  // namespace tidegate::provider::antigravity
