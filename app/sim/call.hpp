#pragma once
/// A request as the simulated provider understands it: which operation in which protocol, for
/// which model, with which key. Pure; any bytes are accepted, what cannot be read stays empty.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/sim/script.hpp"
#include "protocol/surface.hpp"

namespace tidegate::sim {

/// A request as received, whatever its meaning.
struct incoming {
  std::string method;
  std::string target;  ///< path with query
  std::vector<header> headers;
  std::string body;
  bool keep_alive = true;  ///< false = the client asked to close
  std::string_view header_value(std::string_view name) const;  ///< first match, or empty
};

enum class operation : std::uint8_t {
  generate,      ///< an answer, whole or as a stream
  compact,       ///< POST .../responses/compact
  count_tokens,  ///< Anthropic and Google token counting
  other,         ///< a path of no protocol; only rules with a path match it
};

struct call {
  operation what = operation::other;
  protocol::wire wire = protocol::wire::openai_chat;
  bool stream = false;
  bool sse = true;            ///< Google without alt=sse streams a JSON array instead
  bool enveloped = false;     ///< Antigravity: the request and each answer are members of an object
  bool stream_usage = false;  ///< Chat: stream_options.include_usage
  std::string method;
  std::string path;
  std::string model;
  std::string key;  ///< from Authorization, x-api-key, x-goog-api-key or the query's `key`
};

call identify(const incoming& request);

}  // namespace tidegate::sim
