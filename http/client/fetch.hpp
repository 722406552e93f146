#pragma once
/// One small request with its whole answer, outside of any session. Errors are those of the client.

#include <functional>
#include <memory>

#include "http/client/client.hpp"
#include "provider/plain_reply.hpp"

namespace tidegate::http {

/// Longest time for the whole, unless the caller says otherwise.
inline constexpr std::chrono::seconds fetch_patience{30};

struct fetch_job {
  provider::upstream_request what;
  secret_string proxy;                             ///< resolved: empty = none
  std::shared_ptr<const request_options> options;  ///< TLS, connection bounds
  std::chrono::seconds patience = fetch_patience;
};

/// On a strand of its own; resumes its caller on the caller's.
awaitable<result<provider::plain_reply>> fetch(client& through, fetch_job job);

/// The same for callers without a coroutine: `done` is called once, on that strand.
void fetch(client& through, fetch_job job, std::function<void(result<provider::plain_reply>)> done);

/// The same for a command that does nothing else meanwhile: blocks.
result<provider::plain_reply> fetch_alone(fetch_job job);

}  // namespace tidegate::http
