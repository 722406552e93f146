#pragma once
/// Picks the reply for a call: the first matching rule, that rule's position in its sequence of
/// replies, and the quota window of the key. Holds the only state of a running script. Pure apart
/// from that state: `now` is a parameter. Not thread-safe; the server's strand owns it.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "app/sim/call.hpp"
#include "app/sim/script.hpp"

namespace tidegate::sim {

/// Counters and windows remembered at once, each; above it all of that kind start anew.
inline constexpr std::size_t positions_max = 200'000;

/// State of a quota window after the call was counted.
struct window_use {
  std::int64_t used = 0;
  std::int64_t limit = 0;
  duration length{0};
  instant resets_at;
  bool exhausted = false;  ///< this call was refused
};

struct decision {
  std::size_t rule_index = 0;
  std::size_t reply_index = 0;
  std::shared_ptr<const script> keeps;  ///< keeps `answer` alive across a live script change
  const reply* answer = nullptr;        ///< null = no rule matches
  preset quota_preset = preset::none;
  std::optional<window_use> window;
  instant anchor;  ///< relative reset times count from here
};

class director {
 public:
  explicit director(std::shared_ptr<const script> plan) : script_(std::move(plan)) {}

  decision decide(const call& request, instant now);

  /// Forgets positions and windows; the script stays.
  void reset();
  /// Takes a new script with fresh positions and windows.
  void replace(std::shared_ptr<const script> plan);
  const script& current() const { return *script_; }

 private:
  struct position {
    std::size_t index = 0;
    int used = 0;
    std::optional<instant> since;   ///< first use of the reply in force
    std::optional<instant> anchor;  ///< of its relative reset times
  };
  struct window {
    instant ends;
    std::int64_t used = 0;
  };

  position& advance(const rule& chosen, const std::string& counter, instant now);
  std::optional<window_use> charge(std::size_t index, const rule& chosen, const call& request,
                                   bool counts, instant now);

  std::shared_ptr<const script> script_;
  std::unordered_map<std::string, position> positions_;
  std::unordered_map<std::string, window> windows_;
};

}  // namespace tidegate::sim
