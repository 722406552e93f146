#pragma once
/// What a provider said about its failure, and what a call asks of a provider's memory. Pure.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "protocol/canonical/event.hpp"
#include "protocol/canonical/request.hpp"
#include "protocol/envelope.hpp"

namespace tidegate::http {

/// The failure in a provider's error body or in-band error frame, whatever its protocol. `status`
/// is what it stands for.
protocol::failed_event failure_said(int status, std::string_view text);

/// Whether a Responses call can be served by a provider of another protocol, which knows nothing of
/// what was stored elsewhere. errc::not_found: previous_response_id; errc::invalid_input: a
/// conversation, a stored prompt, an answer in the background.
result<void> check_stands_alone(const std::string& body, const protocol::envelope& head);

/// Whether a call has its whole conversation in it. errc::invalid_input: a part of it is known only
/// where it was made; the detail names it.
result<void> check_is_whole(const protocol::canonical_request& call);

/// The error body for a response that cannot be found, in OpenAI's shape.
std::string unknown_response_body(std::string_view message);

}  // namespace tidegate::http
