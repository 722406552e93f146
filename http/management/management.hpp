#pragma once
/// The operator's API under /v0/management: who may call it, and its endpoints. A table of rows in
/// management.cpp; one handler function per endpoint. On the session's strand.
/// Wire facts: spec/config-management.md 4.

#include <string_view>

#include "http/exchange/services.hpp"
#include "http/server/request.hpp"
#include "protocol/failure.hpp"

namespace tidegate::http {

/// `tail` is the path behind `/v0/management/`.
awaitable<protocol::reply> serve_management(services& with, request& in, std::string_view tail);

}  // namespace tidegate::http
