#pragma once
/// What the listener and its sessions share. Owner: shared by all of them; the functions are
/// constant and thread-safe, the counters are atomic.

#include <atomic>
#include <cstddef>

#include "http/server/body_budget.hpp"
#include "http/server/server.hpp"

namespace tidegate::http {

struct server_core {
  server_core(snapshot_source source, service answers)
      : config(std::move(source)),
        admit(std::move(answers.admit)),
        serve(std::move(answers.serve)),
        bodies(answers.bodies_bytes_max) {}

  const snapshot_source config;
  const admission_check admit;  ///< may be null
  const handler serve;
  body_budget bodies;
  std::atomic<bool> draining{false};
  std::atomic<std::size_t> active{0};  ///< requests inside a handler
  std::atomic<std::size_t> open{0};    ///< accepted connections that are not closed yet
};

}  // namespace tidegate::http
