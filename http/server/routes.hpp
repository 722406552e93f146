#pragma once
/// Which part of the gateway a request line means: one table of method, path and target. Pure;
/// any thread. Paths are matched as written, without percent-decoding; only a model name inside a
/// path is decoded. HEAD means what GET does. OPTIONS has no routes: the reader answers it.
/// Wire facts: spec/http.md 1.2.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/failure.hpp"
#include "protocol/surface.hpp"

namespace tidegate::http {

enum class route_id : std::uint8_t {
  surface,           ///< a model call; `route_match::surface` says which
  responses_socket,  ///< GET of a Responses path: a WebSocket upgrade, answered 426
  models,            ///< GET /v1/models
  model,             ///< GET /v1/models/{model}
  gemini_models,     ///< GET /v1beta/models
  gemini_model,      ///< GET /v1beta/models/{model}
  health,            ///< GET /healthz
  ready,             ///< GET /readyz
  root,              ///< GET /
  management,        ///< anything under /v0/management
};

enum class route_result : std::uint8_t { found, wrong_method, unknown };

struct route_match {
  route_result result = route_result::unknown;
  route_id id = route_id::root;
  std::optional<protocol::surface> surface;  ///< set for route_id::surface
  std::optional<protocol::wire> form;  ///< shape of errors under this path, also when not found
  std::string model;                   ///< decoded name from the path; empty where it has none
  std::string_view tail;               ///< behind /v0/management/; a view into the path
  std::string allow;                   ///< value of Allow for wrong_method
};

route_match match_route(std::string_view method, std::string_view path);

/// The answer of a request that no handler serves: 404, 405 with Allow, and 426 for WebSockets, in
/// the shape of the path; nullopt when there is something to serve.
std::optional<protocol::reply> refuse_route(const route_match& route);

}  // namespace tidegate::http
