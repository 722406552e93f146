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

/// The edits that every body needs: no members of the gateway's own, no more output than the model
/// has, the user begins. Counting takes the conversation alone.
void edit_google_body(protocol::splice& edits, const request_input& in);
void cap_output(protocol::splice& edits, const request_input& in);
void begin_with_user(protocol::splice& edits, const request_input& in);

}  // namespace tidegate::provider
