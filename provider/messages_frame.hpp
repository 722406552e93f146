#pragma once
/// In-band errors of the Messages protocol, which name their kind in a word. Pure.

#include "provider/error_body.hpp"

namespace tidegate::provider {

/// The status that goes with `error.type` in a reply; 502 for unknown types.
int status_of_messages_frame(const error_body& body);

}  // namespace tidegate::provider
