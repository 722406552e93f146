#pragma once
/// Errors in the form each provider really sends them: status, headers and body, the in-stream
/// error event, and the telemetry headers that ride on any reply. Pure.
/// Wire facts: error objects of the four public APIs; the quota forms as in docs/sim.md (presets).

#include <string>
#include <string_view>
#include <vector>

#include "app/sim/director.hpp"
#include "app/sim/script.hpp"
#include "protocol/surface.hpp"

namespace tidegate::sim {

struct failure_reply {
  int status = 500;
  std::vector<header> headers;  ///< with Content-Type, without Content-Length
  std::string body;
};

/// Relative reset times count from `anchor`; remaining seconds are taken at `now`.
failure_reply render_failure(const failure_spec& spec, protocol::wire wire, instant anchor,
                             instant now);

/// The error as a complete SSE frame. `as_failed` and `sequence` matter to Responses only.
std::string render_failure_event(const failure_spec& spec, protocol::wire wire, bool as_failed,
                                 int sequence, instant anchor, instant now);

/// The refusal of a used-up script window: the provider's own 429 with its reset.
failure_spec quota_failure(const window_use& window, preset wanted, protocol::wire wire);

/// Telemetry headers of `what`.
std::vector<header> limit_headers(const limits& what, instant anchor, instant now);

/// Headers that report a script window on an answer (Codex and Anthropic report theirs).
std::vector<header> window_headers(const window_use& window, protocol::wire wire, instant now);

/// The `codex.rate_limits` event as a complete SSE frame.
std::string codex_limits_event(const limits& what, instant anchor, instant now);

/// Replaces `${unix:2h}`, `${rfc3339:2h}` and `${http-date:2h}` by that instant after `now`;
/// anything else stays as it is.
std::string expand(std::string_view text, instant now);

}  // namespace tidegate::sim
