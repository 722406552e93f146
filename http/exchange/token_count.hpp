#pragma once
/// Token counts that no provider is asked for (docs/token-counting.md). Pure; any thread.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "protocol/envelope.hpp"
#include "protocol/surface.hpp"
#include "provider/catalog.hpp"

namespace tidegate::http {

/// Whether a member of the route counts tokens itself.
bool counts_upstream(const provider::route& route, protocol::surface surface);

/// The answer of a counting surface, from an estimate over the client's body; `head` is the
/// envelope of `body`. errc::invalid_input names the member that is missing or wrong.
result<std::string> estimated_count(protocol::wire form, const std::string& body,
                                    const protocol::envelope& head, std::string_view model);

}  // namespace tidegate::http
