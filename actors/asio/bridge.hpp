#pragma once
/// The control plane as the HTTP side sees it: http::control over the actors. Thread-safe; every
/// call resumes its caller on the caller's own executor.

#include <caf/actor_system.hpp>
#include <chrono>
#include <memory>

#include "actors/directory.hpp"
#include "actors/environment.hpp"
#include "actors/interfaces.hpp"
#include "http/ports.hpp"

namespace tidegate::actors {

/// How long a change of a credential file waits for whoever holds its lock, mostly a renewal that
/// asks its provider, and how often it looks.
struct lock_waits {
  std::chrono::milliseconds patience{40'000};
  std::chrono::milliseconds look{200};
};

struct bridge_parts {
  gateway_actor gateway;
  config_actor config;
  persistence_actor persistence;
  inspector_actor inspector;
  std::shared_ptr<const published_directory> published;
  environment_ptr env;
  lock_waits waits{};
};

/// `system` must outlive every call; see app/runtime.cpp for the order of shutdown.
std::unique_ptr<http::control> make_bridge(caf::actor_system& system, bridge_parts parts);

}  // namespace tidegate::actors
