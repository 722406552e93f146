#pragma once
/// What every handler of the HTTP side may use; made once by app/ and alive as long as the server.

#include <memory>

#include "http/client/client.hpp"
#include "http/ports.hpp"
#include "http/server/server.hpp"

namespace tidegate::http {

struct management_state;

struct services {
  control& plane;
  client& upstream;
  const server* listener = nullptr;  ///< for readiness and the bound address; set before start
  std::shared_ptr<management_state> management = nullptr;  ///< null: management does not exist
};

}  // namespace tidegate::http
