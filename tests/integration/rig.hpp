#pragma once
/// The whole gateway against the scripted upstream, in one process, over real sockets of
/// 127.0.0.1: configuration file, credential directory, actors, server, upstream. The wall clock of
/// both sides moves only when a test says so.

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/runtime.hpp"
#include "app/sim/server.hpp"
#include "base/time.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/scratch_directory.hpp"

namespace tidegate::test {

/// 2027-01-15T08:00:00Z.
inline constexpr instant t0 = from_unix(1'800'000'000);

class hand_clock final : public wall_clock {
 public:
  instant now() const noexcept override { return instant{duration{now_.load()}}; }
  void advance(duration by) { now_ += by.count(); }

 private:
  std::atomic<duration::rep> now_{t0.time_since_epoch().count()};
};

struct rig_options {
  std::string sim_script;          ///< rules of the upstream, YAML
  std::string mode = "usage-limit";
  std::string keys;                ///< YAML below `api-keys:`, `${sim}` = the upstream's URL
  std::string extra;               ///< more top-level YAML
  std::string retry = "{request-retry: 0, max-retry-interval: 0}";
  std::map<std::string, std::string> files{};  ///< of the credential directory, `${sim}` as above
  std::string cooldown;            ///< more of `routing.cooldown`, one flow entry
  std::string oauth;               ///< more of `oauth`, one flow entry, `${sim}` as above
};

/// The header of who may use management.
inline constexpr const char* operator_key = "Authorization: Bearer operator-key\r\n";

/// Keys for every provider: `codex-1`, `codex-2` for gpt-x, `claude-1`... for claude-x, `compat-1`...
/// for chat-x, `gemini-1`... for gemini-x.
std::string two_keys_each();
std::string keys_of(const std::string& provider, const std::string& model, int count);

class rig {
 public:
  explicit rig(rig_options options);
  ~rig();
  rig(const rig&) = delete;
  rig& operator=(const rig&) = delete;

  raw_response post(const std::string& path, const std::string& body,
                    const std::string& extra_headers = {});
  raw_response get(const std::string& path, const std::string& extra_headers = {});
  raw_response request(const std::string& method, const std::string& path, const std::string& body,
                       const std::string& extra_headers);

  /// Calls of one upstream key so far.
  std::uint64_t calls(const std::string& key);
  /// Paths that the upstream was asked for so far, in order.
  std::vector<std::string> paths();
  /// Ends the gateway and starts it again over the same directory.
  void restart();
  /// A text with the upstream's URL for `${sim}`.
  std::string filled(const std::string& text) const;
  /// Writes a new configuration file; how it gets read is up to the test.
  void write_config(const std::string& mode, const std::string& extra = {});
  std::string config_text(const std::string& mode, const std::string& extra) const;

  app::runtime& gateway() { return *gateway_; }
  sim::server& upstream() { return **upstream_; }
  hand_clock& clock() { return *clock_; }
  const scratch_directory& directory() const { return directory_; }
  std::uint16_t port() const { return gateway_->port(); }

 private:
  void start();

  rig_options options_;
  std::shared_ptr<hand_clock> clock_ = std::make_shared<hand_clock>();
  scratch_directory directory_;
  std::unique_ptr<sim::local_server> upstream_;
  std::unique_ptr<app::runtime> gateway_;
};

/// The three surfaces of the usage-limit contract with a request for each.
struct surface_case {
  std::string name;
  std::string path;
  std::string model;
  std::string key;       ///< stem of its upstream keys
  std::string limit;     ///< error of the sim that proves a used-up quota, two hours away
  std::string body(bool stream) const;
};
const std::vector<surface_case>& surfaces();

}  // namespace tidegate::test
