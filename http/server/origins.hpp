#pragma once
/// Which web pages may call a gateway that asks for no client key. Pure; any thread.
/// Rule and reasons: docs/decisions/0009-origins-without-client-keys.md.

#include "http/server/request.hpp"

namespace tidegate::http {

/// True when a page of another site sent the call: its Origin is `null`, or http or https with a
/// host other than localhost, 127.0.0.0/8 and [::1]. Calls without Origin come from programs, those
/// with another scheme from editor views and extensions.
bool is_from_another_site(const request& call);

/// The same of one value of Origin. Whatever begins like http and is malformed is foreign.
bool is_foreign_origin(std::string_view origin);

}  // namespace tidegate::http
