#pragma once
/// What may be decided about a request as soon as its head is known: before a byte of its body is
/// kept, and before the client is told to send one. The server asks once per request; who may call
/// what is known to the owner of the function alone.

#include <functional>
#include <limits>
#include <optional>

#include "http/net/asio.hpp"
#include "http/server/request.hpp"
#include "protocol/failure.hpp"

namespace tidegate::http {

struct admission {
  std::optional<protocol::reply> refusal;  ///< the answer; nobody wants the body
  /// When valid: what else must be asked first; its result is the refusal.
  awaitable<std::optional<protocol::reply>> question;
  /// Longest body, when that is below `server.limits.body-bytes`.
  std::size_t body_bytes_max = std::numeric_limits<std::size_t>::max();
  std::optional<protocol::reply> too_large;  ///< the 413; empty = in the shape of the path
  bool any_origin = true;  ///< the answer, whatever it is, lets pages of every origin read it
};

/// Called with a request without body, on the session's strand; the request outlives the question.
/// OPTIONS is answered by the server, whatever the refusal. Must not throw.
using admission_check = std::function<admission(const request&)>;

}  // namespace tidegate::http
