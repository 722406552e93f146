#pragma once
/// The operator's API under /v0/management: who may call it, and its endpoints. A table of rows in
/// management.cpp; one handler function per endpoint. On the session's strand.
/// Wire facts: spec/config-management.md 4.

#include "http/exchange/services.hpp"
#include "http/server/admission.hpp"
#include "http/server/request.hpp"
#include "protocol/failure.hpp"

namespace tidegate::http {

/// Key, address and endpoint, before the body is read; a body beyond management's limit is refused
/// in management's own words.
admission admit_management(services& with, const request& in);

/// Of a call that was admitted.
awaitable<protocol::reply> serve_management(services& with, const request& in);

}  // namespace tidegate::http
