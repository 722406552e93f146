#pragma once
/// Everything a running gateway consists of, also in tests: threads, actors, HTTP.
/// Owner: app/process.cpp or a test; all calls from one thread.

#include <functional>
#include <memory>
#include <string>

#include "actors/asio/bridge.hpp"
#include "actors/config_source.hpp"
#include "base/error.hpp"
#include "base/time.hpp"

namespace tidegate::app {

struct runtime_options {
  std::string config_path;
  actors::config_source source;              ///< how the configuration is read again
  actors::config_candidate first;            ///< read and valid
  std::shared_ptr<const wall_clock> clock;   ///< null: the system's
  unsigned threads = 0;                      ///< 0 = one per core
  actors::lock_waits lock_waits{};           ///< of management, for a credential file
};

class runtime {
 public:
  explicit runtime(runtime_options options);
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Applies the configuration, restores cooldowns, listens.
  result<void> start();
  /// `http://HOST:PORT` of the listener.
  std::string url() const;
  std::uint16_t port() const;

  /// Reads the configuration again, as SIGHUP does; the log tells the outcome.
  void reload();
  /// No new requests; running ones get `server.timeouts.drain`. Then everything stops and state is
  /// flushed. Idempotent. True when every request finished in time.
  bool drain_and_stop();
  /// The same; requests that still run are cut as soon as `hurry`, asked often, says so, and token
  /// renewals two seconds later.
  bool drain_and_stop(const std::function<bool()>& hurry);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace tidegate::app
