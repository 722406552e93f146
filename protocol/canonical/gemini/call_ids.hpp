#pragma once
/// Ids of Gemini's calls. Its ids are optional: a call without one gets an id that depends on what
/// it says and where it stands, so that a history that is sent again gets the same ids, and results
/// without one find their call by name, first come first served. Spec: translation.md 4.1.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::gemini {

/// `call_` and 24 hex digits.
std::string made_id(std::string_view name, std::string_view arguments, std::size_t position,
                    std::string_view seed = {});

/// Gives every call an id and every result the id and name of its call. Results are matched with
/// the calls of the latest run of model turns before them: ids first, then names in order, then
/// the only call that is left. A result that finds none gets an id of its own.
void settle_ids(canonical_request& in);

}  // namespace tidegate::protocol::gemini
