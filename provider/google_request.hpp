#pragma once
/// Requests in Gemini's protocol, whichever of Google's addresses they go to. Pure.

#include "provider/provider.hpp"

#include <string>
#include <string_view>

namespace tidegate::provider {

/// The method behind the model's name; empty for surfaces of other protocols.
std::string_view google_method(protocol::surface s);

/// A request without its login: `models_url` with the model and the method, the client's body
/// without the gateway's own members, the common headers. errc::invalid_input: no model, or a
/// surface of another protocol.
result<upstream_request> google_request(const request_input& in, std::string models_url);

}  // namespace tidegate::provider
