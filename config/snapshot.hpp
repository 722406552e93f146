#pragma once
/// One immutable, validated configuration. The config actor publishes it as
/// `shared_ptr<const snapshot>`; a request keeps the one it started with.

#include <cstdint>
#include <memory>
#include <string>

#include "http/options.hpp"
#include "provider/options.hpp"
#include "quota/options.hpp"

namespace tidegate::config {

struct log_options {
  bool debug = false;
};

struct snapshot {
  http::server_options server;
  http::access_options access;
  http::management_options management;
  http::request_options requests;
  quota::routing_options routing;
  provider::credential_options credentials;
  log_options log;
  std::string source_path;       ///< the file it came from
  std::uint64_t generation = 0;  ///< grows with each applied snapshot
};

using snapshot_ptr = std::shared_ptr<const snapshot>;

}  // namespace tidegate::config
