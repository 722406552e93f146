#pragma once
/// The control plane as the HTTP side sees it: http::control over the actors. Thread-safe; every
/// call resumes its caller on the caller's own executor.

#include <caf/actor_system.hpp>
#include <memory>

#include "actors/directory.hpp"
#include "actors/environment.hpp"
#include "actors/interfaces.hpp"
#include "http/ports.hpp"

namespace tidegate::actors {

struct bridge_parts {
  gateway_actor gateway;
  config_actor config;
  persistence_actor persistence;
  inspector_actor inspector;
  std::shared_ptr<const published_directory> published;
  environment_ptr env;
};

/// `system` must outlive every call; see app/gateway_process.cpp for the order of shutdown.
std::unique_ptr<http::control> make_bridge(caf::actor_system& system, bridge_parts parts);

}  // namespace tidegate::actors
