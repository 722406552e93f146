#pragma once
/// The immutable picture that the request path reads without asking anybody: the configuration in
/// force and the pool of each model asked for so far. The gateway publishes a new one per change.

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "actors/interfaces.hpp"

namespace tidegate::actors {

struct directory {
  config::snapshot_ptr config;
  std::shared_ptr<const provider::catalog> catalog;
  std::map<std::string, pool_actor, std::less<>> pools;  ///< by catalog::key_of
};
using directory_ptr = std::shared_ptr<const directory>;

/// The newest directory; written by the gateway actor only, read by any thread.
class published_directory {
 public:
  directory_ptr read() const { return value_.load(std::memory_order_acquire); }
  void publish(directory_ptr next) { value_.store(std::move(next), std::memory_order_release); }

 private:
  std::atomic<directory_ptr> value_;
};

}  // namespace tidegate::actors
