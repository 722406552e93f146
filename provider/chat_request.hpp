#pragma once
/// Requests in OpenAI's Chat protocol, whosever address they go to. Pure.

#include "provider/provider.hpp"

#include <string>

namespace tidegate::provider {

/// A request of a Chat client with its login: usage at the end of a stream, the common headers. The
/// caller sets the model and whatever else, takes the body and finishes it.
upstream_request chat_request(const request_input& in, std::string url, protocol::splice& edits);

}  // namespace tidegate::provider
