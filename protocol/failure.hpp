#pragma once
/// A failure the gateway itself answers with, before it has a wire form, and the one function
/// per protocol that gives it status, headers and body.
/// Wire facts: spec/quota.md 6 and 7.6, spec/clients.md 0 (measured 2026-11-30).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

enum class failure_kind : std::uint8_t {
  invalid_request,      ///< 400
  unsupported_encoding, ///< 415, names the content encoding
  missing_key,          ///< 401
  invalid_key,          ///< 401
  forbidden,            ///< 403
  model_not_found,      ///< 400 `unknown provider for model X`
  route_not_found,      ///< 404
  method_not_allowed,   ///< 405
  body_too_large,       ///< 413
  upgrade_not_served,   ///< 426
  not_supported,        ///< 501: no provider of the model has this surface
  busy,                 ///< 429, retryable: a bound of requests or connections was reached
  model_cooldown,       ///< 429, retryable: every candidate cools down for quota
  usage_limit,          ///< 429, final
  auth_unavailable,     ///< 503: candidates exist, none can be used now
  auth_not_found,       ///< 503: no candidate at all
  auth_required,        ///< 503: every candidate's login is dead
  upstream_failure,     ///< 502: no usable answer, nothing was tried twice in vain
  upstream_timeout,     ///< 504
  internal,             ///< 500
  draining,             ///< 503, retry elsewhere or later
};

struct failure {
  failure_kind kind = failure_kind::internal;
  /// The sentence of kinds without a fixed wording (both key errors, model_not_found, cooldowns and
  /// the auth_ kinds have one); empty = the reason phrase. busy: which bound; empty = that of the
  /// credentials' requests. unsupported_encoding: the name of the encoding.
  std::string message;
  /// Of an invalid_request: what was wrong, in one word, for the OpenAI `code`; the shapes that have
  /// no such member begin their message with it.
  std::string code;
  std::string model;                       ///< as the client wrote it, alias and suffix included
  std::string providers;                   ///< comma-joined; `provider` field only when it is one
  std::string last_error;                  ///< last upstream error summary; may be empty
  std::optional<instant> reset_at;         ///< earliest reopening
  std::optional<std::chrono::minutes> window;  ///< exhausted window that reopens first
};

using header = std::pair<std::string, std::string>;

struct reply {
  int status = 500;
  std::vector<header> headers;  ///< without Content-Length; with Content-Type
  std::string body;
};

/// The whole answer in the shape of `form`. `now` turns `reset_at` into remaining seconds.
/// Key order of the bodies is fixed. OpenAI-shaped: model_cooldown {code, last_upstream_error,
/// message, model, provider, reset_seconds, reset_time}; usage_limit {code, type, resets_at,
/// retryable, limit_window_minutes, message, model, provider, reset_seconds, reset_time,
/// last_upstream_error}; all others {message, type, code, param, retryable}; unknown members are
/// left out. Messages: {type, error: {type, message, resets_at, retryable}}. Gemini: {error: {code,
/// message, status}}, but model_cooldown and usage_limit in the OpenAI shape.
/// usage_limit and not_supported have X-Should-Retry: false and never Retry-After; model_cooldown,
/// draining and auth_unavailable with a known reset always have a Retry-After of at least 1.
reply encode_failure(wire form, const failure& what, instant now);

/// The terminal error event to write after the first byte, as complete SSE frames.
/// `codex_client` selects `response.failed` on the Responses surface, with the HTTP error object;
/// other Responses clients get an `error` event, whose code is then usage_limit_reached (its `type`
/// is taken); both with this sequence number. Chat and Gemini: a `data:` line with the HTTP body and
/// nothing behind it. Messages: an `error` event with the HTTP body. A usage limit keeps resets_at
/// and retryable everywhere.
std::string encode_stream_failure(wire form, const failure& what, instant now, bool codex_client,
                                  std::int64_t sequence = 0);

}  // namespace tidegate::protocol
