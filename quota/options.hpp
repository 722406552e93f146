#pragma once
/// Routing, retry and cooldown settings: plain values, already validated by config/.

#include <chrono>
#include <cstdint>

namespace tidegate::quota {

enum class strategy : std::uint8_t { round_robin, weighted_round_robin, fill_first };

/// How an exhausted pool answers (docs/quota.md).
enum class response_mode : std::uint8_t {
  retryable,    ///< 429 with Retry-After
  usage_limit,  ///< final answer when every candidate is blocked by evidence
};

struct retry_options {
  int request_retry = 3;                          ///< extra rounds after round 0
  int max_retry_credentials = 0;                  ///< distinct credentials a round; 0 = all
  std::chrono::seconds max_retry_interval{30};    ///< longest wait between rounds; 0 = never wait
};

struct cooldown_options {
  bool disable_cooling = false;                   ///< record no cooldown at all
  bool save_cooldown_status = true;               ///< keep cooldowns in `.cds` files
  int transient_error_cooldown_seconds = 0;       ///< 0 = 60 s, negative = off
  response_mode mode = response_mode::retryable;
  bool codex_model_level = false;                 ///< Codex usage limits cool the model only
  bool claude_model_level = false;                ///< Claude unified limits cool the model only
  /// 0 = off; else how long after the last word about a used-up quota one request may test it
  std::chrono::seconds quota_retry_interval{0};
};

struct routing_options {
  strategy selection = strategy::round_robin;
  bool session_affinity = false;
  std::chrono::seconds session_affinity_ttl{3600};
  bool force_model_prefix = false;
  /// How long a request waits for room when everybody usable has all that max-concurrency allows.
  std::chrono::seconds concurrency_wait{10};
  retry_options retry;
  cooldown_options cooldown;
};

}  // namespace tidegate::quota
