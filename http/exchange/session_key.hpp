#pragma once
/// Which conversation a call belongs to, for session affinity. Pure; any thread.
/// Order and prefixes: spec/quota.md 4.3.

#include <string>

#include "http/server/request.hpp"
#include "protocol/envelope.hpp"

namespace tidegate::http {

/// Empty when nothing names a conversation. At most about 300 bytes.
std::string session_key(const request& call, const protocol::envelope& head);

}  // namespace tidegate::http
