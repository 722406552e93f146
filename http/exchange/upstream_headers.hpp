#pragma once
/// Which headers of a provider's good answer reach the client. Pure. Rules: spec/http.md 1.8.

#include <vector>

#include "http/client/client.hpp"
#include "protocol/failure.hpp"

namespace tidegate::http {

/// Content-Type always; everything else only with `passthrough-headers`, without hop-by-hop
/// headers, cookies, framing and what the gateway itself states.
std::vector<protocol::header> passed_headers(const upstream_response& reply, bool passthrough);

}  // namespace tidegate::http
