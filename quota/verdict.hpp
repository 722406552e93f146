#pragma once
/// What to tell the client when no attempt is left: a pure function of what every candidate of the
/// pool says about itself, whatever this request has tried. Rules: spec/quota.md 6, 7.3 to 7.5, 9.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "quota/block_set.hpp"
#include "quota/options.hpp"

namespace tidegate::quota {

/// One candidate's own account, taken at one `now` for the whole pool.
struct candidate {
  credential_id id;
  std::string provider;                 ///< name as shown to clients
  bool status_disabled = false;         ///< life-cycle disabled: kept, blocked without evidence
  bool selectable = true;               ///< false: weight 0 under the weighted strategy; no veto
  int request_retry = 0;                ///< effective value
  std::vector<block_state> backends;    ///< one per upstream model behind the alias; one when plain
  std::string last_error;               ///< newest failure summary; may be empty
  instant last_error_at{};
  bool full = false;                    ///< as many requests under way as it may have
  bool probe_due = false;               ///< may be tried once inside its quota block
  bool just_failed_429 = false;         ///< answered 429 in the last round
  std::optional<instant> named_end;     ///< that this 429 named
};

enum class verdict_kind : std::uint8_t {
  usage_limit,       ///< final: every candidate is blocked by evidence, earliest reset > 5 min away
  model_cooldown,    ///< retryable 429: every candidate is blocked for quota
  auth_unavailable,  ///< 503: a mix of reasons
  auth_required,     ///< 503: every candidate's login is dead
  auth_not_found,    ///< 503: no candidate
  last_error,        ///< relay the last upstream error of this request as it came
  busy,              ///< retryable 429: nobody is free, and somebody is only full
  selectable,        ///< a candidate is free: the caller may try again or relay its last error
};

struct verdict {
  verdict_kind kind = verdict_kind::auth_not_found;
  std::optional<instant> reset_at;              ///< earliest reopening over the pool
  std::optional<std::chrono::minutes> window;   ///< of the candidate that reopens first
  credential_id first;                          ///< candidate that reopens first
  std::string providers;                        ///< distinct names, comma-joined, in order of name
  std::string last_error;                       ///< newest summary among the candidates
};

/// How this request ended so far.
struct final_error {
  bool attempted = false;     ///< an upstream attempt of this request failed
  int status = 0;             ///< status of the last upstream error; 0 = none or no status
  bool counting = false;      ///< count_tokens: never a usage limit
};

/// The block of one candidate over all its backends: blocked only when every backend is; reopens
/// when its first backend does; covered only when every backend is covered. Without any backend:
/// blocked without end.
block_state combine_backends(std::span<const block_state> backends);

/// The pool decision and the wording of the refusal. A candidate that is not selectable counts for
/// nothing, one that is status-disabled counts as blocked without end and without evidence. A
/// candidate is blocked for quota when all its entries are, or when evidence covers its reopening.
/// After an upstream attempt the answer is usage_limit or last_error; before one, dead logins
/// everywhere come first, then usage_limit, model_cooldown, auth_unavailable.
verdict decide(std::span<const candidate> pool, const final_error& how, response_mode mode,
               instant now);

}  // namespace tidegate::quota
