#pragma once
/// What the simulated provider does, as values: rules pick a reply for a request by key, model,
/// method and path; a reply is an answer or an error, with pacing and faults. docs/sim.md holds the
/// YAML form. `parse_script` lists every mistake with its line in one `errc::invalid_input`, and
/// yields `errc::limit_exceeded` for a script over its bounds. Pure; immutable after parsing.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"

namespace tidegate::sim {

inline constexpr std::size_t script_bytes_max = 1024 * 1024;
inline constexpr std::size_t rules_max = 2000;
inline constexpr std::size_t replies_max = 1000;                 ///< per rule
inline constexpr int chunks_max = 100'000;                       ///< per reply
inline constexpr std::size_t text_bytes_max = 16 * 1024 * 1024;  ///< per reply
inline constexpr std::chrono::milliseconds pace_max{3'600'000};  ///< one delay or gap

using header = std::pair<std::string, std::string>;

/// A reset time: absolute, or relative to the first use of its reply (see director.hpp).
struct moment {
  std::optional<instant> at;
  std::optional<duration> in;
  bool set() const { return at || in; }
  std::optional<instant> resolve(instant anchor) const;
};

/// One quota window in a provider's own telemetry.
struct limit_window {
  std::string name;                    ///< primary, secondary; 5h, 7d, 7d_oi
  std::string status;                  ///< Anthropic's word; empty = header left out
  std::optional<double> used_percent;  ///< 0..100
  int window_minutes = 0;              ///< 0 = left out
  moment resets;
};

/// Telemetry that rides on answers and errors alike.
struct limits {
  std::vector<limit_window> codex;
  std::string codex_plan;
  bool codex_event = false;  ///< also a `codex.rate_limits` event at the start of a stream
  std::vector<limit_window> claude;
  std::string claude_status;  ///< anthropic-ratelimit-unified-status
  moment claude_resets;       ///< anthropic-ratelimit-unified-reset
  std::string overage_status;
  std::string overage_reason;
  std::string representative;  ///< anthropic-ratelimit-unified-representative-claim
  bool empty() const {
    return codex.empty() && claude.empty() && claude_status.empty() && codex_plan.empty() &&
           overage_status.empty() && !claude_resets.set();
  }
};

struct token_usage {
  std::int64_t input = 12;
  std::optional<std::int64_t> output;  ///< absent = a quarter of the text bytes, at least 1
  std::int64_t cached = 0;
  std::int64_t reasoning = 0;
};

struct tool_call {
  std::string name;
  std::string arguments;  ///< a JSON object as text
};

struct answer {
  std::string text;
  int chunks = 1;         ///< text deltas of a stream
  std::string reasoning;  ///< empty = none
  bool thinks = false;    ///< thinking is part of the answer even where `reasoning` is empty
  std::string token;      ///< proof of the thinking; empty = none, or a fixed one for Messages
  std::vector<tool_call> tool_calls;
  std::string finish = "stop";  ///< stop, length or content_filter
  token_usage usage;
  bool follows_request = false;  ///< what is said comes from the request (tiny_model.hpp)
};

enum class preset : std::uint8_t {
  none,                ///< the provider's ordinary body for the status
  bare,                ///< the status with an empty body
  usage_limit,         ///< Codex: usage_limit_reached with reset fields and X-Codex headers
  insufficient_quota,  ///< OpenAI: insufficient_quota
  rate_limit,          ///< short rate limit in the dialect asked
  claude_unified,      ///< Anthropic: rate_limit_error with unified window headers
  google_quota,        ///< Google: RESOURCE_EXHAUSTED + QUOTA_EXHAUSTED + RetryInfo
  google_rate,         ///< Google: RESOURCE_EXHAUSTED + RATE_LIMIT_EXCEEDED + RetryInfo
  overloaded,          ///< Anthropic 529; 503 elsewhere
  capacity,            ///< "model is at capacity": 429 on Codex, 503 elsewhere
  context_length,      ///< 400: the request is too long
};

struct failure_spec {
  preset kind = preset::none;
  int status = 0;                   ///< 0 = the preset's own
  std::optional<std::string> body;  ///< replaces the generated body
  std::string message;              ///< replaces the generated message
  std::string type;                 ///< replaces the generated error type
  std::string code;                 ///< replaces the generated error code
  moment resets;
  bool resets_at_field = true;  ///< usage-limit: write resets_at
  bool resets_in_field = true;  ///< usage-limit: write resets_in_seconds
  int window_minutes = 300;
  std::string plan = "plus";
  std::string retry_after;  ///< header text as it is; empty = none
  bool wrapped = false;     ///< Google: the error object inside a one-element array
};

inline constexpr int after_opening = -1;  ///< after the events that precede the first text

/// Misbehaviour on the wire. A position counts text chunks sent before it happens; 0 = before any
/// event, `after_opening` = after the opening events. At most one ending applies: the first set in
/// the order of these fields.
struct fault {
  bool never_answer = false;           ///< reads the request and stays silent
  bool reset = false;                  ///< TCP reset instead of an answer
  bool close = false;                  ///< closes without a byte
  bool close_after_head = false;       ///< sends the head, then closes
  bool empty_stream = false;           ///< head and a correct end of the body, nothing between
  std::optional<int> cut_after;        ///< closes in the middle of the body
  std::optional<int> reset_after;      ///< TCP reset in the middle of the body
  std::optional<int> stall_after;      ///< silence until the peer leaves
  std::optional<int> malformed_after;  ///< a chunk whose size line is no number, then close
  std::optional<int> bad_json_after;   ///< an event whose data is not JSON, then a clean end
  std::optional<int> error_after;      ///< the provider's in-stream error event, then a clean end
  std::optional<std::size_t> cut_after_bytes;  ///< closes after this many body bytes
  bool no_terminator = false;                  ///< clean end of the body without the last event
  bool error_as_failed = true;                 ///< Responses: `response.failed`, else `error`
  failure_spec error;                          ///< of `error_after`
  std::int64_t length_off_by = 0;              ///< Content-Length too large (+) or too small (-)
  std::size_t dribble_bytes = 0;               ///< writes of this size; 0 = off
  std::chrono::milliseconds dribble_gap{0};
};

/// A token endpoint: gives out new tokens for a refresh token that it has not seen used.
struct token_gift {
  std::string prefix = "sim-access-";  ///< of tokens; a number follows, of refresh tokens `r` first
  duration lifetime = std::chrono::hours{1};
  bool rotate = true;                  ///< each refresh token works once
};

enum class reply_kind : std::uint8_t { answer, failure };

struct reply {
  reply_kind kind = reply_kind::answer;
  answer ok;
  failure_spec error;
  std::optional<token_gift> tokens;  ///< instead of both
  fault faults;
  limits telemetry;
  std::vector<header> headers;
  std::chrono::milliseconds delay{0};              ///< before the first byte
  std::chrono::milliseconds first_chunk_delay{0};  ///< between the opening events and the text
  std::chrono::milliseconds gap{0};                ///< between text chunks
  bool close = false;                              ///< Connection: close, and closes
  int times = 1;                                   ///< uses before the next reply
  std::optional<duration> lasts;  ///< instead of `times`: valid this long from its first use
  duration reset_span{0};         ///< longest relative reset inside
};

/// A window that opens with the first counted answer, takes `limit` answers and then fails with
/// the provider's own 429 until it has passed.
struct quota {
  std::int64_t limit = 0;
  duration window{0};
  bool per_model = false;      ///< else one window per key
  preset kind = preset::none;  ///< none = by protocol
};

enum class counting : std::uint8_t { key_and_model, key, rule };

struct rule {
  std::string key = "*";
  std::string model = "*";
  std::string method = "*";
  std::string path = "*";
  counting count_by = counting::key_and_model;
  bool cycle = false;  ///< after the last reply the first; else the last repeats
  std::optional<quota> window;
  std::vector<reply> replies;  ///< never empty
};

struct script {
  bool record_requests = true;  ///< false keeps only the counters
  std::vector<rule> rules;
};

result<script> parse_script(std::string_view yaml);

}  // namespace tidegate::sim
