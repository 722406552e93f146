#pragma once
/// The top-level members of a request that are no conversation: limits, sampling, thinking, the
/// answer's form, tier, user.

#include <string_view>

#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/messages/place.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

/// The place stands at the member. Unknown members are passed over.
bool read_setting(std::string_view key, json_in::value& v, place& at, canonical_request& out);

}  // namespace tidegate::protocol::messages
