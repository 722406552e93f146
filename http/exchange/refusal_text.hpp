#pragma once
/// From the pool's verdict to the answer on the wire. Pure; any thread.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "protocol/failure.hpp"
#include "quota/outcome.hpp"
#include "quota/verdict.hpp"

namespace tidegate::http {

/// The last reply of a provider in this exchange, kept to be relayed as it came.
struct upstream_error {
  int status = 0;             ///< 0: no reply at all
  std::string body;           ///< bounded, Content-Encoding undone
  std::string content_type;
  std::vector<protocol::header> headers;  ///< to pass on; empty without `passthrough-headers`
  std::string detail;         ///< for people, when there was no reply
  std::string refused;        ///< the code of a refusal of our own, which `detail` explains
  bool timed_out = false;
  bool unasked = false;       ///< the gateway had no connection for it
  bool sounds_final = false;  ///< in usage-limit mode: the provider says that its quota is used up
  std::optional<instant> deadline;  ///< when this credential reopens, as far as the provider said
};

/// Status, headers and body for a verdict. `last` is relayed where the verdict says so, except that
/// words that sound final are not, while another credential may still serve (docs/decisions/0007).
protocol::reply answer_of(protocol::wire form, const quota::verdict& verdict,
                          const std::string& model, const std::optional<upstream_error>& last,
                          instant now);

/// The same facts for a stream that cannot be answered any more.
protocol::failure failure_of(const upstream_error& last, const std::string& model);

}  // namespace tidegate::http
