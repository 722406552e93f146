#pragma once
/// `/v1/models` in the shapes that clients expect, and `/v1beta/models`. Of several shapes that a
/// client could mean, the first counts: Grok's shell (by User-Agent), Codex (by `client_version` in
/// the query), Anthropic (by Anthropic-Version or User-Agent), Google's libraries (by
/// X-Goog-Api-Client or X-Goog-Api-Key), the plain list. Pure. Wire facts: spec/http.md 2.7
/// and 2.8.

#include <memory>

#include "http/server/request.hpp"
#include "http/server/routes.hpp"
#include "protocol/failure.hpp"
#include "provider/catalog.hpp"

namespace tidegate::http {

/// The list or one model, as `route` says. A null catalog lists nothing.
protocol::reply list_models(const std::shared_ptr<const provider::catalog>& catalog,
                            const request& in, const route_match& route);

}  // namespace tidegate::http
