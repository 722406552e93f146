#pragma once
/// Which conversation a call belongs to, for session affinity. Pure; any thread.
/// Order and prefixes: spec/quota.md 4.3.

#include <string>
#include <string_view>

#include "http/server/request.hpp"
#include "protocol/envelope.hpp"

namespace tidegate::http {

/// The conversation that the client's headers name, without a prefix; empty when none does. What
/// may name one request only is passed over.
std::string_view header_session(const request& call);

/// Empty when nothing names a conversation. At most about 300 bytes.
std::string session_key(const request& call, const protocol::envelope& head);

}  // namespace tidegate::http
